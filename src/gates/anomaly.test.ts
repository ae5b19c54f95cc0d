import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../core/call.ts";
import { CATEGORIES, type Category, ToolError } from "../core/error.ts";
import type { Decision } from "../core/gate/verdict.ts";
import type { Outcome } from "../core/layer.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { defineTool } from "../core/tool.ts";
import { type AnomalyConfig, anomalyConfig, anomalyMemory, createAnomalyGate } from "./anomaly.ts";
import { missedVerdict, toolVerdict as verdictOf } from "./anomaly-failure.ts";

const toolVerdict = (outcome: Outcome) => verdictOf(outcome, "brought");

const turn = createSession().current({ phase: "executor" });
const callOf = (name = "probe") => {
  const tool = defineTool({ name, description: "", effect: "reads", input: z.strictObject({}), touches: () => [], run: async () => OUT });
  return ToolCall.parse(ToolRequest.from({ id: "1", name, args: {} })!, new Map([[name, tool]])) as ToolCall;
};
const OUT = { text: "" };
const allow: Decision = { verdict: "allow", by: "rules" };
const good: Outcome = { ok: true, callId: "1", output: OUT, grant: { kind: "preapproved" }, decision: allow, cached: false };
const bad = (category: Category, decision: Decision = allow, exitCode?: number): Outcome => ({
  ok: false,
  callId: "1",
  error: new ToolError(category, "x"),
  decision,
  ...(exitCode !== undefined && { output: { text: "", exitCode } }),
});
const by = (gate: string, person?: string): Outcome =>
  bad("policy_blocked", { verdict: "deny", gate, why: "no", ...(person && { by: person }) });

function open(config: Partial<AnomalyConfig> = {}, memory = anomalyMemory()) {
  const warned: string[] = [];
  const blocked: string[] = [];
  const parts = {
    from: () => "brought" as const,
    block: (tool: string) => void blocked.push(tool),
    warn: (message: string) => void warned.push(message),
    now: Date.now,
  };
  const gate = createAnomalyGate({ ...anomalyConfig().parse({}), ...config }, parts, memory);
  const feed = (outcomes: string, name = "probe") => {
    for (const one of outcomes) gate.settled!(callOf(name), one === "x" ? bad("server_error") : good, turn);
  };
  return { gate, warned, blocked, memory, feed };
}

describe("what is a tool's failure", () => {
  it("is no answer of a tool of ours: a file that is not there", () => {
    expect(verdictOf(bad("permanent_failure"), "built in")).toBe("says nothing");
    expect(verdictOf(bad("network_error"), "built in")).toBe("failed");
  });
  it.each([
    ["rate_limited", "failed"],
    ["server_error", "failed"],
    ["network_error", "failed"],
    ["timeout", "failed"],
    ["permanent_failure", "failed"],
    ["invalid_parameters", "failed"],
    ["type_mismatch", "failed"],
    ["policy_blocked", "says nothing"],
    ["tool_not_found", "says nothing"],
    ["confirmation_required", "says nothing"],
    ["cancelled", "says nothing"],
  ] as const)("%s: %s", (category, expected) => {
    expect(toolVerdict(bad(category))).toBe(expected);
    // A command that ran has worked, whatever the exit code was taken for.
    if (category !== "cancelled") expect(toolVerdict(bad(category, allow, 1))).toBe("worked");
  });
  it("every category is decided", () => {
    for (const category of Object.keys(CATEGORIES) as Category[]) expect(["failed", "says nothing"]).toContain(toolVerdict(bad(category)));
  });
  it("a command that reached its time limit, was not found or exited non-zero has run", () => {
    expect(toolVerdict(bad("timeout", allow, 124))).toBe("worked");
    expect(toolVerdict(bad("permanent_failure", allow, 127))).toBe("worked");
    expect(toolVerdict({ ...good, output: { text: "", exitCode: 1 } })).toBe("worked");
    expect(toolVerdict(bad("cancelled", allow, 130))).toBe("says nothing");
  });
  it("is no refusal, whether by a rule, a wall or a person", () => {
    const gates = "blocklist files scope scoped dependencies quota policy authorization adversarial trust permissions walls verifiers";
    for (const gate of [...gates.split(" "), "sentinel", "utility", "hooks"])
      expect([gate, toolVerdict(by(gate))]).toEqual([gate, "says nothing"]);
    expect(toolVerdict(by("permissions", "user"))).toBe("says nothing");
    expect(toolVerdict(bad("policy_blocked"))).toBe("says nothing");
  });
  it("of calls that never reached the door only wrong arguments count", () => {
    const none: Decision = { verdict: "none" };
    const counted = (Object.keys(CATEGORIES) as Category[]).filter((category) => missedVerdict(bad(category, none)) === "failed");
    expect(counted).toEqual(["invalid_parameters", "type_mismatch"]);
  });
});

describe("a tool that fails", () => {
  it("is judged from ten calls on, strictly above the threshold", () => {
    const nine = open();
    nine.feed("xxxxxxxxx");
    expect(nine.blocked).toEqual([]);
    nine.feed("x");
    expect(nine.blocked).toEqual(["probe"]);
    const seven = open();
    seven.feed("...xxxxxxx");
    expect([seven.blocked, seven.warned]).toEqual([[], []]);
    seven.feed("x");
    expect(seven.blocked).toEqual(["probe"]);
  });
  it("is told about once, with its name, the rate and what to do", () => {
    const { feed, warned, blocked, gate } = open();
    feed("..xxxxxxxx");
    feed("xxx");
    expect(blocked).toEqual(["probe"]);
    expect(warned).toEqual([
      "Critical: probe failed in 8 of its last 10 calls (80 %), above tools.anomaly.failure_threshold = 0.7. It is not used for 10 minutes (tools.anomaly.cooldown_secs). Find out why; `/unblock probe` brings it back at once.",
    ]);
    gate.forget("probe");
    feed("xxxxxxxxxx");
    expect([blocked.length, warned.length]).toEqual([2, 2]);
  });
  it("without auto_block is only told about, each time it comes above the threshold anew", () => {
    const { feed, warned, blocked } = open({ auto_block: false, window_size: 10 });
    feed("xxxxxxxxxxxx");
    expect(warned).toEqual([expect.stringContaining("It is still used")]);
    feed(".......");
    feed("xxxxxxxxxx");
    expect([warned.length, blocked]).toEqual([2, []]);
  });
  it("is blocked when auto_block comes with a reload, and a smaller window looks at the last calls only", () => {
    const first = open({ auto_block: false });
    first.feed("xxxxxxxxxxx");
    const second = open({}, first.memory);
    second.feed("x");
    expect([second.blocked, second.warned.length]).toEqual([["probe"], 1]);
    const before = open({ window_size: 100 });
    before.feed("x".repeat(10).padEnd(60, "."));
    const after = open({ window_size: 10, failure_threshold: 0 }, before.memory);
    after.feed(".");
    expect([after.blocked, after.gate.judge(callOf(), turn)]).toEqual([[], { kind: "pass" }]);
  });
  it("is not made better or worse by others, nor by what says nothing about it", () => {
    const { gate, feed, blocked } = open();
    feed("xxxxxxxxx");
    feed(".".repeat(50), "other");
    for (let n = 0; n < 50; n++) gate.settled!(callOf(), by("quota"), turn);
    expect(blocked).toEqual([]);
    gate.missed("probe", bad("invalid_parameters", { verdict: "none" }));
    expect(blocked).toEqual(["probe"]);
  });
  it("is shown in the pass rule and the state", () => {
    const { gate, feed } = open();
    expect([gate.judge(callOf(), turn), gate.state!()]).toEqual([{ kind: "pass" }, "window 20, threshold 0.7, blocks"]);
    feed(".....xxxxxx");
    expect(gate.judge(callOf(), turn)).toEqual({ kind: "pass", rule: "6 of 11 failed" });
    expect(gate.state!()).toBe("window 20, threshold 0.7, blocks; failing: probe 55 %");
    feed("xxxxxxxxxx");
    expect(gate.state!()).toBe("window 20, threshold 0.7, blocks; blocked: probe");
  });
});

it("switched off, nothing is counted, and a tool can still be forgotten", () => {
  const on = open();
  on.feed("xxxxx");
  const off = open({ enabled: false }, on.memory);
  expect(off.gate.settled).toBeUndefined();
  expect([off.gate.state!(), on.memory.windows.size]).toEqual(["off", 1]);
  off.gate.forget("probe");
  expect(on.memory.windows.size).toBe(0);
});

it("a thousand tools are kept, those that were called last", () => {
  const { gate, memory } = open();
  for (let n = 0; n < 1500; n++) gate.missed(`tool${n}`, bad("type_mismatch", { verdict: "none" }));
  expect([memory.windows.size, memory.windows.has("tool499"), memory.windows.has("tool500")]).toEqual([1000, false, true]);
});

it("blocks exactly when more than the threshold of the last calls failed, however they are mixed", () => {
  const given = fc.record({
    size: fc.integer({ min: 10, max: 40 }),
    threshold: fc.double({ min: 0, max: 1, noNaN: true }),
    calls: fc.array(fc.boolean(), { maxLength: 100 }),
  });
  fc.assert(
    fc.property(given, ({ size, threshold, calls }) => {
      const { feed, blocked } = open({ window_size: size, failure_threshold: threshold });
      const expected = calls.some((_, at) => {
        const last = calls.slice(Math.max(0, at + 1 - size), at + 1);
        return last.length >= 10 && last.filter((failed) => failed).length / last.length > threshold;
      });
      feed(calls.map((failed) => (failed ? "x" : ".")).join(""));
      expect(blocked).toEqual(expected ? ["probe"] : []);
    }),
    { numRuns: 100 },
  );
});

it.each([["failure_threshold"], ["window_size"]])("%s must be a number that means something", (key) => {
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, -1, "0.5"])
    expect(anomalyConfig().safeParse({ [key]: value }).success).toBe(false);
});
