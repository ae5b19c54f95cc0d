import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ownFacets } from "../../../test/own-facets.ts";
import { ToolCall } from "../../core/call.ts";
import { ApprovedCall, Door } from "../../core/door.ts";
import { ToolError } from "../../core/error.ts";
import { ONLY_CALLS } from "../../core/gate/gate.ts";
import type { Verdict } from "../../core/gate/verdict.ts";
import type { Outcome } from "../../core/layer.ts";
import { ToolRequest } from "../../core/request.ts";
import { type AnyTool, defineTool, type Effect } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import { isRequested, spoken } from "./requested.ts";
import { componentsOf, type Scorer, score } from "./score.ts";
import { createUtilityGate, type UtilityConfig, utilityConfig, utilityMemory } from "./utility.ts";

const tool = (name: string, effect: Effect, more: Partial<AnyTool> = {}): AnyTool =>
  defineTool({
    name,
    description: "",
    effect,
    facets: ownFacets(name),
    input: z.strictObject({ path: z.string().optional(), query: z.string().optional(), n: z.number().optional() }),
    touches: ({ path }) => (path === undefined ? [] : [{ kind: "path", access: "read", path }]),
    run: async () => ({ text: "" }),
    ...more,
  });
const TOOLS = [
  tool("read", "reads"),
  tool("look", "reads"),
  tool("memory_search", "reads"),
  tool("load_skill", "reads"),
  tool("invoke_skill", "unknown"),
  tool("write", "writes"),
  tool("bash", "runs"),
  tool("fetch", "fetches"),
  tool("memory_save", "stores"),
];
const tools = new Map(TOOLS.map((one) => [one.name, one]));
let ids = 0;
const callOf = (name: string, args: object = {}) => ToolCall.parse(ToolRequest.from({ id: String(++ids), name, args })!, tools) as ToolCall;
const turnOf = (more: Partial<TurnContext> = {}): TurnContext => ({
  sessionId: "s",
  turnId: "t",
  phase: "executor",
  trust: "trusted",
  timestampMs: 1_000_000,
  seen: { untrusted: false },
  conversationId: "c",
  ...more,
});

/** Nothing a model reads is worth that much. */
const HARSH = { enabled: true, threshold: 10 };

/** A door with this gate alone; what it lets in is answered. */
function open(config: Partial<UtilityConfig> = {}, { scorer = score, memory = utilityMemory() } = {}) {
  const gate = createUtilityGate({ ...utilityConfig().parse({ enabled: true }), ...config }, memory, scorer);
  const door = new Door(() => null, [gate]);
  const ask = async (name: string, args: object = {}, more: Partial<TurnContext> & { text?: string } = {}) => {
    const { text = "answer", ...rest } = more;
    const call = callOf(name, args);
    const turn = turnOf(rest);
    const entered = await door.preapprove(call, turn);
    door.settled(call, outcomeOf(call, entered, text), turn);
    return entered instanceof ApprovedCall ? "ran" : entered.kind === "denied" ? entered.objection.why : "asked";
  };
  const judge = (name: string, args: object = {}, more: Partial<TurnContext> = {}) =>
    gate.judge(callOf(name, args), turnOf(more)) as Verdict;
  return { gate, door, ask, judge, memory };
}

function outcomeOf(call: ToolCall, entered: unknown, text: string): Outcome {
  if (entered instanceof ApprovedCall)
    return {
      ok: true,
      callId: call.id,
      output: { text },
      grant: entered.grant,
      decision: { verdict: "allow", by: "rules" },
      cached: false,
    };
  const decision = { verdict: "deny", gate: "utility", why: "skipped" } as const;
  return { ok: false, callId: call.id, error: new ToolError("policy_blocked", "skipped: x"), decision };
}

describe("what is never skipped", () => {
  it("load_skill and invoke_skill: by default, and when the list says otherwise", () => {
    expect(utilityConfig().parse({}).exempt_tools).toEqual(["load_skill", "invoke_skill"]);
    const { judge } = open({ ...HARSH, exempt_tools: [] });
    expect([judge("load_skill").kind, judge("invoke_skill").kind, judge("read").kind]).toEqual(["pass", "pass", "deny"]);
  });
  it("whatever does more than read, what is exempt, and what no model asked for", () => {
    const { judge } = open({ ...HARSH, exempt_tools: ["look"] });
    for (const name of ["write", "bash", "fetch", "memory_save", "look"]) expect([name, judge(name).kind]).toEqual([name, "pass"]);
    expect(judge("read", {}, { phase: "planner" }).kind).toBe("pass");
    for (const phase of ["verifier", "autonomous"] as const) expect(judge("read", { path: phase }, { phase }).kind).toBe("deny");
  });
  it("anything, when it is switched off, and then it costs and keeps nothing", () => {
    const memory = utilityMemory();
    const { gate, judge } = open({ ...HARSH, enabled: false }, { memory });
    gate.heard("c", "hello");
    expect([judge("read").kind, gate.state!(), gate.settled, gate.admitted]).toEqual(["pass", "off", undefined, undefined]);
    expect(memory.conversations.size).toBe(0);
    expect(utilityConfig().parse({}).enabled).toBe(false);
  });
  it("what the person asked for: by the tool's name, a path or its last part, a query", () => {
    const { gate, judge } = open(HARSH);
    const kind = (args: object) => judge("look", args).kind;
    gate.heard("c", "What is in src/App.ts? And search for `too many cooks`.");
    expect([kind({ path: "src/App.ts" }), kind({ path: "lib/app.ts" }), kind({ query: "too many cooks" })]).toEqual([
      "pass",
      "pass",
      "pass",
    ]);
    expect([
      kind({ path: "other.ts" }),
      kind({ query: "in" }),
      judge("look", { path: "src/app.ts" }, { conversationId: "d" }).kind,
    ]).toEqual(["deny", "deny", "deny"]);
    gate.heard("c", "Have a look, then.");
    expect([kind({ path: "other.ts" }), judge("look", { path: "src/app.ts" }).kind]).toEqual(["pass", "pass"]);
    gate.heard("c", "Overlook it.");
    expect(kind({ path: "other.ts" })).toBe("deny");
  });
  it("a path of nothing but slashes, or an argument without end, is not asked for by every text", () => {
    const said = spoken(`${"/".repeat(5000)} the`);
    for (const path of ["/", "a/", "x".repeat(501), ""]) expect(isRequested(callOf("look", { path }), said)).toBe(false);
  });
});

describe("a skipped call", () => {
  it("says that it was, why, and what to do; once it is asked for again it runs", async () => {
    const { ask, judge } = open(HARSH);
    expect(await ask("read", { path: "a" })).toBe(
      'skipped: read {"path":"a"} was not run, because it is expected to bring little. If it is needed, ask for it again as it is: then it runs.',
    );
    expect(judge("read", { path: "a" })).toEqual({ kind: "pass", rule: "asked for again" });
    expect(judge("read", { path: "b" })).toMatchObject({ kind: "deny", rule: "score 0.75 < tools.utility.threshold = 10" });
    expect(await ask("read", { path: "a" })).toBe("ran");
    // It was answered now; asked for a third time it may be skipped once more, and then runs again.
    expect(await ask("read", { path: "a" })).toContain("it was answered before and nothing has changed since");
    expect(await ask("read", { path: "a" })).toBe("ran");
  });
  it("is known again wherever the shell stands, and not in another conversation", async () => {
    const { ask, judge, gate } = open(HARSH);
    await ask("read", { path: "a" });
    expect(judge("read", { path: "a" }, { conversationId: "d" }).kind).toBe("deny");
    const elsewhere = ToolCall.parse(ToolRequest.from({ id: "x", name: "read", args: { path: "a" } })!, tools, "/elsewhere") as ToolCall;
    expect((gate.judge(elsewhere, turnOf()) as Verdict).kind).toBe("pass");
  });
  it("outside a conversation is known again in the next turn", () => {
    const { gate } = open(HARSH);
    const { conversationId: _, ...alone } = turnOf();
    const call = callOf("read", { path: "a" });
    gate.settled!(call, outcomeOf(call, null, ""), { ...alone, turnId: "1" });
    expect((gate.judge(callOf("read", { path: "a" }), { ...alone, turnId: "2" }) as Verdict).kind).toBe("pass");
  });
  it("is not asked for by looking at it, and a question about it does not change what is said", async () => {
    const { door, judge, memory } = open(HARSH);
    const call = callOf("read", { path: "a" });
    for (let n = 0; n < 5; n++) expect(await door.review(call, turnOf())).toMatchObject({ verdict: "deny" });
    expect([judge("read", { path: "a" }).kind, memory.skipped.size, memory.conversations.size]).toEqual(["deny", 0, 0]);
  });
  it("that a person was asked about is not skipped after their yes", async () => {
    const memory = utilityMemory();
    const { gate } = open({ threshold: 0.5, redundancy_weight: 1 }, { memory });
    const door = new Door(
      () => null,
      [{ name: "q", alsoJudges: ONLY_CALLS, judge: () => ({ kind: "ask", rule: null, why: "sure?" }) }, gate],
    );
    const call = callOf("read", { path: "a" });
    const pending = await door.preapprove(call, turnOf());
    // Meanwhile the same was read.
    const other = callOf("read", { path: "a" });
    gate.settled!(
      other,
      { ...outcomeOf(other, null, ""), ok: true, output: { text: "" }, decision: { verdict: "allow" } } as Outcome,
      turnOf(),
    );
    expect((gate.judge(callOf("read", { path: "a" }), turnOf()) as Verdict).kind).toBe("deny");
    expect(await door.confirm(pending as never, { by: "me", callId: call.id }, turnOf())).toBeInstanceOf(ApprovedCall);
  });
  it("is never the third in a row, nor the fifth of a turn", async () => {
    const { ask } = open(HARSH);
    const row = [];
    for (let n = 0; n < 12; n++) row.push((await ask("read", { path: `file${n}` })) === "ran" ? "+" : "-");
    expect(row.join("")).toBe("--+--+++++++");
    expect(await ask("read", { path: "next" }, { turnId: "another" })).toContain("skipped");
  });
  it("that could not be remembered is not skipped, unless one has been open for an hour", async () => {
    const { judge, memory, ask } = open(HARSH);
    for (let n = 0; n < 10_000; n++) memory.skipped.set(`k${n}`, 1_000_000);
    expect(judge("read", { path: "a" })).toEqual({ kind: "pass", rule: "enough was skipped" });
    expect(await ask("read", { path: "a" }, { timestampMs: 1_000_000 + 3_600_001 })).toContain("skipped");
    expect([memory.skipped.size, memory.skipped.has("k0")]).toEqual([10_000, false]);
  });
});

describe("scoring", () => {
  it.each<[string, Scorer]>([
    [
      "that throws",
      () => {
        throw new Error("bug");
      },
    ],
    ["that is not a number", () => Number.NaN],
    ["without end", () => Number.POSITIVE_INFINITY],
  ])("%s skips, and what is asked for again runs", async (_, scorer) => {
    const { ask } = open({ threshold: -10 }, { scorer });
    expect(await ask("read", { path: "a" })).toContain("its worth could not be computed");
    expect(await ask("read", { path: "a" })).toBe("ran");
  });
  it("by weights that are no numbers skips", () => {
    expect(open({ gain_weight: Number.NaN }).judge("read").kind).toBe("deny");
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, -1])
      expect(utilityConfig().safeParse({ gain_weight: bad }).success).toBe(false);
  });
  it("a call that repeats a long answer is skipped by default, until something was written, run or said", async () => {
    const long = { text: "x".repeat(40_000) };
    const first = async () => {
      const opened = open();
      for (let n = 0; n < 9; n++) await opened.ask("read", { path: "a", n }, long);
      return opened;
    };
    for (const change of ["write", "bash", "memory_save", "heard", "fetch", "look"]) {
      const { ask, gate } = await first();
      const again = async () => (await ask("read", { path: "a", n: 3 }, { ...long, turnId: change })) === "ran";
      if (change === "heard") gate.heard("c", "I have changed it.");
      else await ask(change, {}, { conversationId: "another" });
      expect([change, await again()]).toEqual([change, !["fetch", "look"].includes(change)]);
    }
  });
  it("expects more of a memory than of a search, a file or something unknown", () => {
    const gain = (name: string, args: object) =>
      componentsOf(callOf(name, args), { calls: 0, meanTokens: 0, isAnswered: false, recent: [] }).gain;
    expect([
      gain("memory_search", { query: "x" }),
      gain("look", { query: "x", path: "." }),
      gain("look", { path: "x" }),
      gain("look", {}),
    ]).toEqual([0.8, 0.65, 0.55, 0.5]);
  });
  it("every component is from 0 to 1", () => {
    const past = fc.record({
      calls: fc.double({ min: 0 }),
      meanTokens: fc.double({ min: 0 }),
      isAnswered: fc.boolean(),
      recent: fc.array(fc.array(fc.constantFrom("a", "b", "c")).map((words) => new Set(words))),
    });
    const args = fc.record({ path: fc.string(), query: fc.string(), n: fc.integer() }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.constantFrom("read", "look", "memory_search"), args, past, (name, given, known) => {
        const call = callOf(name, given);
        if (!(call instanceof ToolCall)) return;
        for (const value of Object.values(componentsOf(call, known))) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

it("a call that is asked for again runs, whatever is set and whatever was done before", async () => {
  const number = fc.oneof(fc.double({ min: -10, max: 10, noNaN: true }), fc.constantFrom(Number.NaN, 1e308, -1e308));
  const config = fc.record({
    threshold: number,
    gain_weight: number,
    cost_weight: number,
    redundancy_weight: number,
    exploration_weight: number,
    exempt_tools: fc.subarray(["read", "load_skill"]),
  });
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("ask" as const),
        name: fc.constantFrom("read", "look", "memory_search", "write", "bash"),
        args: fc.record(
          { path: fc.constantFrom("a", "b", "c/d", "long".repeat(100), `${"long".repeat(100)}er`), n: fc.integer({ min: 0, max: 2 }) },
          { requiredKeys: [] },
        ),
        conversationId: fc.constantFrom("c", "d"),
        turnId: fc.constantFrom("1", "2"),
        long: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("repeat" as const), which: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("heard" as const), text: fc.constantFrom("look", "a", "nothing") }) },
    // So many others that what is known of a conversation is forgotten.
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("others" as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(config, fc.array(step, { maxLength: 40 }), async (settings, steps) => {
      const { gate, ask } = open({ ...settings, enabled: true });
      const skipped: [string, object, { conversationId: string; turnId: string; text: string }][] = [];
      for (const one of steps) {
        if (one.kind === "heard") gate.heard("c", one.text);
        else if (one.kind === "others") for (let n = 0; n < 70; n++) gate.heard(`other${n}`, "x");
        else if (one.kind === "repeat") {
          const [again] = skipped.splice(one.which % (skipped.length || 1), 1);
          if (again) expect(await ask(...again)).toBe("ran");
        } else {
          const { name, args, conversationId, turnId, long } = one;
          const options = { conversationId, turnId, text: "x".repeat(long ? 50_000 : 5) };
          const isSame = (other: (typeof skipped)[number]) =>
            JSON.stringify([other[0], other[1], other[2].conversationId]) === JSON.stringify([name, args, conversationId]);
          const same = skipped.findIndex(isSame);
          const ran = (await ask(name, args, options)) === "ran";
          if (same !== -1) {
            expect(ran).toBe(true);
            skipped.splice(same, 1);
          } else if (!ran) skipped.push([name, args, options]);
        }
      }
      for (const again of skipped) expect(await ask(...again)).toBe("ran");
    }),
    { numRuns: 50 },
  );
});

it("the memory stays small, however much is said and done", async () => {
  const { gate, ask, memory } = open(HARSH);
  for (let n = 0; n < 200; n++) gate.heard(`c${n}`, "x".repeat(100_000));
  expect(memory.conversations.size).toBe(64);
  expect([...memory.conversations.values()].every(({ said }) => said.length <= 20_000)).toBe(true);
  for (let n = 0; n < 2000; n++) await ask("read", { path: `p${n}` });
  const known = memory.conversations.get("c")!;
  expect([known.answered.size, known.tools.get("read")!.recent.length]).toEqual([500, 16]);
  expect(gate.state!()).toMatch(/^threshold 10, \d+ skipped and not asked for again$/);
  gate.reset!();
  expect([memory.conversations.size, memory.skipped.size]).toEqual([0, 0]);
});
