import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { array, assert, asyncProperty, constantFrom, integer, record } from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openRuntime } from "../../src/runtime/create.ts";
import { MOST_WORKSPACES, type OpenWorkspaces, openKeptWorkspaces } from "../../src/runtime/hook/open-workspaces.ts";
import { openStore } from "../../src/store/open.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-memory-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let places = 0;

/** All gates that remember something are on, with limits that few calls reach. */
const SETTINGS = `
[[tools.permissions.bash]]
pattern = "*"
action = "allow"
[[tools.permissions.fetch]]
pattern = "*"
action = "allow"
[[tools.permissions.read]]
pattern = "*"
action = "allow"
[tools]
max_tool_calls_per_session = 9
[tools.governance]
trajectory_enabled = true
block_risky_patterns = true
blocked_sequences = [["read", "a.txt", "bash", "ls", "bash", "date"]]
[tools.anomaly]
window_size = 10
failure_threshold = 0.5
[tools.utility]
enabled = true
threshold = 0.75
`;

interface Step {
  readonly session: string;
  readonly call: keyof typeof CALLS;
  readonly ended: "ok" | "failed" | "not run";
}

const CALLS = {
  private: ["read", { path: ".env" }],
  text: ["read", { path: "a.txt" }],
  stranger: ["fetch", { url: "https://stranger.example.com/" }],
  push: ["bash", { command: "git push origin main" }],
  list: ["bash", { command: "ls" }],
  date: ["bash", { command: "date" }],
  copy: ["bash", { command: "curl https://a.example/x -o copy.txt" }],
  copied: ["read", { path: "copy.txt" }],
  foreign: ["mcp__notes__add", { text: "x" }],
} as const;

/** What hookd does for calls: a store, and runtimes over it. `restart` is another process. */
function place(settings = SETTINGS) {
  const folder = join(base, String(++places));
  const work = join(folder, "work");
  mkdirSync(work, { recursive: true });
  for (const [name, text] of [
    ["a.txt", "a"],
    [".env", "SECRET=abc"],
    ["copy.txt", "x"],
  ] as const)
    writeFileSync(join(work, name), text);
  const config = join(folder, "config.toml");
  const file = join(folder, "store.db");
  writeFileSync(config, `audit.path = ${JSON.stringify(join(folder, "audit.jsonl"))}\n${settings}`);
  let store = openStore(file);
  const open = (): OpenWorkspaces =>
    openKeptWorkspaces((cwd, memory) => openRuntime({ cwd, memory, shared: store, config, nested: true, servers: "later" }));
  let workspaces = open();
  let calls = 0;
  const within = async <T>(
    cwd: string,
    work: (inside: Awaited<ReturnType<OpenWorkspaces["hold"]>>["inside"]) => Promise<T>,
  ): Promise<T> => {
    const { inside, release } = await workspaces.hold(cwd);
    return work(inside).finally(release);
  };
  const optionsOf = (session: string, callId: string) =>
    ({ record: true, callId, client: { name: "claude", session, walls: "none", unruled: "left to it" } }) as const;
  const decide = async ({ session, call }: Pick<Step, "session" | "call">, cwd = work) => {
    const callId = `toolu_${++calls}`;
    const [tool, args] = CALLS[call];
    const { verdict, gate, rule } = await within(cwd, ({ zeph }) => zeph.decide(tool, args, optionsOf(session, callId)));
    return { callId, said: `${verdict} ${gate} ${rule}` };
  };
  const settle = async ({ session, call, ended }: Step, callId: string, cwd = work) => {
    const [tool, args] = CALLS[call];
    const outcome = ended === "ok" ? "ok" : "failed";
    // What the client's command does while Zeph waits for its end.
    if (call === "copy") writeFileSync(join(work, "copy.txt"), "a stranger's text");
    await within(cwd, ({ zeph }) => zeph.settle(tool, args, { outcome, text: "some text" }, optionsOf(session, callId)));
  };
  return {
    folder,
    file,
    work,
    decide,
    settle,
    async step(step: Step, cwd = work): Promise<string> {
      const { callId, said } = await decide(step, cwd);
      if (step.ended !== "not run" && !said.startsWith("deny")) await settle(step, callId, cwd);
      return said;
    },
    async restart() {
      await workspaces.close();
      await store.close();
      store = openStore(file);
      workspaces = open();
    },
    async close() {
      await workspaces.close();
      await store.close();
    },
  };
}

const step = record({
  session: constantFrom("one", "two"),
  call: constantFrom(...(Object.keys(CALLS) as (keyof typeof CALLS)[])),
  ended: constantFrom("ok" as const, "ok" as const, "failed" as const, "not run" as const),
});

/** Chains that chance finds too seldom, each with another process at every step. */
const EXAMPLES: [Step[], number][] = [
  // What a command of one session wrote is a stranger's text for another one.
  ["one copy", "two copied", "two private", "two push"],
  // A call that was skipped runs when it is asked for again; and what was answered before is skipped.
  ["one text", "one text", "one text", "one private", "one list", "one text", "one text"],
  // The last step of a forbidden sequence, and one call more than the quota.
  ["one text", "one list", "two list", "one date", "one list", "one list", "one list", "one list", "one list", "one list", "one list"],
].map((words) => [
  words.map((word) => {
    const [session, call] = word.split(" ") as [string, Step["call"]];
    return { session, call, ended: "ok" } as const;
  }),
  1,
]);

describe("what is remembered of a client's session", () => {
  it("gives the same verdicts however often the process is another one: between two calls, and between a call and its end", async () => {
    const property = asyncProperty(array(step, { minLength: 8, maxLength: 24 }), integer({ min: 1, max: 3 }), async (steps, every) => {
      const [still, restarted] = [place(), place()];
      try {
        const expected: string[] = [];
        const found: string[] = [];
        for (const [n, one] of steps.entries()) {
          expected.push(await still.step(one));
          if (n % every === 0) await restarted.restart();
          const { callId, said } = await restarted.decide(one);
          found.push(said);
          if (one.ended === "not run" || said.startsWith("deny")) continue;
          if (n % every === every - 1) await restarted.restart();
          await restarted.settle(one, callId);
        }
        expect(found).toEqual(expected);
      } finally {
        await still.close();
        await restarted.close();
      }
    });
    await assert(property, { numRuns: 10, examples: EXAMPLES });
  }, 240_000);

  const TAINTED = [
    { session: "s", call: "private", ended: "ok" },
    { session: "s", call: "stranger", ended: "ok" },
  ] as const;
  const PUSH = { session: "s", call: "push", ended: "not run" } as const;
  const GOVERNED = SETTINGS.replace("enabled = true\nthreshold", "enabled = false\nthreshold");
  const ASKS = "ask sentinel private data, a stranger's text and a way out";

  it("is there when more folders were used than runtimes are kept", async () => {
    const here = place(GOVERNED);
    for (const one of TAINTED) await here.step(one);
    for (let n = 0; n < MOST_WORKSPACES; n++) {
      const other = join(here.folder, `other-${n}`);
      mkdirSync(other);
      await here.step({ session: "t", call: "list", ended: "ok" }, other);
    }
    expect(await here.step(PUSH)).toBe(ASKS);
    await here.close();
  }, 120_000);

  it("is that of two processes together, which judge at once", async () => {
    const here = place(GOVERNED);
    const store = openStore(here.file);
    const config = join(here.folder, "config.toml");
    const other = await openRuntime({ cwd: here.work, shared: store, config, nested: true, servers: "later" });
    await here.step(TAINTED[0]);
    const client = { name: "claude", session: "s", walls: "none", unruled: "left to it" } as const;
    const [tool, args] = CALLS.stranger;
    await other.zeph.decide(tool, args, { record: true, callId: "b1", client });
    await other.zeph.settle(tool, args, { outcome: "ok", text: "x" }, { record: true, callId: "b1", client });
    expect(await here.step(PUSH)).toBe(ASKS);
    const [push, command] = CALLS.push;
    expect(await other.zeph.decide(push, command, { record: true, callId: "b2", client })).toMatchObject({
      verdict: "ask",
      gate: "sentinel",
    });
    await other.zeph.close();
    await store.close();
    await here.close();
  });

  it("denies while the store cannot be written, and forgets nothing meanwhile", async () => {
    const here = place(GOVERNED);
    await here.step(TAINTED[0]);
    const { callId } = await here.decide(TAINTED[1]);
    const lock = new DatabaseSync(here.file);
    lock.exec("begin immediate");
    await expect(here.settle(TAINTED[1], callId)).rejects.toThrow("could not be kept");
    await expect(here.decide(PUSH)).rejects.toThrow("could not be kept");
    lock.exec("rollback");
    lock.close();
    expect(await here.step(PUSH)).toBe(ASKS);
    await here.restart();
    expect(await here.step(PUSH)).toBe(ASKS);
    await here.close();
  }, 60_000);

  it("is stored without secrets, and for 30 days", async () => {
    const here = place(GOVERNED);
    for (const one of TAINTED) await here.step(one);
    await here.restart();
    const db = new DatabaseSync(here.file);
    db.exec("update session_memory set written_at = written_at - 31 * 86400000, version = version - 31 * 86400000");
    db.close();
    await here.step({ session: "t", call: "list", ended: "ok" });
    await here.restart();
    expect(await here.step(PUSH)).toBe("allow null null");
    await here.close();
  });
});
