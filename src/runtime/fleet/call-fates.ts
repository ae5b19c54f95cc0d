import { unanswered } from "../../agent/messages.ts";
import type { CallFate } from "../../core/ports/fleet/session.ts";
import type { Conversations } from "../../core/ports/store.ts";
import type { TurnRows } from "../../fleet/session/turn-rows.ts";

/** A message asks for 128 calls at most, and behind it stand their results. */
const LAST_MESSAGES = 400;

/**
 * What is known of the calls that were asked for last and have no result. `said`: how long the conversation was when a turn of a fleet last said something.
 * Of calls that were asked for outside of a fleet no journal tells, so nothing is known.
 */
export async function readFates(
  rows: Pick<TurnRows, "fates">,
  conversations: Conversations,
  { session, length, said }: { readonly session: string; readonly length: number; readonly said: number | null },
): Promise<ReadonlyMap<string, CallFate>> {
  if (length === 0) return new Map();
  const last = await conversations.messages(session, { after: Math.max(0, length - LAST_MESSAGES), limit: LAST_MESSAGES });
  const { asker, ids } = unanswered(last.map(({ message }) => message));
  const asked = last[asker];
  if (ids.length === 0 || asked?.message.role !== "assistant") return new Map();
  const calls = asked.message.parts.flatMap((part) => (part.type === "request" && ids.includes(part.id) ? [part.callId] : []));
  const found = await rows.fates(session, calls);
  const isNoted = said !== null && asked.position > said;
  return new Map(calls.map((call) => [call, found.get(call) ?? (isNoted ? "not made" : "unknown")]));
}
