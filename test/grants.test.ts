import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { runTrust } from "../src/front/cli/settings/trust.ts";
import { type Answer, createRuntime, defineTool, type Question, type RuntimeOptions, type Zeph } from "../src/index.ts";
import { openStore } from "../src/store/open.ts";
import { type Workspace, workspace } from "./workspace.ts";

let place: Workspace;
let open: Zeph[];
let questions: Question[];
beforeEach(() => {
  place = workspace([
    { op: "file", path: "work/a.txt", content: "a\n" },
    { op: "file", path: "work/secret.txt", content: "secret\n" },
    { op: "mkdir", path: "work/d" },
    { op: "file", path: "config.toml", content: "" },
  ]);
  open = [];
  questions = [];
});
afterEach(async () => {
  for (const zeph of open) await zeph.close();
  place.remove();
});

const at = (...names: string[]) => join(place.work, ...names);
const text = (name: string) => readFileSync(at(name), "utf8");
const saved = () => readFileSync(join(place.T, "config.toml"), "utf8");

/** A program that deploys: what it is told besides the path matters. */
const deploy = defineTool({
  name: "deploy",
  description: "Deploys.",
  effect: "writes",
  input: z.strictObject({ path: z.string(), to: z.string() }),
  touches: ({ path }) => [{ kind: "path", access: "write", path }],
  run: async () => ({ text: "deployed" }),
});

/** Opened anew, as the next process would: only what is in the file and the store counts. */
async function opened(answer: Answer | ((question: Question) => Answer), more: RuntimeOptions = {}): Promise<Zeph> {
  const zeph = await createRuntime({
    cwd: place.work,
    config: join(place.T, "config.toml"),
    set: [`audit.path=${join(place.state, "audit.jsonl")}`],
    store: join(place.state, "zeph.db"),
    toolsets: [{ id: "mine", list: () => [deploy] }],
    confirm(question) {
      questions.push(question);
      return typeof answer === "string" ? answer : answer(question);
    },
    ...more,
  });
  open.push(zeph);
  return zeph;
}
const none = () => opened("no");
const asked = async (zeph: Zeph, tool: string, args: object, caller = {}) => {
  const before = questions.length;
  await zeph.call(tool, args, caller);
  return questions.length > before;
};

/** How long a yes may last: in the session that got it, or in every later one. */
const LASTING = [
  ["session", (zeph: Zeph) => Promise.resolve(zeph)],
  ["always", (zeph: Zeph) => zeph.close().then(none)],
] as const;

describe.each(LASTING)("A yes for %s", (answer, later) => {
  /** `change` is what happens before the next session begins. */
  const given = async (tool: string, args: object, caller = {}, change = () => {}) => {
    const first = await opened((question) => (question === questions[0] ? answer : "no"));
    const outcome = await first.call(tool, args, caller);
    expect(outcome.ok, outcome.ok ? "" : outcome.error.message).toBe(true);
    expect(questions).toHaveLength(1);
    change();
    return later(first);
  };

  it("covers the same file again, however it is spelled", async () => {
    const zeph = await given("write", { path: "notes.txt", content: "1" });
    expect(await asked(zeph, "write", { path: "./d/../notes.txt", content: "2" })).toBe(false);
    expect(text("notes.txt")).toBe("2");
  });
  it("does not cover what a link leads to later", async () => {
    const zeph = await given("write", { path: "notes.txt", content: "1" }, {}, () => {
      rmSync(at("notes.txt"));
      symlinkSync("secret.txt", at("notes.txt"));
    });
    expect(await asked(zeph, "write", { path: "notes.txt", content: "2" })).toBe(true);
    expect(text("secret.txt")).toBe("secret\n");
  });
  it("does not cover a folder that was exchanged for a link", async () => {
    const zeph = await given("write", { path: "d/notes.txt", content: "1" }, {}, () => {
      renameSync(at("d"), at("e"));
      symlinkSync("e", at("d"));
    });
    expect(await asked(zeph, "write", { path: "d/notes.txt", content: "2" })).toBe(true);
    expect(text("e/notes.txt")).toBe("1");
  });
  it("does not cover a name in other letters", async () => {
    const zeph = await given("write", { path: "notes.txt", content: "1" });
    expect(await asked(zeph, "write", { path: "NOTES.txt", content: "2" })).toBe(true);
  });
  it("does not cover source and destination the other way round, nor those of two grants mixed", async () => {
    let zeph = await given("copy_path", { source: "a.txt", destination: "b.txt" });
    rmSync(at("a.txt"));
    expect(await asked(zeph, "copy_path", { source: "b.txt", destination: "a.txt" })).toBe(true);
    questions = [];
    writeFileSync(at("a.txt"), "a\n");
    await zeph.close();
    zeph = await given("copy_path", { source: "secret.txt", destination: "c.txt" });
    rmSync(at("b.txt"));
    expect(await asked(zeph, "copy_path", { source: "secret.txt", destination: "b.txt" })).toBe(true);
  });
  it("does not cover a file that became a folder", async () => {
    const zeph = await given("delete_path", { path: "a.txt" });
    mkdirSync(at("a.txt"));
    writeFileSync(at("a.txt", "inside"), "");
    expect(await asked(zeph, "delete_path", { path: "a.txt" })).toBe(true);
    expect(text("a.txt/inside")).toBe("");
  });
  it("does not cover a file that somebody else changed since it was read", async () => {
    const zeph = await given("write", { path: "a.txt", content: "1" });
    await zeph.call("read", { path: "a.txt" });
    writeFileSync(at("a.txt"), "the person's own words");
    expect(await asked(zeph, "write", { path: "a.txt", content: "2" })).toBe(true);
    expect(text("a.txt")).toBe("the person's own words");
    await zeph.call("read", { path: "a.txt" });
    expect(await asked(zeph, "write", { path: "a.txt", content: "3" })).toBe(false);
  });
  it("does not cover another caller", async () => {
    const zeph = await given("write", { path: "notes.txt", content: "1" }, { callerId: "one" });
    expect(await asked(zeph, "write", { path: "notes.txt", content: "2" }, { callerId: "one" })).toBe(false);
    expect(await asked(zeph, "write", { path: "notes.txt", content: "3" }, { callerId: "two" })).toBe(true);
    expect(await asked(zeph, "write", { path: "notes.txt", content: "3" })).toBe(true);
  });
  it("does not cover other arguments of a tool of somebody else's", async () => {
    const zeph = await given("deploy", { path: "d", to: "staging" });
    expect(await asked(zeph, "deploy", { path: "./d", to: "staging" })).toBe(false);
    expect(await asked(zeph, "deploy", { path: "d", to: "production" })).toBe(true);
  });
  it("for a command does not cover it in the background, elsewhere, or by another caller", async () => {
    const zeph = await given("bash", { command: "rm -rf x" });
    expect(await asked(zeph, "bash", { command: "rm -rf x" })).toBe(false);
    expect(await asked(zeph, "bash", { command: "rm -rf x", background: true })).toBe(true);
    expect(await asked(zeph, "bash", { command: "rm -rf  x" })).toBe(true);
    expect(await asked(zeph, "bash", { command: "rm -rf X" })).toBe(true);
    expect(await asked(zeph, "bash", { command: "rm -rf x" }, { callerId: "two" })).toBe(true);
    await zeph.turn(async () => {
      await zeph.call("bash", { command: "cd d" });
      expect(await asked(zeph, "bash", { command: "rm -rf x" })).toBe(true);
    });
  });
  it("for a command does not cover it when what it writes to has become a link", async () => {
    const zeph = await given("bash", { command: "rm -rf x; echo 1 > notes.txt" });
    expect(await asked(zeph, "bash", { command: "rm -rf x; echo 1 > notes.txt" })).toBe(false);
    rmSync(at("notes.txt"));
    symlinkSync("secret.txt", at("notes.txt"));
    expect(await asked(zeph, "bash", { command: "rm -rf x; echo 1 > notes.txt" })).toBe(true);
  });
});

describe("A yes to all edits of this session", () => {
  const yes = () => opened((question) => (question === questions[0] ? "edits" : "no"));

  it("covers every file of the workspace, by each tool that edits, and no command", async () => {
    const zeph = await yes();
    expect((await zeph.call("write", { path: "new.txt", content: "1" })).ok).toBe(true);
    expect(questions[0]?.all_edits).toBe(true);
    expect(await asked(zeph, "edit", { path: "a.txt", old_string: "a", new_string: "b" })).toBe(false);
    expect(text("a.txt")).toBe("b\n");
    expect(await asked(zeph, "create_directory", { path: "d/e" })).toBe(false);
    expect(await asked(zeph, "delete_path", { path: "new.txt" })).toBe(false);
    expect(await asked(zeph, "bash", { command: "rm -rf d" })).toBe(true);
    expect(questions.at(-1)?.all_edits).toBeUndefined();
  });
  it("covers no folder that is deleted, no protected file, and nobody else's tool or call", async () => {
    const zeph = await yes();
    await zeph.call("write", { path: "new.txt", content: "1" });
    expect(await asked(zeph, "delete_path", { path: "d" })).toBe(true);
    expect(await asked(zeph, "write", { path: ".envrc", content: "x" })).toBe(true);
    expect(await asked(zeph, "write", { path: "AGENTS.md", content: "x" })).toBe(true);
    expect(await asked(zeph, "deploy", { path: "d", to: "production" })).toBe(true);
    expect(await asked(zeph, "write", { path: "new.txt", content: "2" }, { callerId: "two" })).toBe(true);
  });
  it("answers no rule that asks, and a file that somebody else changed is asked about again", async () => {
    writeFileSync(join(place.T, "config.toml"), '[[tools.permissions.write]]\npattern = "*.lock"\naction = "ask"\n');
    const zeph = await yes();
    await zeph.call("write", { path: "new.txt", content: "1" });
    expect(await asked(zeph, "write", { path: "x.lock", content: "1" })).toBe(true);
    expect(questions.at(-1)?.all_edits).toBeUndefined();
    await zeph.call("read", { path: "new.txt" });
    writeFileSync(at("new.txt"), "another");
    expect(await asked(zeph, "write", { path: "new.txt", content: "2" })).toBe(true);
  });
  it("is a yes to the one call where no edit is asked about", async () => {
    const zeph = await opened("edits");
    expect(await asked(zeph, "bash", { command: "rm -rf nothing" })).toBe(true);
    expect(await asked(zeph, "bash", { command: "rm -rf nothing" })).toBe(true);
    expect(await asked(zeph, "write", { path: "b.txt", content: "1" })).toBe(true);
  });
  it("is what autonomy = edits says from the start", async () => {
    writeFileSync(join(place.T, "config.toml"), 'autonomy = "edits"\n');
    const zeph = await none();
    expect(await asked(zeph, "write", { path: "b.txt", content: "1" })).toBe(false);
    expect(text("b.txt")).toBe("1");
    expect(await asked(zeph, "write", { path: ".envrc", content: "1" })).toBe(true);
    expect(await asked(zeph, "bash", { command: "rm -rf d" })).toBe(true);
    expect(await asked(zeph, "deploy", { path: "d", to: "production" })).toBe(true);
  });
});

describe("The rule that always writes", () => {
  it("is what the question shows, and says that it is exact", async () => {
    const zeph = await opened("always");
    await zeph.call("write", { path: "d/[x]*.txt", content: "" });
    expect(questions[0]?.always_rule).toBe(`allow write on ${at("d/[x]*.txt")}`);
    expect(saved()).toBe(`[[tools.permissions.write]]\npattern = ${JSON.stringify(at("d/[x]*.txt"))}\naction = "allow"\nexact = true\n`);
    await zeph.close();
    expect(await asked(await none(), "write", { path: "d/[x]*.txt", content: "" })).toBe(false);
    expect(await asked(await none(), "write", { path: "d/xy.txt", content: "" })).toBe(true);
  });
  it("names the caller, where the call had one", async () => {
    const zeph = await opened("always");
    await zeph.call("write", { path: "n", content: "" }, { callerId: "robot" });
    expect(questions[0]?.always_rule).toBe(`allow write on ${at("n")} for the caller robot`);
    expect(saved()).toContain('caller = "robot"');
  });
  it("is not written for a yes that came too late", async () => {
    const zeph = await opened(() => {
      rmSync(at("a.txt"));
      symlinkSync("secret.txt", at("a.txt"));
      return "always";
    });
    const outcome = await zeph.call("write", { path: "a.txt", content: "2" });
    expect(outcome).toMatchObject({ ok: false, decision: { verdict: "deny", rule: "another question" } });
    expect([text("secret.txt"), saved()]).toEqual(["secret\n", ""]);
    expect(await asked(zeph, "write", { path: "secret.txt", content: "2" })).toBe(true);
  });
});

describe("An always for a command", () => {
  const command = "rm -rf none";
  const trust = async (...args: string[]) => {
    const out: string[] = [];
    const store = openStore(join(place.state, "zeph.db"));
    const sink = { write: (text: string) => out.push(text) };
    await runTrust(args, { stdout: sink, stderr: sink, cwd: place.work, home: place.state, env: {} }, store.trust);
    await store.close();
    return out.join("");
  };

  it("is listed with its command and folder, and taken back by its name in the list", async () => {
    const zeph = await opened("always");
    expect(await asked(zeph, "bash", { command })).toBe(true);
    await zeph.close();
    expect(await asked(await none(), "bash", { command })).toBe(false);
    const [, name] = /^\d{4}-\d\d-\d\d {2}(command [0-9a-f]{64}) /m.exec(await trust("--list")) ?? [];
    expect(JSON.parse(await trust("--list", "--json"))).toEqual([
      { subject: name, since: expect.any(Number), command, folder: realpathSync(place.work), current: true },
    ]);
    expect(await trust("--revoke", `${name}0`)).toContain("was not trusted");
    expect(await trust("--revoke", name!)).toContain(`(always allowed: ${command} in `);
    expect(await trust("--list")).toBe("Nothing is trusted.\n");
    expect(await asked(await none(), "bash", { command })).toBe(true);
  });
});

describe("While a question is open", () => {
  const meanwhile = async (tool: string, args: object, change: () => void, answer: Answer = "once") => {
    const zeph = await opened(() => {
      change();
      return answer;
    });
    return zeph.call(tool, args);
  };
  const instead = (put: () => void) => {
    rmSync(at("a.txt"));
    put();
  };
  const stopped = { ok: false, error: { category: "policy_blocked" }, decision: { verdict: "deny", rule: "another question" } };

  it.each([
    ["was changed", () => writeFileSync(at("a.txt"), "the person's own words")],
    ["was exchanged for a link", () => instead(() => symlinkSync("secret.txt", at("a.txt")))],
    ["became a folder", () => instead(() => mkdirSync(at("a.txt")))],
    ["was deleted", () => instead(() => {})],
    ["was exchanged for one that looks the same", () => instead(() => writeFileSync(at("a.txt"), "a\n"))],
  ])("a file that %s is not written with a yes to what it was", async (_what, change) => {
    for (const [tool, args] of [
      ["write", { path: "a.txt", content: "2" }],
      ["delete_path", { path: "a.txt" }],
    ] as const) {
      rmSync(at("a.txt"), { recursive: true, force: true });
      writeFileSync(at("a.txt"), "a\n");
      expect(await meanwhile(tool, args, change)).toMatchObject(stopped);
    }
    expect(text("secret.txt")).toBe("secret\n");
  });
  it("a file that appeared is not overwritten", async () => {
    expect(await meanwhile("write", { path: "new.txt", content: "2" }, () => writeFileSync(at("new.txt"), "mine"))).toMatchObject(stopped);
    expect(text("new.txt")).toBe("mine");
  });
  it("what has nothing to do with it may change", async () => {
    expect((await meanwhile("write", { path: "new.txt", content: "2" }, () => writeFileSync(at("a.txt"), "mine"))).ok).toBe(true);
  });
});

describe("A rule written by hand", () => {
  const ruled = (rules: string) => writeFileSync(join(place.T, "config.toml"), rules);
  const allow = (pattern: string) => `[[tools.permissions.write]]\npattern = ${JSON.stringify(pattern)}\naction = "allow"\n`;

  it("about a file is not about what a link leads to", async () => {
    ruled(allow(at("notes.txt")));
    const first = await none();
    expect(await asked(first, "write", { path: "notes.txt", content: "1" })).toBe(false);
    rmSync(at("notes.txt"));
    symlinkSync("secret.txt", at("notes.txt"));
    expect(await asked(await none(), "write", { path: "notes.txt", content: "2" })).toBe(true);
  });
  it("about a folder is not about what it was exchanged for", async () => {
    ruled(allow(`${at("d")}/**`));
    expect(await asked(await none(), "write", { path: "d/x", content: "1" })).toBe(false);
    renameSync(at("d"), at("e"));
    symlinkSync("e", at("d"));
    expect(await asked(await none(), "write", { path: "d/x", content: "2" })).toBe(true);
    expect(await asked(await none(), "write", { path: "e/x", content: "2" })).toBe(true);
  });
  it("that denies holds for what its links lead to as well", async () => {
    symlinkSync("secret.txt", at("link"));
    ruled(`${allow(at("link")).replace("allow", "deny")}\n${allow("*")}`);
    const outcome = await (await none()).call("write", { path: "secret.txt", content: "" });
    expect(outcome.decision.verdict).toBe("deny");
  });
  it("of the policy is not about what a link leads to either", async () => {
    ruled(`[tools.policy]\nenabled = true\nrules = [{ effect = "allow", tool = "write", paths = ["d/**"] }]\n${allow("*")}`);
    const written = async (path: string) => (await (await none()).call("write", { path, content: "1" })).ok;
    expect(await written("d/x")).toBe(true);
    renameSync(at("d"), at("e"));
    symlinkSync("e", at("d"));
    expect([await written("d/x"), await written("e/x")]).toEqual([false, false]);
  });
  it("of the scope is not about what a link leads to either", async () => {
    ruled(`[tools.scoped]\nenabled = true\nconstraints = [{ tool = "write", allowed_paths = ["d"] }]\n${allow("*")}`);
    const written = async (path: string) => (await (await none()).call("write", { path, content: "1" })).ok;
    expect([await written("d/x"), await written("x")]).toEqual([true, false]);
    renameSync(at("d"), at("e"));
    symlinkSync("e", at("d"));
    expect([await written("d/x"), await written("e/x")]).toEqual([false, false]);
  });
  it("may speak of one caller alone", async () => {
    ruled(`${allow("*")}caller = "robot"\n`);
    expect(await asked(await none(), "write", { path: "x", content: "1" }, { callerId: "robot" })).toBe(false);
    expect(await asked(await none(), "write", { path: "x", content: "1" })).toBe(true);
  });
});

it("A path that leads elsewhere once the call was judged is not acted on", async () => {
  // The hook is asked after every gate, and takes its time.
  const swap = `rm ${at("a.txt")} && ln -s secret.txt ${at("a.txt")}`;
  writeFileSync(
    join(place.T, "config.toml"),
    `[[hooks.pre_tool]]\ncommand = ${JSON.stringify(swap)}\n\n[[tools.permissions.write]]\npattern = "*"\naction = "allow"\n`,
  );
  const outcome = await (await none()).call("write", { path: "a.txt", content: "2" });
  expect(outcome).toMatchObject({ ok: false, decision: { verdict: "deny", gate: "files", rule: "moved" } });
  expect(text("secret.txt")).toBe("secret\n");
});

it("A yes for somebody nobody vouched for does not cover what a link leads to later", async () => {
  writeFileSync(join(place.T, "config.toml"), `[[tools.permissions.write]]\npattern = "*"\naction = "allow"\n`);
  const zeph = await opened((question) => (question === questions[0] ? "session" : "no"));
  const write = () => asked(zeph, "write", { path: "notes.txt", content: "1" }, { trust: "provisional" });
  expect([await write(), await write()]).toEqual([true, false]);
  rmSync(at("notes.txt"));
  symlinkSync("secret.txt", at("notes.txt"));
  expect(await write()).toBe(true);
  expect(text("secret.txt")).toBe("secret\n");
});
