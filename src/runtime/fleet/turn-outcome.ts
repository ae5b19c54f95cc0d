import { FAULTS, type ModelError } from "../../core/model-error.ts";
import type { TaskOutcome } from "../../fleet/run-worker.ts";
import { plural } from "../../text/words.ts";
import type { RunResult } from "../agent/run-result.ts";

/** A failure that may pass is tried again after so long. */
const AGAIN_MS = 10_000;
/** The rest of a long answer is in the conversation. */
const MOST_TEXT = 100_000;

/** Nothing was waiting to be said: a turn before took it along. */
export const emptyOutcome = (): TaskOutcome => ({ end: "done", result: { ok: true, text: "" } });

/** How a turn ended that nobody stopped. What was not allowed was not done, whatever the model says about it. */
export function endedOutcome(
  { why, message, totals, text }: Pick<RunResult, "why" | "message" | "totals" | "text">,
  fault: ModelError | null,
): TaskOutcome {
  const refused = totals.denied + totals.unanswered;
  const note = refused === 0 ? "" : `\n(${plural(refused, "call")} refused: a rule or a person said no, or nobody could be asked)`;
  const said = why === "answered" ? text.trim() : (message ?? why);
  const result = {
    ok: why === "answered" && refused === 0,
    text: `${said.slice(0, MOST_TEXT)}${note}`,
    tokens: totals.usage.input + totals.usage.output,
    ...(totals.cost !== undefined && { usd: totals.cost }),
  };
  if (why === "failed" && fault && FAULTS[fault.fault].again)
    return { end: "retry", afterMs: Math.max(AGAIN_MS, fault.retryAfterMs ?? 0), why: result.text };
  return { end: why === "answered" ? "done" : "failed", result };
}

/** How a turn ended that was told to; null where it was not. */
export function stoppedOutcome(task: AbortSignal, draining: AbortSignal): TaskOutcome | null {
  if (task.aborted && task.reason === "cancelled") return { end: "cancelled", result: { ok: false, text: "It was cancelled." } };
  return task.aborted || draining.aborted ? { end: "giveBack" } : null;
}

export const troubleOutcome = (why: string, isPassing: boolean): TaskOutcome =>
  isPassing ? { end: "retry", afterMs: AGAIN_MS, why } : { end: "failed", result: { ok: false, text: why } };
