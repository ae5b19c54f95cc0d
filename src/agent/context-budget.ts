import { ModelError } from "../core/model-error.ts";
import type { Message } from "../core/ports/model.ts";
import type { Emit } from "./answer.ts";
import { CompactionError, type Compactor } from "./compaction.ts";
import type { Transcript } from "./transcript.ts";

/** What making room in the context takes. */
export interface ContextBudget {
  readonly transcript: Transcript;
  /** Makes summaries of the past; null where no model does that. */
  readonly compactor: Compactor | null;
  readonly limits: { readonly contextTokens: number };
  readonly emit: Emit;
}

/** Beyond this share of the context a turn stops; a new turn begins with this share at most. */
export const FULL_SHARE = 0.8;
export const ROOMY_SHARE = 0.5;

/** A turn that would begin too full sends less of the past. It stays in the store. */
export async function beginTurn(room: ContextBudget, opening: readonly Message[], signal: AbortSignal): Promise<void> {
  const { transcript, limits } = room;
  await applySummary(room);
  await transcript.append(...opening);
  if (transcript.exceeds(FULL_SHARE * limits.contextTokens))
    await makeRoom(room, ROOMY_SHARE * limits.contextTokens, opening.length, signal);
}

/** The past becomes a summary. What that does not achieve, leaving out does. False when nothing came of either. */
export async function makeRoom(room: ContextBudget, tokens: number, keep: number, signal: AbortSignal): Promise<boolean> {
  const why = await summarise(room, tokens, keep, signal);
  // Who stops now finds everything as it was.
  if (signal.aborted) return false;
  if (why === null && !room.transcript.exceeds(tokens)) return true;
  return (await leaveOut(room, tokens, keep, why ?? "")) || why === null;
}

/** A summary that was made while calls ran takes effect between two rounds. */
export async function applySummary({ compactor, emit }: Pick<ContextBudget, "compactor" | "emit">): Promise<void> {
  const done = await compactor?.settle();
  if (done) await emit({ type: "compacted", ...done });
}

/** Null when it was done, else why not. */
async function summarise(room: ContextBudget, tokens: number, keep: number, signal: AbortSignal): Promise<string | null> {
  if (!room.compactor) return "";
  try {
    await room.compactor.prepare({ method: "triggered", keep, aim: tokens }, signal);
  } catch (error) {
    if (error instanceof CompactionError || error instanceof ModelError) return error.message;
    throw error;
  }
  await applySummary(room);
  return null;
}

async function leaveOut({ transcript, emit }: ContextBudget, tokens: number, keep: number, why: string): Promise<boolean> {
  const { elided, dropped } = await transcript.forget(tokens, keep);
  if (elided + dropped === 0) return false;
  const what = [
    ...(elided > 0 ? [`the results of ${elided} earlier ${elided === 1 ? "call" : "calls"}`] : []),
    ...(dropped > 0 ? [dropped === 1 ? "the oldest message" : `the ${dropped} oldest messages`] : []),
  ];
  const verb = elided === 0 && dropped === 1 ? "is" : "are";
  const message = `The context is nearly full: ${what.join(" and ")} ${verb} kept, but no longer sent to the model.`;
  await emit({ type: "warning", message: why === "" ? message : `${message} No summary stands for them: ${why}` });
  return true;
}
