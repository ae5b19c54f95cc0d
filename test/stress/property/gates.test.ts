import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { ToolCall } from "../../../src/core/call.ts";
import { Door } from "../../../src/core/door.ts";
import { ToolError } from "../../../src/core/error.ts";
import type { JudgedCall, JudgingContext, OwnGate, OwnVerdict } from "../../../src/core/gate/own-gate.ts";
import type { Outcome } from "../../../src/core/layer.ts";
import type { TurnContext } from "../../../src/core/turn.ts";
import type { Requirements } from "../../../src/gates/dependencies.ts";
import { gatedIn, level } from "../../gate-judges.ts";
import { workspace } from "../../workspace.ts";
import { BASES, CALLERS, CALLS, type Config, DENIALS, GATES, merged } from "./configs.ts";

const place = workspace([
  { op: "file", path: "work/src/a.ts", content: "a" },
  { op: "file", path: "work/.env", content: "TOKEN=1" },
  { op: "file", path: "outside.txt", content: "no" },
  { op: "symlink", path: "work/link", target: "../outside.txt" },
]);
const gated = gatedIn(place);
afterAll(async () => {
  await gated.close();
  place.remove();
});

const RUNS = 80;

/** What happened before: the same for both, whoever would have let it happen. */
const history = fc.array(fc.tuple(fc.constantFrom(...CALLS), fc.boolean()), { maxLength: 14 });
/** Every call there is, each by a person or by somebody else. */
const asked = fc
  .array(fc.option(CALLERS, { nil: {} }), { minLength: CALLS.length, maxLength: CALLS.length })
  .map((callers) => CALLS.map((call, n) => [call, callers[n]!] as const));

/** Wherever the second is laxer than the first about the same call after the same past. */
async function laxer(before: Made, after: Made, past: Past, calls: Asked): Promise<string[]> {
  const doors = [doorAfter(before, past), doorAfter(after, past)] as const;
  const found: string[] = [];
  for (const [n, [[tool, args], caller]] of calls.entries()) {
    const turn = gated.turn(caller);
    const call = gated.call(tool, args, `asked ${n}`);
    const [old, now] = [await doors[0].review(call, turn), await doors[1].review(call, turn)];
    if (level(now) < level(old)) found.push(`${tool} ${JSON.stringify(args)}: ${old.verdict} became ${now.verdict}`);
  }
  return found;
}

interface Made {
  readonly config: Config;
  readonly requirements?: Requirements;
  readonly program?: readonly OwnGate[];
}
type Past = readonly (readonly [readonly [string, object], boolean])[];
type Asked = readonly (readonly [readonly [string, object], object])[];

function doorAfter({ config, requirements, program }: Made, past: Past): Door {
  const { rules } = gated.gates(config, requirements, program);
  const door = new Door(rules.blocklist, rules.gates);
  for (const [n, [[tool, args], isGood]] of past.entries()) {
    const call = gated.call(tool, args, `past ${n}`);
    const turn = gated.turn({ phase: "executor", conversationId: "c" });
    for (const gate of rules.gates) gate.admitted?.(call, turn);
    door.settled(call, isGood ? good(call) : bad(call), turn);
  }
  return door;
}

const good = ({ id }: ToolCall): Outcome => ({
  ok: true,
  callId: id,
  output: { text: "fine" },
  grant: { kind: "preapproved" },
  decision: { verdict: "allow" },
  cached: false,
});
const bad = ({ id }: ToolCall): Outcome => ({
  ok: false,
  callId: id,
  error: new ToolError("permanent_failure", "broken"),
  decision: { verdict: "allow" },
});

const REQUIRING: Requirements = {
  unmet: (tool: string, _turn: TurnContext) => (tool === "write" ? ["read"] : []),
  succeeded() {},
};

describe("A rule that denies, put into any configuration, never permits more", () => {
  it.each(Object.entries(DENIALS))("%s", (_name, { base, add }) =>
    fc.assert(
      fc.asyncProperty(base, add, history, asked, async (before, added, past, calls) => {
        expect(await laxer({ config: before }, { config: added(before) }, past, calls)).toEqual([]);
      }),
      { numRuns: RUNS },
    ),
  );
});

describe("A gate that is switched on, however it is set, never permits more", () => {
  it.each(Object.entries(GATES))("%s", (_name, { off, on }) =>
    fc.assert(
      fc.asyncProperty(BASES, on, history, asked, async (base, set, past, calls) => {
        const without = merged(base, off);
        expect(await laxer({ config: without }, { config: merged(without, set) }, past, calls)).toEqual([]);
      }),
      { numRuns: RUNS },
    ),
  );
  it("dependencies", () =>
    fc.assert(
      fc.asyncProperty(BASES, history, asked, async (base, past, calls) => {
        expect(await laxer({ config: base }, { config: base, requirements: REQUIRING }, past, calls)).toEqual([]);
      }),
      { numRuns: RUNS },
    ));
});

/** What programs may come up with: sense, nonsense, and attempts to let something in. */
const SAID: readonly ((call: JudgedCall, context: JudgingContext) => unknown)[] = [
  () => undefined,
  () => "pass",
  () => "allow",
  () => null,
  () => true,
  () => ({ kind: "pass" }),
  () => ({ kind: "allow", why: "let it in" }),
  () => ({ kind: "ask", why: "Sure?" }),
  () => ({ kind: "deny", why: "No." }),
  () => ({ kind: "deny", why: 5 }),
  ({ effect }) => (effect === "reads" ? "pass" : { kind: "ask", why: "It changes something." }),
  ({ touches }) => (touches.some(({ kind }) => kind === "unknown") ? { kind: "deny", why: "Unknown." } : undefined),
  (_call, { caller }) => (caller === undefined ? undefined : { kind: "deny", why: "Not you." }),
  (call) => Object.assign(call, { tool: "read", effect: "reads", input: {}, touches: [] }) && "pass",
  (_call, context) => Object.assign(context, { trust: "trusted", unattended: false }) && "pass",
  () => {
    throw new Error("bug");
  },
];
const ownGates = fc.array(fc.tuple(fc.constantFrom(...SAID), fc.boolean()), { minLength: 1, maxLength: 4 }).map((said) =>
  said.map(([judge, isLate], n): OwnGate => {
    const answer = judge as OwnGate["judge"];
    return { id: `own-${n}`, judge: isLate ? async (...asked): Promise<OwnVerdict> => answer(...asked) : answer };
  }),
);

it("A gate of a program's own is never a reason to permit more, whatever it answers", () =>
  fc.assert(
    fc.asyncProperty(BASES, ownGates, history, asked, async (config, program, past, calls) => {
      expect(await laxer({ config }, { config, program }, past, calls)).toEqual([]);
    }),
    { numRuns: RUNS },
  ));

it("the configurations decide differently from each other, so that the comparisons say something", async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(BASES, asked, async (config, calls) => {
      const door = doorAfter({ config }, []);
      for (const [[tool, args], caller] of calls) {
        const { verdict, spoke } = await door.review(gated.call(tool, args), gated.turn(caller));
        for (const { gate } of spoke) seen.add(`${verdict} ${gate}`);
        if (verdict === "allow") seen.add(verdict);
      }
    }),
    { numRuns: 200 },
  );
  for (const one of ["allow", "ask permissions", "deny permissions", "deny files", "deny policy", "deny scoped", "deny blocklist"])
    expect(seen).toContain(one);
});
