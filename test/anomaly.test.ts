import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { defineTool, ToolError, type Toolset, type ZephEvent } from "../src/index.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

/** A tool that does what it is told: work, or fail in one of the ways there are. */
const moody: Toolset = {
  id: "moody",
  list: () => [
    defineTool({
      name: "moody",
      description: "",
      effect: "reads",
      input: z.strictObject({ mood: z.enum(["good", "server_error", "permanent_failure"]) }),
      touches: () => [],
      async run({ input }) {
        if (input.mood === "good") return { text: "done" };
        throw new ToolError(input.mood, "It failed.");
      },
    }),
  ],
};

async function open(tools: object = {}) {
  const events: ZephEvent[] = [];
  const zeph = await place.runtime({
    toolsets: [moody],
    onEvent: (event) => void events.push(event),
    config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { retry: { max_attempts: 0 }, ...tools } },
  });
  const times = async (n: number, tool: string, args: object) => {
    const outcomes = [];
    for (let done = 0; done < n; done++) outcomes.push(await zeph.call(tool, args));
    return outcomes;
  };
  const warnings = () => events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
  const gateOf = (name: string) => zeph.governance.gates().find(({ gate }) => gate === name)!;
  return { zeph, times, warnings, gateOf };
}

describe("a tool that keeps failing", () => {
  it("is refused by trust with one Critical warning, and used again after unblock", async () => {
    const { zeph, times, warnings, gateOf } = await open();
    await times(10, "moody", { mood: "server_error" });
    expect(warnings()).toEqual([expect.stringMatching(/^Critical: moody failed in 10 of its last 10 calls \(100 %\).*`\/unblock moody`/)]);
    expect(await zeph.call("moody", { mood: "good" })).toMatchObject({
      ok: false,
      error: {
        category: "policy_blocked",
        message:
          "moody failed too often and is not used for now. It comes back by itself in 10 minutes, or at once when the user types /unblock moody.",
      },
      decision: { verdict: "deny", gate: "trust", rule: "untrusted tool", why: expect.stringContaining("/unblock moody") },
    });
    await times(20, "moody", { mood: "good" });
    expect(warnings()).toHaveLength(1);
    expect(gateOf("anomaly").state).toContain("blocked: moody");
    // What was left of the session begins anew; trust does not.
    zeph.clear();
    expect(await zeph.call("moody", { mood: "good" })).toMatchObject({ ok: false });
    expect(zeph.governance.unblock("moody")).toBe(true);
    expect(zeph.governance.unblock("moody")).toBe(false);
    expect(await zeph.call("moody", { mood: "good" })).toMatchObject({ ok: true });
    // It is judged by what it does from now on.
    await times(7, "moody", { mood: "server_error" });
    expect(await zeph.call("moody", { mood: "good" })).toMatchObject({ ok: true });
    expect(warnings()).toHaveLength(1);
    await zeph.close();
  });

  it("counts arguments that do not fit, and no names of tools that do not exist", async () => {
    const { zeph, times, warnings, gateOf } = await open();
    await times(30, "no_such_tool", {});
    expect(warnings()).toEqual([]);
    await times(10, "read", { wrong: 1 });
    expect(warnings()).toEqual([expect.stringContaining("Critical: read failed in 10 of its last 10 calls")]);
    expect(gateOf("anomaly").state).not.toContain("no_such_tool");
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: false, decision: { gate: "trust" } });
    // One tool's failures are not another's.
    expect(await zeph.call("list_directory", { path: "." })).toMatchObject({ ok: true });
    await zeph.close();
  });

  it("counts no refusal: not by a rule, not by a quota, and not because nobody answered", async () => {
    const denied = {
      permissions: {
        read: [
          { pattern: "**/b.txt", action: "deny" },
          { pattern: "*", action: "allow" },
        ],
        write: [{ pattern: "*", action: "ask" }],
      },
    };
    const { zeph, times, warnings } = await open(denied);
    await times(20, "write", { path: "b.txt", content: "x" });
    for (const { ok } of await times(20, "read", { path: "b.txt" })) expect(ok).toBe(false);
    for (const { ok } of await times(20, "read", { path: "/etc/passwd" })) expect(ok).toBe(false);
    expect(warnings()).toEqual([]);
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({ ok: true });
    await zeph.close();
    const used = await open({ max_tool_calls_per_session: 1 });
    await used.times(30, "moody", { mood: "good" });
    expect(used.warnings()).toEqual([]);
    await used.zeph.close();
  });

  it("comes back by itself when cooldown_secs are over, with a clean count, and the model is told how and when", async () => {
    const { zeph, times, gateOf } = await open({ anomaly: { cooldown_secs: 2 } });
    await times(10, "moody", { mood: "server_error" });
    const refused = await zeph.call("moody", { mood: "good" }, { phase: "executor" });
    if (refused.ok) throw new Error("A blocked tool was used.");
    expect(refused.error.message).toMatch(/comes back by itself in \d seconds?, or at once when the user types \/unblock moody/);
    expect(refused.error.advice).toMatch(/may be called again in \d seconds?/);
    expect(zeph.governance.blocked()).toEqual(["moody"]);
    await expect.poll(() => zeph.governance.blocked()).toEqual([]);
    expect(gateOf("anomaly").state).not.toContain("blocked");
    expect(gateOf("trust").state).toBe("on");
    expect(await zeph.call("moody", { mood: "good" })).toMatchObject({ ok: true });
    await times(8, "moody", { mood: "server_error" });
    expect(await zeph.call("moody", { mood: "good" })).toMatchObject({ ok: true });
    // It is blocked again when it fails as often again.
    await times(12, "moody", { mood: "server_error" });
    expect(await zeph.call("moody", { mood: "good" })).toMatchObject({ ok: false, decision: { gate: "trust" } });
    await zeph.close();
  });

  it("never counts a command that ran, whatever its exit code", async () => {
    const { zeph, times, warnings } = await open({
      sandbox: { enabled: false },
      permissions: { bash: [{ pattern: "*", action: "allow" }] },
    });
    for (const command of ["exit 1", "exit 126", "cat /nowhere/at/all", "no-such-command-anywhere"]) {
      const outcomes = await times(6, "bash", { command });
      for (const { output } of outcomes) expect(output?.exitCode).toBeGreaterThan(0);
    }
    expect(warnings().filter((message) => message.startsWith("Critical"))).toEqual([]);
    expect(await zeph.call("bash", { command: "true" })).toMatchObject({ ok: true });
    await zeph.close();
  });

  it("stays in use when auto_block is off, and nobody looks when anomaly is", async () => {
    const warns = await open({ anomaly: { auto_block: false } });
    await warns.times(20, "moody", { mood: "permanent_failure" });
    expect(warns.warnings()).toHaveLength(1);
    expect(await warns.zeph.call("moody", { mood: "good" })).toMatchObject({ ok: true });
    const off = await open({ anomaly: { enabled: false } });
    await off.times(20, "moody", { mood: "permanent_failure" });
    expect([off.warnings(), off.gateOf("anomaly").state]).toEqual([[], "off"]);
    await warns.zeph.close();
    await off.zeph.close();
  });

  it("is told about once when many calls end together", async () => {
    const { zeph, warnings } = await open();
    await Promise.all(Array.from({ length: 100 }, () => zeph.call("moody", { mood: "server_error" })));
    expect(warnings()).toHaveLength(1);
    await zeph.close();
  });
});

it("wrong arguments are counted under the name a tool has, whatever it was called by", async () => {
  const { zeph, times, warnings } = await open();
  await times(10, "glob", { wrong: 1 });
  expect(warnings()).toEqual([expect.stringContaining("find_path failed in 10 of its last 10 calls")]);
  expect(await zeph.call("glob", { path: ".", pattern: "*" })).toMatchObject({ ok: false, decision: { gate: "trust" } });
  expect([zeph.governance.unblock("glob"), zeph.governance.unblock("glob")]).toEqual([true, false]);
  expect(place.audit()).toContain("Critical: find_path failed");
  await zeph.close();
});

it("a tool is held to the trust of whoever brings it, and the log says so", async () => {
  const bring = (id: string, trust: "untrusted" | "provisional"): Toolset => ({
    id,
    trust,
    list: () => [
      defineTool({
        name: `${id}_send`,
        description: "",
        effect: "writes",
        input: z.strictObject({}),
        touches: () => [],
        run: async () => ({ text: "sent" }),
      }),
    ],
  });
  const zeph = await place.runtime({
    toolsets: [bring("stranger", "untrusted"), bring("guest", "provisional")],
    config: {
      audit: { path: join(place.state, "audit.jsonl") },
      tools: { permissions: { guest_send: [{ pattern: "*", action: "allow" }] } },
    },
    confirm: () => "once",
  });
  expect(await zeph.call("stranger_send", {})).toMatchObject({ ok: false, decision: { gate: "trust", rule: "untrusted toolset" } });
  expect(await zeph.call("guest_send", {})).toMatchObject({ ok: true, decision: { by: "user", gate: "trust" } });
  await zeph.close();
  const lines = place.audit().trim().split("\n");
  expect(lines.map((line) => JSON.parse(line)).filter(({ tool, kind }) => kind === "call" && /_send$/.test(tool ?? ""))).toMatchObject([
    { tool: "stranger_send", trust: "untrusted", outcome: "denied" },
    { tool: "guest_send", trust: "provisional", outcome: "ok" },
  ]);
});
