import { openTranscript } from "../../agent/transcript.ts";
import type { Ending, ZephEvent } from "../../core/event.ts";
import { mark } from "../../core/ports/skill.ts";
import { type Bound, storedUnder } from "../../core/turn.ts";
import { beginningOf, titleOf } from "./current-conversation.ts";
import type { Turns } from "./turn-loop.ts";
import { takeTurn } from "./turns.ts";

/** A task that is worked off beside the conversation. */
export interface OwnTask {
  readonly text: string;
  readonly title: string;
  /** It was asked for after a stranger's text had been read. */
  readonly untrusted: boolean;
  /** It was asked for by somebody who was not believed in full. */
  readonly bound: Bound | null;
}

/** How a task in a conversation of its own ended. */
export interface OwnTaskEnd {
  readonly ok: boolean;
  readonly conversation: string;
  /** The model's last words, or why there are none. */
  readonly text: string;
}

/** A conversation of its own, in which nobody listens and nobody is asked. */
export async function runUnattended(
  turns: Turns,
  { text, title, untrusted, bound }: OwnTask,
  apart: (listen: (event: ZephEvent) => void, work: () => Promise<void>) => Promise<void>,
  signal: AbortSignal,
): Promise<OwnTaskEnd> {
  const { store, cwd, session, redact, config } = turns.inside;
  const place = storedUnder(cwd, turns.caller);
  const { id } = await store.conversations.create(place, titleOf(redact(beginningOf(title))));
  let said = "";
  let refused = 0;
  const ended: { why: Ending; message?: string } = { why: "failed" };
  const listen = (event: ZephEvent): void => {
    // Only what came after the last call counts: before it the model was still at work.
    if (event.type === "tool_start") said = "";
    if (event.type === "text") said += event.text;
    if (event.type === "done") {
      Object.assign(ended, event);
      refused = event.totals.denied + event.totals.unanswered;
    }
  };
  await apart(listen, async () => {
    const { seen } = session.current({ conversationId: id });
    if (untrusted) seen.untrusted = true;
    if (bound) mark(seen, bound);
    const transcript = await openTranscript(store.conversations, id, 0, { summaries: store.summaries });
    await takeTurn(turns, transcript, { text, completions: [], maxTurns: config.agent.max_tool_iterations, kind: "own" }, listen, signal);
  });
  const { why, message } = ended;
  // What was not allowed was not done, whatever the model says about it.
  const ok = why === "answered" && refused === 0;
  const note =
    refused === 0
      ? ""
      : ` (${refused} ${refused === 1 ? "call was" : "calls were"} refused, because nobody could be asked or a rule forbids it)`;
  return { ok, conversation: id, text: `${why === "answered" ? said.trim() : (message ?? why)}${note}` };
}
