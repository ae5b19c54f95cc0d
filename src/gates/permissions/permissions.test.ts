import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { workspace } from "../../../test/workspace.ts";
import type { Answer, Question } from "../../index.ts";

const place = workspace([
  { op: "file", path: "work/src/a.ts", content: "a" },
  { op: "file", path: "work/docs/a.md", content: "a" },
  { op: "file", path: "work/secret/k", content: "k" },
]);
afterAll(place.remove);

const audit = { path: join(place.state, "audit.jsonl") };
const runtime = (permissions: object, more: object = {}, confirm?: (question: Question) => Answer) =>
  place.runtime({ config: { audit, ...more, tools: { permissions } }, ...(confirm && { confirm }) });
const verdict = async (permissions: object, tool: string, args: object, more: object = {}) => {
  const zeph = await runtime(permissions, more);
  try {
    const { verdict, rule } = await zeph.judge(tool, args);
    return rule ? `${verdict}: ${rule}` : verdict;
  } finally {
    await zeph.close();
  }
};

describe("without rules", () => {
  it.each([
    ["read", { path: "src/a.ts" }, "allow"],
    ["grep", { pattern: "a" }, "allow"],
    ["write", { path: "b", content: "" }, "ask"],
    ["delete_path", { path: "src" }, "ask"],
  ])("%s %j → %s", async (tool, args, expected) => expect(await verdict({}, tool, args)).toBe(expected));
});

describe("rules", () => {
  const rules = {
    write: [
      { pattern: "secret/**", action: "deny" },
      { pattern: "src/**", action: "allow" },
      { pattern: "*.md", action: "ask" },
    ],
  };
  it.each([
    ["src/new.ts", "allow"],
    ["SRC/New.ts", "allow"],
    ["./src/deep/new.ts", "allow"],
    ["docs/../src/new.ts", "allow"],
    ["src/../b.ts", "ask"],
    ["README.md", "ask: write[2] ask *.md"],
    ["docs/x.md", "ask"],
    ["secret/k", "deny: write[0] deny secret/**"],
    ["Secret/K", "deny: write[0] deny secret/**"],
    ["src/../secret/k", "deny: write[0] deny secret/**"],
  ])("write %s → %s", async (path, expected) => {
    // On this file system SRC and src are different folders; what counts is that the rule does not care.
    expect(await verdict(rules, "write", { path, content: "" })).toBe(expected);
  });
  it("follow links: a link into a denied folder is denied, one into an allowed folder is judged by where it leads", async () => {
    symlinkSync("../secret", join(place.work, "src/door"));
    mkdirSync(join(place.work, "lib"), { recursive: true });
    symlinkSync("../src", join(place.work, "lib/src-link"));
    expect(await verdict(rules, "write", { path: "src/door/k", content: "" })).toMatch(/^deny/);
    expect(await verdict(rules, "write", { path: "lib/src-link/n.ts", content: "" })).toBe("allow");
  });
  it("count the strictest of all paths of a call", async () => {
    const move = {
      move_path: [
        { pattern: "src/**", action: "allow" },
        { pattern: "docs/**", action: "deny" },
      ],
    };
    expect(await verdict(move, "move_path", { source: "src/a.ts", destination: "src/b.ts" })).toBe("allow");
    expect(await verdict(move, "move_path", { source: "src/a.ts", destination: "docs/b.ts" })).toMatch(/^deny/);
    expect(await verdict(move, "move_path", { source: "src/a.ts", destination: "b.ts" })).toBe("ask");
  });
  it("hide a tool whose every rule denies, and refuse it all the same", async () => {
    const zeph = await runtime({ write: [{ pattern: "*", action: "deny" }] });
    expect(zeph.tools().map(({ name }) => name)).not.toContain("write");
    expect(await zeph.call("write", { path: "src/deep/x", content: "" })).toMatchObject({
      ok: false,
      decision: { verdict: "deny", gate: "permissions" },
    });
    await zeph.close();
  });
  it("do not hide a tool that is denied only in places", async () => {
    const zeph = await runtime({ read: [{ pattern: "secret/**", action: "deny" }] });
    expect(zeph.tools().map(({ name }) => name)).toContain("read");
    await zeph.close();
  });
  it("hold under a tool's other name, and a name nobody has is warned about", async () => {
    const zeph = await runtime({ glob: [{ pattern: "*", action: "deny" }], wirte: [{ pattern: "*", action: "deny" }] });
    expect(await zeph.call("find_path", { path: ".", pattern: "*" })).toMatchObject({ ok: false, decision: { verdict: "deny" } });
    expect(zeph.warnings).toEqual([
      expect.stringContaining('tools.permissions.wirte: there is no tool of that name, so these rules do nothing. Did you mean "write"?'),
    ]);
    await zeph.close();
  });
  it("adding a rule that denies never permits more", () => {
    const paths = ["src/a.ts", "docs/a.md", "secret/k", "x"];
    const levels = async (write: object[]) => {
      const zeph = await runtime({ write });
      const judged = await Promise.all(paths.map((path) => zeph.judge("write", { path, content: "" })));
      await zeph.close();
      return judged.map(({ verdict }) => ["allow", "ask", "deny"].indexOf(verdict));
    };
    return fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ pattern: fc.constantFrom("*", "src/**", "*.md", "docs/*", "**/k"), action: fc.constantFrom("allow", "ask", "deny") }),
          { maxLength: 4 },
        ),
        fc.constantFrom("*", "src/**", "**/k"),
        fc.nat(),
        async (list, pattern, at) => {
          const i = at % (list.length + 1);
          const before = await levels(list);
          const after = await levels([...list.slice(0, i), { pattern, action: "deny" }, ...list.slice(i)]);
          expect(after.every((level, n) => level >= before[n]!)).toBe(true);
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("autonomy", () => {
  it("readonly denies all that does more than read, whatever the rules say", async () => {
    const rules = { write: [{ pattern: "*", action: "allow" }] };
    expect(await verdict(rules, "write", { path: "b", content: "" }, { autonomy: "readonly" })).toBe("deny: autonomy = readonly");
    expect(await verdict({}, "read", { path: "src/a.ts" }, { autonomy: "readonly" })).toBe("allow");
    const zeph = await runtime({}, { autonomy: "readonly" });
    expect(zeph.tools().every(({ effect }) => effect === "reads")).toBe(true);
    await zeph.close();
  });
  it("full answers questions with yes and leaves denials alone", async () => {
    expect(await verdict({}, "write", { path: "b", content: "" }, { autonomy: "full" })).toBe("allow");
    const rules = { write: [{ pattern: "b", action: "deny" }] };
    expect(await verdict(rules, "write", { path: "b", content: "" }, { autonomy: "full" })).toMatch(/^deny/);
    expect(await verdict({}, "write", { path: "/etc/x", content: "" }, { autonomy: "full" })).toBe("deny: allowed_paths");
  });
  it("tools.enabled = false offers and runs nothing", async () => {
    const zeph = await place.runtime({ config: { audit, tools: { enabled: false } } });
    expect(zeph.tools()).toEqual([]);
    expect(await zeph.call("read", { path: "src/a.ts" })).toMatchObject({ ok: false, decision: { verdict: "deny" } });
    await zeph.close();
  });
});

describe("an answer:", () => {
  const write = (path: string, content = "x") => ["write", { path, content }] as const;
  it("`once` is for this call, `session` for this very path until it ends or is cleared", async () => {
    const answers: Answer[] = ["once", "session", "no", "no", "no"];
    const asked: string[] = [];
    const zeph = await runtime({}, {}, ({ args }) => {
      asked.push((args as { path: string }).path);
      return answers.shift()!;
    });
    const oks = [];
    for (const path of ["n1", "n1", "n1", "./n1", "n2"]) oks.push((await zeph.call(...write(path))).ok);
    expect(oks).toEqual([true, true, true, true, false]);
    expect(asked).toEqual(["n1", "n1", "n2"]);
    zeph.clear();
    expect((await zeph.call(...write("n1"))).ok).toBe(false);
    await zeph.close();
  });
  it("a no is a denial by the user; silence is confirmation_required", async () => {
    const zeph = await runtime({}, {}, () => "no");
    expect(await zeph.call(...write("n3"))).toMatchObject({
      ok: false,
      error: { category: "policy_blocked" },
      decision: { verdict: "deny", by: "user", gate: "permissions" },
    });
    await zeph.close();
    const silent = await runtime({});
    expect(await silent.call(...write("n3"))).toMatchObject({
      ok: false,
      error: { category: "confirmation_required" },
      decision: { verdict: "ask" },
    });
    await silent.close();
  });
  it("a yes covers what was asked about, not what a link leads to by then", async () => {
    writeFileSync(join(place.work, "mine.txt"), "mine");
    writeFileSync(join(place.work, "yours.txt"), "yours");
    symlinkSync("mine.txt", join(place.work, "moving"));
    const zeph = await runtime({}, {}, () => {
      rmSync(join(place.work, "moving"));
      symlinkSync("yours.txt", join(place.work, "moving"));
      return "once";
    });
    expect(await zeph.call(...write("moving", "gotcha"))).toMatchObject({
      ok: false,
      decision: { verdict: "deny", rule: "another question" },
    });
    expect(readFileSync(join(place.work, "yours.txt"), "utf8")).toBe("yours");
    await zeph.close();
  });
  it("anything that is no answer counts as none, and a question that fails too", async () => {
    for (const confirm of [() => "yes" as Answer, () => undefined as unknown as Answer, () => Promise.reject(new Error("gone")) as never]) {
      const zeph = await runtime({}, {}, confirm);
      expect(await zeph.call(...write("n4"))).toMatchObject({ ok: false, error: { category: "confirmation_required" } });
      await zeph.close();
    }
  });
  it("`always` writes the narrowest rule into the person's own file and loses no comment", async () => {
    process.env.XDG_CONFIG_HOME = join(place.state, "config");
    process.env.XDG_STATE_HOME = place.state;
    const userFile = join(place.state, "config/zeph/config.toml");
    mkdirSync(join(place.state, "config/zeph"), { recursive: true });
    writeFileSync(userFile, '# mine\n[[tools.permissions.write]]\npattern = "docs/**" # keep\naction = "ask"\n');
    const questions: Question[] = [];
    const open = () =>
      place.runtime({
        config: undefined as never,
        confirm: (question) => {
          questions.push(question);
          return "always";
        },
      });
    const first = await open();
    expect(await first.call(...write("docs/[x].md"))).toMatchObject({ ok: true });
    await first.close();
    expect(questions[0]).toMatchObject({
      always_rule: expect.stringContaining("docs/[x].md"),
      why: ['The rule "docs/**" for write asks about docs/[x].md.'],
    });
    const text = readFileSync(userFile, "utf8");
    expect(text).toContain("# mine\n");
    expect(text).toContain('pattern = "docs/**" # keep');
    const second = await open();
    expect(await second.call(...write("docs/[x].md"))).toMatchObject({ ok: true, decision: { by: "rules" } });
    expect((await second.judge(...write("docs/x.md"))).verdict).toBe("ask");
    expect((await second.judge(...write("docs/[x].md2"))).verdict).toBe("ask");
    await second.close();
    expect(questions).toHaveLength(1);
  });
});

describe("Zeph's own files", () => {
  it.each([
    ["write", { path: "../../state/audit.jsonl", content: "" }],
    ["delete_path", { path: "../../state" }],
    ["move_path", { source: "../../state/audit.jsonl", destination: "x" }],
    ["edit", { path: "link-to-audit", old_string: "a", new_string: "b" }],
  ])("%s %j is refused by the blocklist even with everything allowed", async (tool, args) => {
    try {
      symlinkSync(audit.path, join(place.work, "link-to-audit"));
    } catch {}
    const zeph = await place.runtime({
      config: { audit, autonomy: "full", tools: { file: { allowed_paths: ["/"] } } },
      confirm: () => "once",
    });
    expect(await zeph.call(tool, args)).toMatchObject({ ok: false, decision: { verdict: "deny", gate: "blocklist" } });
    await zeph.close();
  });
});
