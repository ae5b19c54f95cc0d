import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LiveSource, LoggedLine, TriedRules, WatchSources } from "../../src/front/watch/watch-sources.ts";
import { createAgent, createRuntime, type RuntimeOptions, scriptModel, type Zeph } from "../../src/index.ts";
import { openWatchSources } from "../../src/runtime/watch/open-sources.ts";
import type { MemorySources } from "./memory-sources.ts";
import { openClient } from "./watch-client.ts";

const NOBODY: LiveSource = {
  runs: () => [],
  questions: async () => [],
  answer: async () => ({ counts: false, why: "nobody asks" }),
  follow: () => () => {},
};
const RULES = `
[[tools.permissions.read]]
pattern = "**/secret.txt"
action = "deny"
[[tools.permissions.read]]
pattern = "*"
action = "allow"
`;

interface Place {
  readonly work: string;
  readonly audit: string;
  readonly state: string;
  readonly settings: Pick<RuntimeOptions, "cwd" | "config" | "set">;
  runtime(options?: RuntimeOptions): Promise<Zeph>;
  sources(): Promise<WatchSources>;
}

function place(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-watch-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [work, state] = [join(root, "work"), join(root, "state")];
  mkdirSync(work);
  mkdirSync(state);
  writeFileSync(join(work, "a.txt"), "a\n");
  writeFileSync(join(work, "secret.txt"), "s\n");
  const config = join(root, "config.toml");
  writeFileSync(config, RULES);
  const audit = join(state, "audit.jsonl");
  const set = [`store.path=${join(state, "zeph.db")}`, `audit.path=${audit}`, "tools.sandbox.enabled=false"];
  return {
    work,
    audit,
    state,
    settings: { cwd: work, config, set },
    runtime: (options) => createRuntime({ cwd: work, config, set, ...options }),
    async sources() {
      const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory();
      const sources = await openWatchSources({ cwd: work, settings: { config, set }, live: NOBODY, isFolder });
      onTestFinished(() => sources.close());
      return sources;
    },
  };
}
const ALL = { from: 0, limit: 100 };
const tried = (found: TriedRules | { readonly problem: string }) => found as TriedRules;
const idsOf = (lines: readonly LoggedLine[]) => lines.map(({ entry }) => entry.call_id);

describe("what the pages are given", () => {
  it("is what happened: calls, why they were refused, what was kept of them", async () => {
    const here = place();
    const zeph = await here.runtime({ confirm: () => "once" });
    await zeph.call("read", { path: "a.txt" });
    await zeph.call("read", { path: "secret.txt" });
    await zeph.call("bash", { command: "seq 1 60000" });
    await zeph.close();
    const { log, kept } = await here.sources();
    const page = await log.find(ALL);
    expect(page.total).toBe(3);
    expect(page.calls.map(({ entry }) => [entry.tool, entry.outcome])).toEqual([
      ["bash", "ok"],
      ["read", "denied"],
      ["read", "ok"],
    ]);
    const id = page.calls[0]!.entry.call_id!;
    const call = await log.call(id);
    expect(call?.lines.map(({ entry }) => entry.kind)).toEqual(["intent", "call"]);
    expect(call?.around).toHaveLength(3);
    expect(call?.kept.every(({ callId }) => callId === id)).toBe(true);
    expect(call?.kept.length).toBeGreaterThan(0);
    const text = await kept.text(call!.kept[0]!.id);
    expect(text).toMatchObject({ entry: call!.kept[0], text: expect.stringContaining("59999") });
    expect(await kept.text("00000000-0000-4000-8000-000000000000")).toBeNull();
    expect((await kept.totals()).texts).toBe(call!.kept.length);
    expect(await log.totals()).toMatchObject({ calls: 3, sessions: 1, outcomes: { ok: 2, denied: 1 } });
    expect(statSync(join(here.state, readdirSync(here.state).find((name) => name.endsWith(".index"))!)).mode & 0o777).toBe(0o600);
  });

  it("judges a past call by the rules of now, and says when it cannot", async () => {
    const here = place();
    const zeph = await here.runtime();
    await zeph.call("read", { path: "secret.txt" });
    await zeph.close();
    const { log, rules } = await here.sources();
    const { entry } = (await log.find(ALL)).calls[0]!;
    const judged = await log.judge(entry);
    expect(judged).toMatchObject({ verdict: "deny" });
    expect("gates" in judged && judged.gates.find(({ gate }) => gate === "permissions")).toMatchObject({ said: "deny" });
    expect(await log.judge({ ...entry, toolset: "mcp:files" })).toMatchObject({ problem: expect.stringContaining("MCP server") });
    expect(await log.judge({ ...entry, args: { path: "x… (900 characters)" } })).toMatchObject({
      problem: expect.stringContaining("too little"),
    });
    expect(await log.judge({ ...entry, session_id: "none", cwd: "/gone" })).toMatchObject({ problem: expect.stringContaining("/gone") });
    expect((await rules.gates()).find(({ gate }) => gate === "permissions")).toMatchObject({ asked: 0, denied: 1 });
    expect((await log.find(ALL)).total).toBe(1);
  });

  it("tries rules: only what differs from the rules of now, equal calls together, and nothing is written", async () => {
    const here = place();
    const zeph = await here.runtime({ confirm: () => "session" });
    for (let n = 0; n < 3; n++) await zeph.call("read", { path: "a.txt" });
    await zeph.call("read", { path: "secret.txt" });
    for (let n = 0; n < 2; n++) await zeph.call("write", { path: "b.txt", content: "x" });
    await zeph.close();
    const { rules } = await here.sources();
    const before = readFileSync(here.audit, "utf8");
    const toml = '[[tools.permissions.read]]\npattern = "**/a.txt"\naction = "deny"\n';
    const found = tried(await rules.tryRules(toml, new AbortController().signal));
    expect(found).toMatchObject({ calls: 6, same: 3, notComparable: {} });
    expect(found.changed).toEqual([
      {
        callId: expect.any(String),
        tool: "read",
        args: { path: "a.txt" },
        times: 3,
        was: "allow",
        would: "deny",
        gate: "permissions",
        rule: expect.stringContaining("a.txt"),
      },
    ]);
    expect(tried(await rules.tryRules("", new AbortController().signal))).toMatchObject({ same: 6, changed: [] });
    expect(readFileSync(here.audit, "utf8")).toBe(before);
  });

  it.each([
    ["[tools\n", /1:\d+: This is not valid TOML/],
    ['\n[[tools.permissions.read]]\npattern = "x"\naction = "perhaps"\n', /^4:/],
    ["nonsense = 1\n", /^1/],
  ])("says where typed rules are wrong: %j", async (toml, where) => {
    const { rules } = await place().sources();
    const found = await rules.tryRules(toml, new AbortController().signal);
    expect("problem" in found && found.problem).toMatch(where);
  });

  it("reads no file and takes no program for typed rules", async () => {
    const here = place();
    const other = join(here.work, "keys.toml");
    writeFileSync(other, "the password is: correct-horse\n");
    const { rules } = await here.sources();
    const problemOf = async (toml: string) => {
      const found = await rules.tryRules(toml, new AbortController().signal);
      return "problem" in found ? found.problem : "";
    };
    const named = await problemOf(`[tools.policy]\nenabled = true\npolicy_file = ${JSON.stringify(other)}\n`);
    expect(named).toMatch(/^3.*"tools\.policy\.policy_file" cannot be tried here/);
    expect(named).not.toContain("correct-horse");
    expect(await problemOf(`[tools.filters]\nfilters_path = ${JSON.stringify(other)}\n`)).toContain("cannot be tried here");
    expect(await problemOf('[[hooks.pre_tool]]\ncommand = "true"\n')).toMatch(/"hooks" cannot be tried here/);
    expect(await problemOf('[[mcp.servers]]\nname = "x"\ncommand = "true"\n')).toMatch(/"mcp" cannot be tried here/);
  });

  it("shows what was said without secrets, and the ids of its calls as they are", async () => {
    const here = place();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    const agent = await createAgent({
      ...here.settings,
      model: scriptModel([
        [
          { type: "text", text: `I take ${secret}.` },
          { type: "request", request: { id: "call_1", name: "read", args: { path: secret } } },
        ],
        [{ type: "text", text: "Done." }],
      ]),
    });
    await agent.run(`The key is ${secret}.`);
    await agent.close();
    const { conversations, log } = await here.sources();
    const [{ id } = { id: "" }] = await conversations.list(1);
    const messages = await conversations.messages(id, { after: 0, limit: 10 });
    expect(messages.map(({ message }) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(JSON.stringify(messages)).not.toContain(secret);
    expect(JSON.stringify(messages)).toContain((await log.find(ALL)).calls[0]!.entry.call_id);
  });

  it("stops a trial when it is told to", async () => {
    const here = place();
    const zeph = await here.runtime();
    await zeph.call("read", { path: "a.txt" });
    await zeph.close();
    const { rules } = await here.sources();
    expect(await rules.tryRules("", AbortSignal.abort())).toEqual({ problem: "It was stopped." });
  });

  it("checks the chain, and remembers what it found", async () => {
    const here = place();
    const zeph = await here.runtime();
    for (let n = 0; n < 3; n++) await zeph.call("read", { path: "a.txt" });
    await zeph.close();
    const { log } = await here.sources();
    expect(log.lastCheck()).toBeNull();
    expect(await log.verify()).toMatchObject({ intact: true, files: [{ lines: 3 }] });
    writeFileSync(here.audit, readFileSync(here.audit, "utf8").replace('"ok"', '"no"'));
    expect(await log.verify()).toMatchObject({ intact: false });
    expect(log.lastCheck()).toMatchObject({ intact: false });
  });

  it("shows every page with a log into which somebody wrote what no program of ours writes", async () => {
    const here = place();
    const odd = { kind: "call", ts: 12345, call_id: 5, session_id: ["s"], tool: { a: 1 }, outcome: 7, gate: null, caller_id: {}, why: [] };
    const more = {
      objections: "none",
      duration_ms: "long",
      exit_code: [],
      grant: "__proto__",
      args: "deep",
      waiting: "x",
      error: 1,
      reason: {},
      cwd: 3,
      note: 4,
    };
    const lines = [odd, { ...odd, ...more, call_id: "odd-1", session_id: "s1" }, { ...odd, call_id: "odd-2", objections: [null, 1] }];
    const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
    const egress = { kind: "egress", ts: null, host: 4, url: {}, call_id: "odd-1", session_id: "s1", times: "x" };
    writeFileSync(
      here.audit,
      [...lines, egress, null, "x", [], {}].map((line) => `${JSON.stringify(line).replace('"deep"', deep)}\n`).join(""),
    );
    const sources = await here.sources();
    const { page, ...client } = await openClient({ sources: sources as MemorySources });
    await client.enter();
    const paths = ["/", "/log", "/log/odd-1", "/log/odd-2", "/log/5", "/log?format=csv", "/log?q=a", "/report/s1", "/rules"];
    for (const path of paths) expect([path, (await client.ask(path)).status]).toEqual([path, 200]);
    expect((await client.ask("/log")).text).toContain("odd-1");
    await page.close();
  });

  it("tells of calls as they end", async () => {
    const here = place();
    const zeph = await here.runtime();
    await zeph.call("read", { path: "secret.txt" });
    const { log } = await here.sources();
    const told: LoggedLine[] = [];
    onTestFinished(log.follow((calls) => void told.push(...calls)));
    const ended: string[] = [];
    // Whoever follows hears what ends after the first look, whenever that is.
    while (told.length < 2) ended.push((await zeph.call("read", { path: "a.txt" })).callId);
    expect(ended.join(" ")).toContain(idsOf(told).join(" "));
    await zeph.close();
  });

  it("writes notes into the log, without secrets, and lets others write there", async () => {
    const here = place();
    const { note, log, redact } = await here.sources();
    const secret = `ghp_${"a1B2".repeat(9)}`;
    await note(`the page was opened with ${secret}`);
    const zeph = await here.runtime();
    await zeph.call("read", { path: "a.txt" });
    await zeph.close();
    await note("answered");
    const text = readFileSync(here.audit, "utf8");
    expect(text).toContain("the page was opened");
    expect(text).not.toContain(secret);
    expect(redact(secret)).not.toContain(secret);
    expect(readdirSync(here.state).filter((name) => /^audit\..*jsonl$/.test(name))).toEqual(["audit.jsonl"]);
    expect(await log.verify()).toMatchObject({ intact: true, files: [{ lines: 3 }] });
  });

  it("says what is in force, and that there is no conversation yet", async () => {
    const here = place();
    const { facts, conversations } = await here.sources();
    expect(await facts()).toEqual({ workspace: here.work, walls: "none", autonomy: "supervised", policy: "off" });
    expect(await conversations.list(10)).toEqual([]);
    expect(await conversations.get("none")).toBeNull();
  });
});
