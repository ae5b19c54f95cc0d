import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../src/config/load.ts";
import { HOOK_EVENTS } from "../src/host/hooks.ts";
import type { ZephEvent } from "../src/index.ts";
import { type Workspace, workspace } from "./workspace.ts";

let place: Workspace;
beforeEach(() => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
});
afterEach(() => place.remove());

async function writing(hooks: object) {
  const warnings: string[] = [];
  const zeph = await place.runtime({
    config: {
      audit: { path: join(place.state, "audit.jsonl") },
      tools: { permissions: { write: [{ pattern: "*", action: "allow" }] } },
      hooks,
    },
    onEvent: (event: ZephEvent) => void (event.type === "warning" && warnings.push(event.message)),
  });
  const outcome = await zeph.call("write", { path: "b.txt", content: "b" });
  await zeph.close();
  return { outcome, warnings, written: existsSync(join(place.work, "b.txt")) };
}

describe("A pre_tool hook that fails denies the call", () => {
  it.each([
    ["a missing file", { command: "./no-such-hook" }],
    ["a time limit", { command: "sleep 9", timeout_ms: 50 }],
    ["a crash", { command: "kill -9 $$" }],
  ])("by %s", async (_what, hook) => {
    const { outcome, written } = await writing({ pre_tool: [hook] });
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" }, decision: { verdict: "deny", gate: "hooks" } });
    expect(written).toBe(false);
  });
  it("unless it is set to warn", async () => {
    const { outcome, warnings } = await writing({ pre_tool: [{ command: "./no-such-hook", on_error: "warn" }] });
    expect([outcome.ok, warnings.length]).toEqual([true, 1]);
  });
});

describe("A hook that is told afterwards", () => {
  it.each(["post_tool", "file_changed"])("keeps the result back when %s fails and is set to deny", async (event) => {
    const { outcome, written } = await writing({ [event]: [{ command: "exit 1", on_error: "deny" }] });
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" }, decision: { verdict: "allow" } });
    expect(outcome.output).toBeUndefined();
    expect(written).toBe(true);
    expect(place.audit()).toContain("withheld");
  });
  it.each(["post_tool", "file_changed"])("only warns when %s fails", async (event) => {
    const { outcome, warnings } = await writing({ [event]: [{ command: "exit 1" }] });
    expect([outcome.ok, warnings.length]).toEqual([true, 1]);
  });
});

it("A hook's match that is no glob is found when the configuration is read", () => {
  expect(() => parseConfig({ hooks: { pre_tool: [{ command: "true", match: "{a,b" }] } })).toThrow(/glob/);
});

describe("A hook is told what the results of its turn named", () => {
  const told = (text: string) =>
    text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { event: string; tool?: string; parsed: { urls: string[]; paths: string[]; json: unknown[] } });
  const open = (hooks: object) =>
    place.runtime({ config: { tools: { permissions: { bash: [{ pattern: "*", action: "allow" }] } }, hooks } });

  it("addresses, paths and JSON, from call to call and not beyond the turn", async () => {
    const log = join(place.work, "..", "hooks.log");
    const append = { command: `tr -d '\\n' >> '${log}'; echo >> '${log}'` };
    const zeph = await open({ pre_tool: [append] });
    await zeph.turn(async () => {
      await zeph.call("bash", { command: "echo 'see https://a.example/x?q=1, and src/a.ts'; echo '{\"port\": 80}'; echo 5" });
      await zeph.call("read", { path: "a.txt" });
    });
    await zeph.call("read", { path: "a.txt" });
    await zeph.close();
    const [first, second, next] = told(readFileSync(log, "utf8"));
    const nothing = { urls: [], paths: [], json: [] };
    expect(first).toMatchObject({ event: "pre_tool", tool: "bash", parsed: nothing });
    expect(second).toMatchObject({
      tool: "read",
      parsed: { urls: ["https://a.example/x?q=1"], paths: ["src/a.ts"], json: [{ port: 80 }] },
    });
    expect(next).toMatchObject({ event: "pre_tool", parsed: nothing });
  });
  it("after a call also what that call returned", async () => {
    const log = join(place.work, "..", "hooks.log");
    const zeph = await open({ post_tool: [{ command: `cat > '${log}'` }] });
    await zeph.call("bash", { command: "echo '[1, 2]'" });
    await zeph.close();
    expect(told(readFileSync(log, "utf8"))[0]).toMatchObject({ event: "post_tool", parsed: { json: [[1, 2]] } });
  });
});

describe("What a call holds is data for every hook, and never a part of a command line", () => {
  /** Each would leave a file behind if a shell read it. */
  const HOSTILE = [
    "$(touch pwned)",
    "`touch pwned`",
    "'; touch pwned; '",
    '"; touch pwned; "',
    "a\ntouch pwned\n",
    "--\u202e${IFS}|touch pwned",
    '{"event":"pre_tool"}',
  ];

  it("file names, texts, commands and folders with quotes, substitutions and line ends", async () => {
    const log = join(place.work, "..", "hostile.log");
    // In one go, because hooks write side by side; and without quotes where Zeph itself puts something in.
    const told = { command: `said=$(cat); printf '%s\\n' "$said" >> '${log}'; echo $ZEPH_TURN_ID $ZEPH_SKILL_NAME > /dev/null` };
    const zeph = await place.runtime({
      config: {
        autonomy: "full",
        tools: { permissions: { read: [{ pattern: "**/denied*", action: "deny" }] }, shell: { enable_execution_context: true } },
        hooks: Object.fromEntries(HOOK_EVENTS.map((event) => [event, [told]])),
      },
    });
    const names = HOSTILE.map((text) => text.replaceAll("/", "_"));
    for (const name of names) {
      await zeph.turn(async () => {
        await zeph.call("write", { path: name, content: name });
        await zeph.call("read", { path: `denied ${name}` });
        await zeph.call("bash", { command: `printf %s ${quoted(name)}; mkdir -p ${quoted(`d${name}`)}; cd ${quoted(`d${name}`)}` });
        await zeph.call("bash", { command: "cd .." });
        await zeph.call(name, { [name]: name });
      });
    }
    // A hook that nobody waits for may still write.
    const events = () =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Told);
    await expect.poll(() => events().filter(({ event }) => event === "turn_complete").length).toBe(names.length);
    await zeph.close();
    const all = events();
    expect([...new Set(all.map(({ event }) => event))].sort()).toEqual([...HOOK_EVENTS].sort());
    expect(all.filter(({ event }) => event === "file_changed").map(({ paths }) => paths?.[0])).toEqual(expect.arrayContaining(names));
    const left = readdirSync(place.work, { recursive: true }).map(String);
    expect(left.filter((name) => name === "pwned" || name.endsWith("/pwned"))).toEqual([]);
  });

  interface Told {
    readonly event: string;
    readonly paths?: readonly string[];
  }
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
});
