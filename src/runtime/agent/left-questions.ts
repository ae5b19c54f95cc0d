import { notRunResult } from "../../agent/messages.ts";
import { stored, type Transcript } from "../../agent/transcript.ts";
import { ConversationError } from "../../core/ports/conversation-error.ts";
import type { OpenQuestions } from "../../core/ports/open-questions.ts";
import type { Store } from "../../core/ports/store.ts";
import type { CurrentConversation } from "./current-conversation.ts";

/** Throws a ConversationError unless a question about this call was left in the conversation. */
export async function assertWaiting(questions: OpenQuestions, transcript: Transcript, callId: string): Promise<void> {
  const found = await questions.get(callId);
  if (!found) throw new ConversationError(`No question about the call ${callId} is open. It may have been answered already.`);
  const { conversation, request } = found.question;
  if (conversation !== transcript.id)
    throw new ConversationError(
      conversation === undefined
        ? "The question belongs to no conversation. Answer it with the runtime: zeph.answer()."
        : `The question belongs to the conversation ${conversation}. Open that one.`,
    );
  if (request === undefined || !transcript.waiting().includes(request))
    throw new ConversationError("The conversation has gone on since the question was asked.");
}

/** Somebody says something new instead of an answer: the open questions of the conversation are taken back, and the model reads that nothing ran. */
export async function dropQuestions(questions: OpenQuestions, transcript: Transcript): Promise<void> {
  const waiting = transcript.waiting();
  if (waiting.length === 0) return;
  const left = await questions.list({ conversation: transcript.id });
  for (const id of waiting) {
    const one = left.find(({ question }) => question.request === id);
    if (!one || !(await questions.take(one.callId)))
      throw new ConversationError("A question of this conversation is being answered elsewhere. Open the conversation again afterwards.");
  }
  await transcript.append(...waiting.map(notRunResult));
}

/** The conversation, read again where another process has answered its questions. */
export async function openLatest(talk: CurrentConversation, store: Store, title: string): Promise<Transcript> {
  const known = await talk.open(title);
  if (!(await wereAnsweredElsewhere(store, known))) return known;
  talk.reopen();
  return talk.open(title);
}

/** Whether the questions that this transcript waits for were answered in another process, with results that are kept. */
async function wereAnsweredElsewhere({ conversations }: Store, transcript: Transcript): Promise<boolean> {
  const waiting = new Set(transcript.waiting());
  if (waiting.size === 0) return false;
  for await (const { message } of stored(conversations, transcript.id, transcript.start()))
    if (message.role === "tool") waiting.delete(message.id);
  return waiting.size === 0;
}
