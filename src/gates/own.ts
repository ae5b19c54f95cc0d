import type { ToolCall } from "../core/call.ts";
import type { Gate } from "../core/gate/gate.ts";
import type { JudgedCall, JudgedTouch, JudgingContext, OwnGate, OwnVerdict } from "../core/gate/own-gate.ts";
import { failed, PASS, type Verdict } from "../core/gate/verdict.ts";
import type { Facts } from "../core/ports/facts.ts";
import type { Touch } from "../core/touch.ts";
import type { TurnContext } from "../core/turn.ts";
import { attempt } from "../text/attempt.ts";
import { deepFreeze } from "../text/freeze.ts";
import { isRecord } from "../text/json.ts";
import { bounded } from "../text/visible.ts";

/** A program's own gates, as the door asks them. They see copies, so nothing that was judged can become something else. */
export function createOwnGates(own: readonly OwnGate[], facts: Pick<Facts, "cwd" | "canonical" | "entry">, now: () => number): Gate[] {
  assertOwnGates(own);
  const ask = async ({ id, judge }: Asked, call: ToolCall, turn: TurnContext, other: Partial<JudgedCall> = {}): Promise<Verdict> => {
    try {
      return read(id, await judge(deepFreeze({ ...described(call, facts), ...other }), Object.freeze(contextOf(turn, facts.cwd, now()))));
    } catch (cause) {
      // What a program's error says may name a server or hold a key: that is not for the model.
      return { ...failed({ name: id }, cause), told: `The ${id} gate failed.` };
    }
  };
  return own.map((gate) => {
    const asked: Asked = { id: gate.id, judge: gate.judge.bind(gate) };
    return {
      name: gate.id,
      judge: (call, turn) => ask(asked, call, turn),
      alsoJudges: {
        redirects: (_tool, url, call, turn) => ask(asked, call, turn, { touches: [{ kind: "url", url }], because: "redirect" }),
        innerCommands: (call, turn) => ask(asked, call, turn, { because: "inner command" }),
      },
    };
  });
}

type Asked = Pick<OwnGate, "id" | "judge">;

/** Throws a TypeError for a gate that could not be asked. */
function assertOwnGates(own: unknown): asserts own is readonly OwnGate[] {
  if (!Array.isArray(own)) throw new TypeError("gates is a list of { id, judge }.");
  for (const gate of own) {
    if (!isRecord(gate) || typeof gate.id !== "string" || typeof gate.judge !== "function")
      throw new TypeError("A gate is an object with an id and a function judge.");
    if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(gate.id))
      throw new TypeError(`"${bounded(gate.id, 80)}" is no id of a gate: small letters, digits, "-", "_" and "." are.`);
  }
}

/** Throws a TypeError for a gate that would be taken for another one: answers to questions go by these names. */
export function assertDistinct(gates: readonly Gate[]): void {
  const names = new Set(["blocklist", "hooks", "door", "confirm"]);
  for (const { name } of gates) {
    if (names.has(name)) throw new TypeError(`There is a gate named "${name}" already.`);
    names.add(name);
  }
}

function described(call: ToolCall, facts: Pick<Facts, "canonical" | "entry">): JudgedCall {
  return {
    id: call.id,
    tool: call.tool.name,
    effect: call.tool.effect,
    input: JSON.parse(call.canonicalInput),
    touches: call.touches.map((touch) => judgedTouch(touch, facts)),
    ...(call.cwd !== null && { cwd: call.cwd }),
  };
}

const judgedTouch = (touch: Touch, { canonical, entry }: Pick<Facts, "canonical" | "entry">): JudgedTouch =>
  touch.kind === "path"
    ? // What cannot be resolved cannot be opened either.
      { ...touch, realPath: attempt(() => (touch.access === "delete" ? entry : canonical)(touch.path), touch.path) }
    : touch;

const contextOf = (turn: TurnContext, workspace: string, time: number): JudgingContext => ({
  workspace,
  session: turn.sessionId,
  turn: turn.turnId,
  ...(turn.conversationId !== undefined && { conversation: turn.conversationId }),
  ...(turn.callerId !== undefined && { caller: turn.callerId }),
  ...(turn.skillName !== undefined && { skill: turn.skillName }),
  ...(turn.goalId !== undefined && { goal: turn.goalId }),
  phase: turn.phase,
  trust: turn.trust,
  unattended: turn.unattended === true,
  untrusted: turn.seen.untrusted,
  time,
});

/** Only what is known to leave the decision to others does so. */
function read(id: string, said: OwnVerdict): Verdict {
  if (said === undefined || said === "pass") return PASS;
  const { kind, why, rule } = isRecord(said) ? said : ({} as Record<string, unknown>);
  if (
    (kind !== "ask" && kind !== "deny") ||
    typeof why !== "string" ||
    why.trim() === "" ||
    (rule !== undefined && typeof rule !== "string")
  )
    throw new TypeError(`"${id}" answered something that is neither "pass" nor { kind: "ask" or "deny", why }`);
  return { kind, rule: rule ?? null, why, ...(kind === "ask" && { once: true }) };
}
