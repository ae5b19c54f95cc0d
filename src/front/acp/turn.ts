import { randomUUID } from "node:crypto";
import { type ContentBlock, type PromptResponse, RequestError, type StopReason } from "@agentclientprotocol/sdk";
import { CommandError } from "../../core/command.ts";
import type { Ending } from "../../core/event.ts";
import { untilAborted } from "../../text/abort.ts";
import { visible } from "../../text/visible.ts";
import { waitWithin } from "../../text/wait-within.ts";
import type { EditorCalls } from "./calls.ts";
import type { EditorSession, SentBeside } from "./editor-agents.ts";
import { type EventTeller, stopReason } from "./event-teller.ts";
import { fenced } from "./fenced.ts";
import type { EditorNotes } from "./notes.ts";
import { LONGEST_PROMPT, promptOf } from "./prompt.ts";
import type { Wire } from "./wire.ts";

/** A prompt that is being answered. */
export interface Turn {
  readonly stop: AbortController;
  /** One that was cancelled and may not have ended yet. */
  readonly before: Promise<unknown> | null;
  /** Until everything has ended, which may be after the answer. It never rejects. */
  work: Promise<unknown> | null;
}

interface Parts {
  readonly wire: Wire;
  readonly session: EditorSession;
  readonly calls: EditorCalls;
  readonly notes: EditorNotes;
  readonly teller: EventTeller;
}

/** How long a turn that was cancelled may take to end in order. The person does not wait longer. */
const GRACE_MS = 300;
const MOST_BEFORE_MS = 10_000;

/** Answers one prompt. Once it is cancelled it answers at once, whatever still hangs. */
export async function answerPrompt(parts: Parts, blocks: readonly ContentBlock[], turn: Turn): Promise<PromptResponse> {
  const { calls, notes } = parts;
  const prompted = promptOf(blocks);
  if (prompted.text === "") throw RequestError.invalidParams(undefined, "The prompt is empty.");
  if (prompted.text.length > LONGEST_PROMPT)
    throw RequestError.invalidParams(
      { characters: prompted.text.length },
      `The prompt is longer than ${LONGEST_PROMPT} characters. Name files by their paths instead of sending them.`,
    );
  const { signal } = turn.stop;
  let isAnswered = false;
  const work = answered(parts, prompted, turn, () => isAnswered);
  turn.work = work;
  const cancelled = untilAborted(signal).then(async (): Promise<End> => {
    await waitWithin(work, GRACE_MS, null);
    return { reason: "cancelled", why: "cancelled" };
  });
  const end = await Promise.race([work, cancelled]);
  isAnswered = true;
  // A call that is still open would be shown as running for ever.
  await calls.drop(signal.aborted ? "Cancelled." : "It did not end in this turn.");
  notes.turnEnds();
  return { stopReason: signal.aborted ? "cancelled" : end.reason, _meta: { zeph: { ended: signal.aborted ? "cancelled" : end.why } } };
}

interface End {
  readonly reason: StopReason;
  readonly why: Ending | "command";
}

/** Never rejects: what goes wrong is told. */
async function answered(
  parts: Parts,
  { text, left, words, typed }: ReturnType<typeof promptOf>,
  turn: Turn,
  isAnswered: () => boolean,
): Promise<End> {
  const { wire, session, notes } = parts;
  const { signal } = turn.stop;
  try {
    if (
      turn.before &&
      (await waitWithin(
        turn.before.then(() => true),
        MOST_BEFORE_MS,
        false,
        signal,
      )) === false &&
      !signal.aborted
    )
      throw new Error("What was cancelled before has not ended yet. Try again in a moment.");
    await notes.turnBegins();
    for (const why of left) await notes.tell("warning", why);
    const command = typed ? commandIn(text, session) : null;
    if (!command) return await sent(parts, text, { mentions: words }, signal, isAnswered);
    const reply = await command.run(signal);
    if (reply.text.trim() !== "" && !isAnswered())
      await say(wire, reply.text.includes("\n") ? fenced(visible(reply.text)) : visible(reply.text));
    if (reply.send === undefined) return { reason: "end_turn", why: "command" };
    return await sent(parts, reply.send, reply.quotes ? { quotes: reply.quotes } : {}, signal, isAnswered);
  } catch (error) {
    if (!isAnswered() && !signal.aborted) await say(wire, visible(problem(error)));
    return { reason: "end_turn", why: "failed" };
  }
}

async function sent(
  { session, teller }: Parts,
  text: string,
  beside: SentBeside,
  signal: AbortSignal,
  isAnswered: () => boolean,
): Promise<End> {
  let why: Ending = "failed";
  for await (const event of session.send(text, signal, beside)) {
    if (event.type === "done") why = event.why;
    if (!isAnswered()) await teller.tell(event);
  }
  return { reason: stopReason(why), why };
}

/** A path may begin a message; only the name of a command makes it one. */
function commandIn(text: string, session: EditorSession) {
  const [, name, rest = ""] = /^(\/[\w-]+(?::[\w.-]+)?)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  const command = session.commands().find((one) => one.name === name);
  return command ? { run: (signal: AbortSignal) => command.run(rest.trim(), signal) } : null;
}

const say = (wire: Wire, text: string) =>
  wire.update({ sessionUpdate: "agent_message_chunk", messageId: randomUUID(), content: { type: "text", text } });

function problem(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return error instanceof CommandError ? message : `This did not work: ${message}`;
}
