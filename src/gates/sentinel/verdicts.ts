import type { ToolCall } from "../../core/call.ts";
import type { Verdict } from "../../core/gate/verdict.ts";
import type { Alike } from "./likeness.ts";
import { sequenceCommands } from "./words.ts";

/** All that a model learns. */
const TOLD = "denied by policy";

export const completing = (index: number, entry: readonly string[]): Verdict => ({
  kind: "deny",
  rule: `blocked_sequences[${index}]`,
  why: `This call would complete a blocked sequence: ${entry.join(" ").slice(0, 200)}.`,
  told: TOLD,
});

const ENDED = { ok: "ended well", error: "ended in error", violation: "ended in violation", unacceptable: "was unacceptable" } as const;

export function likeOne(found: Alike | null, call: ToolCall): Verdict | null {
  if (!found) return null;
  const { trajectory, score } = found;
  const { callId, ended, createdAt, steps } = trajectory;
  const last = shownStep(steps.at(-1)!, call);
  const day = new Date(createdAt).toISOString().slice(0, 10);
  return {
    kind: "deny",
    rule: `like a sequence that ${ENDED[ended]}`,
    why: `This call and those before it are ${Math.floor(score * 100)} % like a sequence of ${day} that ${ENDED[ended]} with ${JSON.stringify(last)} (call ${callId.slice(0, 8)}). To let it in again: /feedback ok ${callId.slice(0, 8)}.`,
    told: TOLD,
  };
}

/** A command, or a tool and its first argument: what else is remembered are pieces of it and the other arguments. */
const shownStep = (step: readonly string[], call: ToolCall): string =>
  (sequenceCommands(call).length > 0 ? step : step.slice(0, 2)).join(" ").slice(0, 120);

/** A gate that fails denies, and this one does not even say that it is there. */
export const failing = (error: unknown): Verdict => ({
  kind: "deny",
  rule: "failed",
  why: `Earlier failures could not be looked up: ${error instanceof Error ? error.message : String(error)}`,
  told: TOLD,
});
