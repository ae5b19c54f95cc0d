import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AuditEntry } from "../src/core/ports/audit.ts";
import { createRuntime, type RuntimeOptions, type Zeph } from "../src/index.ts";
import { isCut, outcomeOf, pastAnswer } from "../src/runtime/replay/audit-line.ts";
import { type ReplayOptions, replayLog } from "../src/runtime/replay/log.ts";
import type { Rejudge } from "../src/runtime/replay/rejudge.ts";
import type { Replayed, ReplayTotals } from "../src/runtime/replay/replay.ts";
import { openReplayWorkspaces } from "../src/runtime/replay/workspaces.ts";

describe("what a line says of the past", () => {
  it.each<[Partial<AuditEntry>, string | null]>([
    [{ outcome: "ok", approved_by: "rules" }, "allow"],
    [{ outcome: "failed", approved_by: "rules", error_category: "timeout" }, "allow"],
    [{ outcome: "ok", approved_by: "user", gate: "permissions" }, "ask"],
    [{ outcome: "failed", approved_by: "--yes" }, "ask"],
    [{ outcome: "denied", refused_by: "user", gate: "permissions" }, "ask"],
    [{ outcome: "denied", gate: "files" }, "deny"],
    [{ outcome: "denied", gate: "confirm" }, "ask"],
    [{ outcome: "denied", gate: "permissions", rule: "another question" }, "ask"],
    [{ outcome: "unanswered", gate: "walls" }, "ask"],
    [{ outcome: "failed", error_category: "tool_not_found" }, null],
    [{ outcome: "failed", error_category: "cancelled" }, null],
    [{}, null],
  ])("%j was %s", (entry, answer) => expect(pastAnswer({ kind: "call", ts: "", ...entry })).toBe(answer));

  it.each<[unknown, boolean]>([
    [{ path: "a" }, false],
    [{ content: `${"x".repeat(500)}… (900 characters)` }, true],
    [{ list: ["a", "(3 more)"] }, true],
    [{ deep: { deep: "(deeper)" } }, true],
    [{ "(more)": 7 }, true],
    [{ command: "curl -H 'Authorization: [redacted:access-token]' x" }, true],
    [{ url: "https://a.example/?key=***" }, true],
    [{ command: "echo '(deeper) and more'" }, false],
    [null, false],
  ])("%j is cut: %s", (args, cut) => expect(isCut(args)).toBe(cut));

  it("takes no word of a line for granted", () => {
    const strange = { kind: "call", ts: "", outcome: "failed", error_category: "made up", error: 7 } as unknown as AuditEntry;
    expect(outcomeOf(strange)).toMatchObject({ ok: false, error: { category: "permanent_failure" }, decision: { verdict: "none" } });
  });
});

it("keeps only a few folders and sessions open, those used last", async () => {
  let open = 0;
  let most = 0;
  const made: string[] = [];
  const rooms = openReplayWorkspaces(
    async (workspace) => {
      made.push(workspace);
      most = Math.max(most, ++open);
      const bench: Rejudge = { judge: async () => ({ unfit: "" }), missed() {}, noted() {} };
      return { bench: async () => ({ ...bench }), close: async () => void open-- };
    },
    () => true,
  );
  for (let n = 0; n < 50; n++) await rooms.find(`/w${n}`, "s");
  expect(most).toBeLessThanOrEqual(5);
  expect(open).toBe(4);
  const [last, first] = [await rooms.find("/w49", "s"), await rooms.find("/w0", "s")];
  expect(await rooms.find("/w49", "s")).toBe(last);
  expect(await rooms.find("/w0", "s")).toBe(first);
  for (let n = 0; n < 40; n++) await rooms.find("/w49", `s${n}`);
  expect(await rooms.find("/w49", "s")).not.toBe(last);
  expect(made).toHaveLength(51);
  await rooms.close();
  expect(open).toBe(0);
});

describe("replaying a log", () => {
  it("flips nothing under the rules it was written with, whatever was called and answered", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...CALLS), fc.constantFrom(...ANSWERS)), { maxLength: 25 }), async (calls) => {
        const here = place(RULES);
        const zeph = await here.runtime({ confirm: () => answer });
        let answer: (typeof ANSWERS)[number] = null;
        for (const [[tool, args], said] of calls) {
          answer = said;
          await zeph.call(tool, args);
        }
        await zeph.close();
        const { totals } = await here.replay();
        expect(totals).toMatchObject({ calls: calls.length, flips: {}, flipped: 0, unreadable: 0 });
      }),
      { numRuns: 5 },
    );
  });

  it("keeps what an earlier answer covered: for the session, for all edits, for good", async () => {
    const here = place(RULES);
    const answers = { write: "session", edit: "edits", bash: "always" } as const;
    const zeph = await here.runtime({ confirm: ({ tool }) => answers[tool as keyof typeof answers] });
    await zeph.call("write", { path: "b.txt", content: "x" });
    await zeph.call("write", { path: "b.txt", content: "x" });
    await zeph.call("edit", { path: "b.txt", old_string: "x", new_string: "y" });
    await zeph.call("write", { path: "c.txt", content: "another file, so nobody said yes to it by itself" });
    for (let n = 0; n < 2; n++) await zeph.call("bash", { command: "rm -rf nothing-here" });
    await zeph.close();
    const calls = () => here.log().filter(({ kind }) => kind === "call");
    expect(calls().map(({ approved_by, grant }) => [approved_by, grant])).toEqual([
      ["user", undefined],
      ["rules", "session"],
      ["user", undefined],
      ["rules", "edits"],
      ["user", undefined],
      ["rules", "always"],
    ]);
    const before = here.fingerprint();
    // A yes for good is a rule of now: what was asked then is not asked any more.
    expect((await here.replay()).totals).toMatchObject({ calls: 6, same: 5, flips: { "ask -> allow": 1 } });
    // Also where the answer itself is in another log.
    const late = calls().filter(({ grant }) => grant !== undefined);
    writeFileSync(here.audit, late.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect((await here.replay()).totals).toMatchObject({ calls: 3, same: 3, flips: {} });
    expect(here.fingerprint().split("\n").slice(1)).toEqual(before.split("\n").slice(1));
  });

  it("says which calls flip, by whom, and counts the rest", async () => {
    const here = place(RULES);
    const zeph = await here.runtime({ confirm: () => "once" });
    await zeph.call("read", { path: "a.txt" });
    await zeph.call("read", { path: "secret.txt" });
    await zeph.call("write", { path: "b.txt", content: "x".repeat(900) });
    await zeph.call("nope", {});
    await zeph.close();
    const { totals, rows } = await here.replay(`
      [[tools.permissions.read]]
      pattern = "**/a.txt"
      action = "deny"
      [[tools.permissions.read]]
      pattern = "*"
      action = "allow"`);
    expect(totals).toMatchObject({ calls: 4, same: 1, flipped: 2, approximate: 1, flips: { "allow -> deny": 1, "deny -> allow": 1 } });
    expect(totals.notComparable).toEqual({ "it never reached the rules": 1 });
    expect(rows.map(({ tool, was, now, flips, approximate }) => [tool, was.verdict, now.verdict, flips, approximate])).toEqual([
      ["read", "allow", "deny", true, false],
      ["read", "deny", "allow", true, false],
      ["write", "ask", "ask", false, true],
    ]);
    expect(rows[0]!.now).toMatchObject({ gate: "permissions", why: expect.stringContaining("a.txt") });
    expect(rows[1]!.was).toMatchObject({ gate: "permissions" });
  });

  it("counts the calls of each session by itself", async () => {
    const here = place(RULES);
    for (let session = 0; session < 2; session++) {
      const zeph = await here.runtime();
      for (let n = 0; n < 3; n++) await zeph.call("read", { path: "a.txt" });
      await zeph.close();
    }
    const { rows } = await here.replay(`${RULES}\n[tools]\nmax_tool_calls_per_session = 2`);
    expect(rows.map(({ now }) => now.verdict)).toEqual(["allow", "allow", "deny", "allow", "allow", "deny"]);
    expect(rows[2]!.now).toMatchObject({ gate: "quota", rule: "max_tool_calls_per_session = 2" });
  });

  it("may try a configuration that lies in the workspace", async () => {
    const here = place(RULES);
    const zeph = await here.runtime({ confirm: () => "once" });
    await zeph.call("bash", { command: "true" });
    await zeph.close();
    const config = join(here.work, "new.toml");
    writeFileSync(config, RULES);
    const { rows } = await here.replay(undefined, { config });
    expect(rows.map(({ now, flips }) => [now.gate ?? null, flips])).toEqual([[null, false]]);
  });

  it("begins anew where the session did", async () => {
    const here = place(RULES);
    const zeph = await here.runtime();
    for (let n = 0; n < 5; n++) {
      await zeph.call("read", { path: "a.txt" });
      if (n === 2) zeph.clear();
    }
    await zeph.close();
    const { rows } = await here.replay(`${RULES}\n[tools]\nmax_tool_calls_per_session = 2`);
    expect(rows.map(({ now }) => now.verdict)).toEqual(["allow", "allow", "deny", "allow", "allow"]);
  });

  it("knows what had succeeded before a call", async () => {
    const here = place(RULES);
    const zeph = await here.runtime();
    await zeph.call("find_path", { path: ".", pattern: "*" });
    await zeph.call("read", { path: "a.txt" });
    await zeph.call("find_path", { path: ".", pattern: "*" });
    await zeph.close();
    const { rows } = await here.replay(
      `${RULES}\n[tools.dependencies]\nenabled = true\n[tools.dependencies.rules.find_path]\nrequires = ["read"]`,
    );
    expect(rows.map(({ now }) => [now.verdict, now.gate])).toEqual([
      ["deny", "dependencies"],
      ["allow", undefined],
      ["allow", undefined],
    ]);
  });

  it("knows what a person lifted and unblocked", async () => {
    const rules = `${RULES}\n[tools.scoped]\nenabled = true\ndenied_tools = ["find_path"]`;
    const here = place(rules);
    const zeph = await here.runtime();
    const find = () => zeph.call("find_path", { path: ".", pattern: "*" });
    zeph.governance.approve((await find()).callId);
    expect((await find()).ok).toBe(true);
    expect((await find()).ok).toBe(false);
    for (let n = 0; n < 12; n++) await zeph.callAny("read", { pth: "a.txt" });
    expect((await zeph.call("read", { path: "a.txt" })).decision).toMatchObject({ verdict: "deny", gate: "trust" });
    expect(zeph.governance.unblock("read")).toBe(true);
    expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    await zeph.close();
    const { totals, rows } = await here.replay();
    expect(rows.map(({ tool, now }) => [tool, now.verdict])).toEqual([
      ["find_path", "deny"],
      ["find_path", "allow"],
      ["find_path", "deny"],
      ["read", "deny"],
      ["read", "allow"],
    ]);
    expect(totals).toMatchObject({ calls: 17, same: 5, flipped: 0 });
  });

  it("lives in the time of the log: a blocked tool had come back when the log says it was used again", async () => {
    const here = place(`${RULES}\n[tools.anomaly]\ncooldown_secs = 2`);
    const zeph = await here.runtime();
    for (let n = 0; n < 12; n++) await zeph.callAny("read", { pth: "a.txt" });
    expect((await zeph.call("read", { path: "a.txt" })).decision).toMatchObject({ verdict: "deny", gate: "trust" });
    await expect.poll(() => zeph.governance.blocked()).toEqual([]);
    expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    await zeph.close();
    const { rows } = await here.replay();
    expect(rows.map(({ tool, now }) => [tool, now.verdict])).toEqual([
      ["read", "deny"],
      ["read", "allow"],
    ]);
  });

  it("judges a call from where the shell stood, in the workspace it stood in", async () => {
    const here = place(
      `${RULES}\n[[tools.permissions.write]]\npattern = "**/sub/x.txt"\naction = "deny"\n[[tools.permissions.write]]\npattern = "*"\naction = "allow"`,
    );
    mkdirSync(join(here.work, "sub"));
    const zeph = await here.runtime();
    await zeph.turn(async () => {
      for (const command of ["cd sub", "cat ../a.txt", "echo hi > x.txt", "echo hi > ../x.txt"]) await zeph.call("bash", { command });
    });
    await zeph.close();
    const lines = here.log().filter(({ kind }) => kind === "call");
    const sub = join(here.work, "sub");
    expect(lines.map(({ cwd, outcome }) => [cwd, outcome])).toEqual([
      [here.work, "ok"],
      [sub, "ok"],
      [sub, "denied"],
      [sub, "ok"],
    ]);
    expect((await here.replay()).totals).toMatchObject({ same: 4, flipped: 0 });
  });

  it("opens each folder by itself, and leaves out one that is gone", async () => {
    const here = place(RULES);
    const zeph = await here.runtime();
    await zeph.call("read", { path: "a.txt" });
    await zeph.close();
    const [line] = here.log();
    for (let n = 0; n < 7; n++) {
      const cwd = join(here.root, `other${n}`);
      if (n > 0) mkdirSync(cwd);
      here.add({ ...line, cwd, session_id: `s${n}`, args: { path: join(here.work, "a.txt") } });
    }
    const { totals, rows } = await here.replay();
    expect(totals.notComparable).toEqual({ "its folder is not there any more": 1 });
    // The file lies outside of the other folders.
    expect(rows.map(({ now }) => now.verdict)).toEqual(["allow", "deny", "deny", "deny", "deny", "deny", "deny"]);
  });

  it("does not call milder what a gate that is not heard had decided", async () => {
    const here = place(RULES);
    const common = { kind: "call", ts: "2026-01-01T00:00:00.000Z", cwd: here.work, tool: "read", args: { path: "a.txt" }, session_id: "s" };
    here.add({ ...common, outcome: "denied", gate: "adversarial", rule: "x" });
    here.add({ ...common, outcome: "unanswered", gate: "verifiers", rule: "url grounding" });
    here.add({ ...common, outcome: "denied", gate: "hooks" });
    here.add({ ...common, outcome: "denied", gate: "sentinel", rule: "blocked_sequences[0]" });
    here.add({ ...common, outcome: "denied", gate: "adversarial", args: { path: "secret.txt" } });
    const { totals, rows } = await here.replay();
    expect(totals.notComparable).toEqual({
      "decided by adversarial, which is not asked here": 1,
      "decided by verifiers, which is not asked here": 1,
      "decided by hooks, which is not asked here": 1,
    });
    expect(rows.map(({ was, now }) => [was.verdict, now.verdict])).toEqual([
      ["deny", "allow"],
      ["deny", "deny"],
    ]);
  });

  it("does not compare what was only rehearsed", async () => {
    const here = place(RULES);
    here.add({
      kind: "call",
      ts: "",
      tool: "bash",
      args: { command: "ls", dry_run: true },
      outcome: "ok",
      approved_by: "rules",
      cwd: here.work,
    });
    expect((await here.replay()).totals.notComparable).toEqual({ "it was a dry run": 1 });
  });

  it("counts what is no entry, and goes on", async () => {
    const here = place(RULES);
    const zeph = await here.runtime();
    await zeph.call("read", { path: "a.txt" });
    await zeph.close();
    appendFileSync(here.audit, '{"kind":"call","ts":"2026\nnot json\n{"some":"thing"}\n[]\nnull\n');
    here.add({ kind: "call", ts: 7, tool: null, args: "x", outcome: "ok", approved_by: "rules", session_id: "s", cwd: here.work });
    const { totals } = await here.replay();
    expect(totals).toMatchObject({ calls: 2, same: 1, entries: 2, unreadable: 5 });
  });

  it("stops when it is told to", async () => {
    const here = place(RULES);
    for (let n = 0; n < 50; n++)
      here.add({ kind: "call", ts: "", tool: "read", args: { path: "a.txt" }, outcome: "ok", approved_by: "rules", cwd: here.work });
    const stop = new AbortController();
    const { totals } = await here.replay(RULES, { signal: stop.signal, each: () => stop.abort() });
    expect(totals).toMatchObject({ calls: 1, stopped: true });
  });

  it("changes nothing: neither log nor store nor workspace", async () => {
    const here = place(RULES);
    const zeph = await here.runtime({ confirm: () => "once" });
    await zeph.call("write", { path: "b.txt", content: "b" });
    await zeph.call("bash", { command: "touch c.txt" });
    await zeph.close();
    rmSync(join(here.work, "b.txt"));
    rmSync(join(here.work, "c.txt"));
    const before = here.fingerprint();
    await here.replay(`autonomy = "full"`);
    expect(here.fingerprint()).toBe(before);
    // Where no log is written one is not begun either.
    const store = `store.path=${join(here.root, "state", "zeph.db")}`;
    await here.replay(RULES, { set: [store, `audit.path=${join(here.root, "state", "other.jsonl")}`] });
    expect(here.fingerprint()).toBe(before);
  });

  it("throws what is wrong with the rules to be tried", async () => {
    const here = place(RULES);
    here.add({ kind: "call", ts: "", tool: "read", args: { path: "a.txt" }, outcome: "ok", approved_by: "rules", cwd: here.work });
    await expect(here.replay(`autonomi = "full"`)).rejects.toThrow(/new\.toml:1.*autonomi/);
  });
});

const RULES = `
[[tools.permissions.read]]
pattern = "**/secret.txt"
action = "deny"
[[tools.permissions.read]]
pattern = "*"
action = "allow"`;

const CALLS: readonly (readonly [string, unknown])[] = [
  ["read", { path: "a.txt" }],
  ["read", { path: "secret.txt" }],
  ["read", { path: "/etc/passwd" }],
  ["read", {}],
  ["find_path", { path: ".", pattern: "*" }],
  ["write", { path: "b.txt", content: "b" }],
  ["write", { path: "../c.txt", content: "c" }],
  ["bash", { command: "echo hi" }],
  ["bash", { command: "rm b.txt" }],
  ["bash", { command: "sudo id" }],
  ["bash", { command: "cat 'a" }],
  ["fetch", { url: "http://127.0.0.1:1/" }],
  ["memory_save", { content: "a fact" }],
  ["nope", {}],
];
const ANSWERS = ["once", "session", "no", null] as const;

interface Place {
  readonly root: string;
  readonly work: string;
  readonly audit: string;
  runtime(options?: RuntimeOptions): Promise<Zeph>;
  /** Under these rules, or those the calls were made with. */
  replay(toml?: string, options?: Partial<ReplayOptions>): Promise<{ totals: ReplayTotals; rows: Replayed[] }>;
  log(): AuditEntry[];
  add(line: object): void;
  fingerprint(): string;
}

/** A folder with a configuration, a log and a store of its own. */
function place(rules: string): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-replay-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [work, state, audit] = [join(root, "work"), join(root, "state"), join(root, "state", "audit.jsonl")];
  for (const folder of [work, state]) mkdirSync(folder);
  for (const name of ["a.txt", "secret.txt"]) writeFileSync(join(work, name), name);
  const old = join(root, "old.toml");
  writeFileSync(old, rules);
  const set = [`store.path=${join(state, "zeph.db")}`, `audit.path=${audit}`];
  return {
    root,
    work,
    audit,
    runtime: (options) => createRuntime({ cwd: work, config: old, set, ...options }),
    async replay(toml, options = {}) {
      const config = join(root, "new.toml");
      writeFileSync(config, toml ?? rules);
      const rows: Replayed[] = [];
      const totals = await replayLog({
        cwd: work,
        config,
        set,
        audit,
        signal: new AbortController().signal,
        isFolder: (path) => exists(path),
        each: (call) => void rows.push(call),
        progress() {},
        warn() {},
        ...options,
      });
      return { totals: totals!, rows };
    },
    log: () =>
      readFileSync(audit, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    add: (line) => appendFileSync(audit, `${JSON.stringify(line)}\n`),
    fingerprint: () =>
      [
        createHash("sha256").update(readFileSync(audit)).digest("hex"),
        contents(join(state, "zeph.db")),
        listing(work),
        // The log of the database comes and goes with whoever has it open.
        listing(state).replaceAll(/ zeph\.db-(?:shm|wal)/g, ""),
      ].join("\n"),
  };
}

/** Every row of every table. */
function contents(file: string): string {
  const db = new DatabaseSync(file, { readOnly: true });
  const names = db.prepare("select name from sqlite_master where type = 'table' order by name").all() as { name: string }[];
  const rows = names.map(({ name }) => [name, db.prepare(`select * from "${name}"`).all()]);
  db.close();
  return JSON.stringify(rows);
}

const exists = (path: string): boolean => {
  try {
    return listing(path) !== "";
  } catch {
    return false;
  }
};
const listing = (path: string): string => `${readdirSync(path).sort().join(" ")};`;
