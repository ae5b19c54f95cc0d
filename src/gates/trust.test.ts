import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../core/call.ts";
import { type ApprovedCall, Door } from "../core/door.ts";
import type { Pending, Verdict } from "../core/gate/verdict.ts";
import { createRegistry } from "../core/registry.ts";
import { ToolRequest } from "../core/request.ts";
import { defineTool, type Effect } from "../core/tool.ts";
import type { Trust, TurnContext } from "../core/turn.ts";
import { createTrustGate, trustMemory } from "./trust.ts";

const EFFECTS: readonly Effect[] = ["reads", "stores", "writes", "runs", "fetches", "unknown"];
const LEVELS: readonly Trust[] = ["untrusted", "provisional", "trusted"];
const AUTONOMY = ["readonly", "supervised", "edits", "full"] as const;
const STRICTNESS = { pass: 0, ask: 1, deny: 2 };

const tools = new Map(
  EFFECTS.map((effect) => {
    const tool = defineTool({
      name: effect,
      description: "",
      effect,
      input: z.strictObject({ x: z.string().optional() }),
      touches: () => [],
      run: async () => ({ text: "" }),
    });
    return [effect as string, tool];
  }),
);
const callOf = (effect: Effect, args: object = {}) => ToolCall.parse(ToolRequest.from({ id: "1", name: effect, args })!, tools) as ToolCall;
const turnOf = (level: Trust, more: Partial<TurnContext> = {}): TurnContext => ({
  sessionId: "s",
  turnId: "t",
  phase: "executor",
  trust: level,
  timestampMs: 0,
  seen: { untrusted: false },
  ...more,
});
const loaded = (name: string, level: Trust): Partial<TurnContext> => ({ seen: { untrusted: false, skill: { name, trust: level } } });
const kinds = (level: Trust, more?: Partial<TurnContext>, autonomy: (typeof AUTONOMY)[number] = "supervised") =>
  EFFECTS.map((effect) => (createTrustGate(autonomy).judge(callOf(effect), turnOf(level, more)) as Verdict).kind).join(" ");

describe("who is not trusted", () => {
  it.each([
    ["trusted", "pass pass pass pass pass pass"],
    ["provisional", "pass pass ask ask ask ask"],
    ["untrusted", "pass deny deny deny deny deny"],
  ] as const)("%s: %s", (level, expected) => {
    expect(kinds(level)).toBe(expected);
    // The skill whose text was read counts like the caller.
    expect(kinds("trusted", loaded("deploy", level))).toBe(expected);
  });

  it("full autonomy answers the question with yes, and never the refusal", () => {
    expect(kinds("provisional", {}, "full")).toBe("pass pass pass pass pass pass");
    expect(kinds("untrusted", {}, "full")).toBe("pass deny deny deny deny deny");
    expect(createTrustGate("full").judge(callOf("runs"), turnOf("provisional"))).toEqual({ kind: "pass", rule: "autonomy = full" });
  });

  it("is named, with what to do about it", () => {
    const gate = createTrustGate("supervised");
    const why = (turn: TurnContext) => (gate.judge(callOf("runs"), turn) as Extract<Verdict, { why: string }>).why;
    expect(why(turnOf("untrusted", { skillName: "deploy" }))).toBe(
      'The skill "deploy" is untrusted and may only read. To change that, look at it and run `zeph trust --skill deploy`, then have it carried out again.',
    );
    expect(why(turnOf("trusted", loaded("deploy", "provisional")))).toContain('The skill "deploy" is provisional');
    expect(why(turnOf("trusted", loaded("deploy", "provisional")))).toContain("begin a new conversation");
    expect(why(turnOf("untrusted", { callerId: "bot" }))).toContain('The caller "bot" is untrusted');
  });

  it("counts with the least of all: caller, skill and tool", () => {
    const gate = createTrustGate("supervised");
    gate.set("writes", "provisional");
    expect(gate.judge(callOf("writes"), turnOf("trusted"))).toMatchObject({ kind: "ask", rule: "provisional tool" });
    expect(gate.judge(callOf("writes"), turnOf("trusted", loaded("x", "untrusted")))).toMatchObject({
      kind: "deny",
      rule: "untrusted skill",
    });
    expect(gate.judge(callOf("runs"), turnOf("trusted"))).toMatchObject({ kind: "pass" });
  });

  it("an untrusted tool is refused whatever it does, until it is trusted again", () => {
    const gate = createTrustGate("full");
    gate.set("reads", "untrusted");
    expect([gate.judge(callOf("reads"), turnOf("trusted")), gate.levelOf("reads")]).toMatchObject([{ kind: "deny" }, "untrusted"]);
    gate.set("reads", "trusted");
    expect(gate.judge(callOf("reads"), turnOf("trusted"))).toMatchObject({ kind: "pass" });
  });

  it("how to use such a tool again is said to the person and not to the model", () => {
    const gate = createTrustGate("full");
    gate.set("reads", "untrusted");
    const verdict = gate.judge(callOf("reads"), turnOf("trusted")) as Extract<Verdict, { why: string }>;
    expect(verdict.why).toContain("`/unblock reads`");
    expect(verdict.told).toBe("reads itself is not trusted, so it is not used.");
  });
});

describe("who brings a tool", () => {
  /** Every effect is a tool of one toolset, as the registry knows it. */
  function brought(level: Trust | undefined, id = "github", autonomy: (typeof AUTONOMY)[number] = "supervised") {
    const registry = createRegistry({ builtIn: [], aliases: new Map(), warn() {} });
    registry.add({ id, ...(level && { trust: level }), list: () => [...tools.values()] });
    return createTrustGate(autonomy, trustMemory(), registry.origin);
  }
  const judged = (gate: ReturnType<typeof brought>, effect: Effect, turn = turnOf("trusted")) =>
    gate.judge(callOf(effect), turn) as Extract<Verdict, { why: string }>;

  it.each([
    [undefined, "pass pass pass pass pass pass"],
    ["trusted", "pass pass pass pass pass pass"],
    ["provisional", "pass pass ask ask ask ask"],
    ["untrusted", "pass deny deny deny deny deny"],
  ] as const)("%s: %s", (level, expected) => {
    const gate = brought(level);
    expect(EFFECTS.map((effect) => judged(gate, effect).kind).join(" ")).toBe(expected);
  });

  it("is named, with what to do about it", () => {
    expect(judged(brought("provisional"), "runs")).toMatchObject({
      kind: "ask",
      rule: "provisional toolset",
      why: '"github", which brings the tool runs, is provisional: nobody has trusted it yet. Its trust is set where it is added; for an MCP server that is `trust` in [[mcp.servers]].',
    });
    expect(judged(brought("untrusted"), "writes")).toMatchObject({
      kind: "deny",
      rule: "untrusted toolset",
      why: expect.stringMatching(/^"github", which brings the tool writes, is untrusted and may only read\. /),
    });
    expect(() => brought("Trusted" as Trust)).toThrow(/has the trust .*Trusted.*\. It is one of untrusted, provisional, trusted\./);
  });

  it("is believed no more because autonomy is full, and a yes for one is none for another", () => {
    expect(judged(brought("untrusted", "x", "full"), "runs").kind).toBe("deny");
    expect(judged(brought("provisional", "x", "full"), "runs")).toEqual({ kind: "pass", rule: "autonomy = full" });
    const memory = trustMemory();
    const of = (id: string) => createTrustGate("supervised", memory, () => ({ id, trust: "provisional" }));
    const call = callOf("runs");
    of("a").judge(call, turnOf("trusted"));
    of("a").grant(call);
    expect([judged(of("a"), "runs").kind, judged(of("b"), "runs").kind]).toEqual(["pass", "ask"]);
  });
});

it("of caller, skill, toolset and tool the lowest counts, and the log can be told", () => {
  const level = fc.constantFrom(...LEVELS);
  const given = fc.record({ caller: level, skill: fc.option(level), toolset: fc.option(level), tool: level });
  fc.assert(
    fc.property(given, fc.constantFrom(...EFFECTS), ({ caller, skill, toolset, tool }, effect) => {
      const gate = createTrustGate("supervised", trustMemory(), () => ({ id: "x", ...(toolset && { trust: toolset }) }));
      gate.set(effect, tool);
      const turn = turnOf(caller, skill ? loaded("read", skill) : {});
      const least = LEVELS[Math.min(...[caller, skill ?? "trusted", toolset ?? "trusted", tool].map((one) => LEVELS.indexOf(one)))]!;
      expect(gate.effective(effect, turn)).toBe(least);
      const alone = createTrustGate("supervised").judge(callOf(effect), turnOf(least)) as Verdict;
      const verdict = gate.judge(callOf(effect), turn) as Verdict;
      // A tool that is not trusted itself may not even read.
      expect(verdict.kind).toBe(tool === "untrusted" ? "deny" : alone.kind);
    }),
    { numRuns: 400 },
  );
});

describe("a yes", () => {
  const ask = (gate: ReturnType<typeof createTrustGate>, args: object, more: Partial<TurnContext> = {}) =>
    gate.judge(callOf("runs", args), turnOf("provisional", more)) as Verdict;

  it("for the session is for one call of one skill, and ends with the session", () => {
    const gate = createTrustGate("supervised");
    const call = callOf("runs", { x: "1" });
    gate.grant(call);
    expect(ask(gate, { x: "1" }).kind).toBe("ask");
    gate.judge(call, turnOf("provisional", { skillName: "deploy" }));
    gate.grant(call);
    const again = (args: object, skillName: string) => ask(gate, args, { skillName }).kind;
    expect([again({ x: "1" }, "deploy"), again({ x: "2" }, "deploy"), again({ x: "1" }, "other")]).toEqual(["pass", "ask", "ask"]);
    expect((gate.judge(call, turnOf("untrusted", { skillName: "deploy" })) as Verdict).kind).toBe("deny");
    // Nobody said it for a task that runs on its own.
    expect(ask(gate, { x: "1" }, { skillName: "deploy", unattended: true }).kind).toBe("ask");
    gate.reset!();
    expect(again({ x: "1" }, "deploy")).toBe("ask");
  });

  it("does not cover a skill that was read while the question was open", async () => {
    const door = new Door(() => null, [createTrustGate("supervised")]);
    const call = callOf("runs");
    const turn = turnOf("provisional", { callerId: "bot" });
    const pending = (await door.preapprove(call, turn)) as Pending;
    expect((await door.confirm(pending, { by: "me", callId: "1" }, turn)) as ApprovedCall).toMatchObject({ grant: { kind: "confirmed" } });
    turn.seen.skill = { name: "deploy", trust: "untrusted" };
    expect(await door.confirm(pending, { by: "me", callId: "1" }, turn)).toMatchObject({ kind: "denied" });
  });
});

it("lowering trust never permits more", () => {
  const level = fc.constantFrom(...LEVELS);
  const given = fc.record({
    effect: fc.constantFrom(...EFFECTS),
    autonomy: fc.constantFrom(...AUTONOMY),
    caller: level,
    skill: fc.option(level),
    toolset: fc.option(level),
    tool: level,
    inSkill: fc.boolean(),
    granted: fc.boolean(),
  });
  fc.assert(
    fc.property(
      given,
      fc.constantFrom("caller", "skill", "toolset", "tool" as const),
      ({ effect, autonomy, inSkill, granted, ...levels }, which) => {
        const strictness = ({ caller, skill, toolset, tool }: typeof levels): number => {
          const gate = createTrustGate(autonomy, trustMemory(), () => ({ id: "x", ...(toolset && { trust: toolset }) }));
          gate.set(effect, tool);
          const call = callOf(effect);
          const turn = turnOf(caller, { ...(skill && loaded("read", skill)), ...(inSkill && { skillName: "carried-out" }) });
          if (granted) {
            gate.judge(call, turn);
            gate.grant(call);
          }
          return STRICTNESS[(gate.judge(call, turn) as Verdict).kind];
        };
        const lower = LEVELS[LEVELS.indexOf(levels[which] ?? "trusted") - 1];
        if (lower === undefined) return;
        expect(strictness({ ...levels, [which]: lower })).toBeGreaterThanOrEqual(strictness(levels));
      },
    ),
    { numRuns: 400 },
  );
});
