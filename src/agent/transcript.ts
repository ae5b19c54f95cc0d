import { ConversationError } from "../core/ports/conversation-error.ts";
import type { CallFate } from "../core/ports/fleet/session.ts";
import type { Message, Usage } from "../core/ports/model.ts";
import type { Conversations, Summaries, Summary } from "../core/ports/store.ts";
import { forgetMessages } from "./forget.ts";
import { CONTINUED, knowledgeOf, openingFor } from "./knowledge.ts";
import { mediaIn, overMediaLimit, withoutOldMedia } from "./media-limit.ts";
import {
  beginsTurn,
  endOfPast,
  estimateTokens,
  lostResult,
  messageLength,
  mostTokensOf,
  requestIds,
  tokensOf,
  unanswered,
  weighMessages,
  withoutResult,
} from "./messages.ts";

export { estimateTokens } from "./messages.ts";

/** The part of a conversation a model is shown: a window over the store. What lies before it stays there and is no longer sent. */
export interface Transcript {
  readonly id: string;
  messages(): readonly Message[];
  /** Kept before it is shown. Refused when another process has gone on with this conversation. */
  append(...messages: readonly Message[]): Promise<void>;
  /** Tokens the next request would hold: what the provider counted last, and an estimate of what came after. */
  used(): number;
  /** Whether that is more than so many. Cheap as long as it is far from it. */
  exceeds(tokens: number): boolean;
  /** What the provider counted for everything so far. */
  counted(usage: Usage): void;
  /**
   * Makes room until about this many tokens are left: first the results of old calls are left out, then whole turns, oldest first. The last
   * `keep` messages stay. What was said stays as long as it can, because a model without its task is lost.
   */
  forget(tokens: number, keep: number): Promise<{ readonly elided: number; readonly dropped: number }>;
  /** From now on nothing but text is sent of what was said and returned so far. False when there is nothing else. */
  dropMedia(why: string): boolean;
  /** Whether a request with this id on the wire is in the window. */
  knows(id: string): boolean;
  /** Messages up to this position are no longer sent. */
  start(): number;
  /** What stands for them, as the end of the system text; empty when nothing does. It changes only when the window moves. */
  knowledge(): string;
  /** What a summary could stand for: all but the newest messages, the last `keep` at least, and never a round that is not over. Null for nothing. */
  past(keep: number, tokens: number, recent?: number): TranscriptPast | null;
  /** From now on the summary is sent in place of the messages it stands for. */
  standFor(summary: Summary): Promise<void>;
  /** Requests whose questions were left for later: their calls have not run, and have no result yet. */
  waiting(): readonly string[];
  /** What the model was told of the place and the day when the conversation began; null in one that has not begun, or was stored without. */
  begun(): string | null;
  /** The same for one that has no message yet: it is stored with the first one. */
  begin(text: string): void;
  /** The how many-th call of the conversation a request of the window is. */
  callNumber(id: string): Promise<number>;
}

export interface TranscriptPast {
  readonly messages: readonly Message[];
  /** The position of the last. */
  readonly until: number;
  /** What the window would begin with. */
  readonly opening: string;
}

/** Where summaries are kept, and how many tokens of them are sent at most. */
export interface KnowledgeParts {
  readonly summaries: Pick<Summaries, "of">;
  readonly mostTokens?: number;
  /** Requests whose questions are open. */
  readonly waiting?: ReadonlySet<string>;
  /** What is known of a call that has no result; without it, nothing. */
  readonly fateOf?: (call: string) => CallFate;
}

/** Few, because each may hold megabytes of images. */
const CHUNK = 25;

/** Opens a conversation where it was left. Calls that nobody saw the end of get an answer that says so; they are never made again. */
export async function openTranscript(
  conversations: Conversations,
  id: string,
  /** What every request holds besides messages and knowledge. */
  fixedTokens: number,
  parts?: KnowledgeParts,
): Promise<Transcript> {
  const found = await conversations.get(id);
  if (!found) throw new ConversationError(`There is no conversation ${id}. \`zeph sessions\` lists them.`);
  let summaries = (await parts?.summaries.of(id)) ?? [];
  const held: Message[] = [];
  let position = found.windowStart;
  const [first] = found.length > 0 ? await conversations.messages(id, { after: 0, limit: 1 }) : [];
  let begun = first?.message.role === "user" ? (first.message.begun ?? null) : null;
  for await (const { message: kept, position: at } of stored(conversations, id, position)) {
    const message = withoutBeginning(kept);
    held.push(at <= found.elidedUntil ? withoutResult(message) : message);
    position = at;
    if (mediaIn(message).count > 0) for (const n of overMediaLimit(held)) held[n] = withoutOldMedia(held[n]!);
  }
  let start = found.windowStart;
  let { elidedUntil } = found;

  /** A summary whose window never began stands for nothing: its messages are still sent. */
  const knowledgeAt = (at: number) =>
    knowledgeOf(
      summaries.filter(({ until }) => until <= at),
      parts?.mostTokens,
    );
  let knowledge = knowledgeAt(start);
  /** A window may begin in the middle of a turn; a provider wants it to begin with a user. */
  const openingAt = (at: number, first: Message | undefined): readonly Message[] =>
    first === undefined || beginsTurn(first)
      ? []
      : [{ role: "user", from: "loop", text: summaries.findLast(({ until }) => until === at)?.opening || CONTINUED }];
  /** What a request holds besides the messages of the window. */
  const fixed = () => fixedTokens + estimateTokens(knowledge) + weighMessages(openingAt(start, held[0]));

  const known = found.counted.position > start && found.counted.position <= position ? found.counted : { tokens: fixed(), position: start };
  let counted = known.tokens;
  /** From here on nobody has counted yet. */
  let uncounted = known.position - start;
  const used = () => {
    for (; uncounted < held.length; uncounted++) counted += tokensOf(held[uncounted]!);
    return counted;
  };
  const ids = new Set(held.flatMap(requestIds));
  let characters = held.reduce((sum, message) => sum + messageLength(message), 0);
  /** Calls before the window; nobody has counted those of a conversation that is opened again. */
  let callsBefore = start === 0 ? 0 : null;

  /** Written with the next message: whoever only looks changes nothing, and a process that still runs those calls is not disturbed. */
  const isOpen = (one: string) => parts?.waiting?.has(one) === true;
  let lost = unanswered(held)
    .ids.filter((one) => !isOpen(one))
    .map((one) => lostResult(one, parts?.fateOf?.(callOf(held, one))));
  const write = async (given: readonly Message[]) => {
    const messages = [...lost, ...given];
    const weighed = { tokens: Math.round(counted), position: start + uncounted };
    const kept = position === 0 && begun !== null ? withBeginning(messages, begun) : messages;
    position = await conversations.append(id, kept, { after: position, counted: weighed });
    for (const message of messages) {
      held.push(message);
      characters += messageLength(message);
      for (const known of requestIds(message)) ids.add(known);
    }
    lost = [];
    if (messages.some((message) => mediaIn(message).count > 0)) for (const n of overMediaLimit(held)) leaveOutAt(n);
  };
  /** From now on it is sent without its media. */
  const leaveOutAt = (n: number, why?: string) => {
    const before = held[n]!;
    const after = withoutOldMedia(before, why);
    held[n] = after;
    characters += messageLength(after) - messageLength(before);
    if (n < uncounted) counted -= tokensOf(before) - tokensOf(after);
  };
  // Calls that run side by side end side by side; each result waits for the one before.
  let last: Promise<void> = Promise.resolve();
  const queued = (work: () => Promise<void>): Promise<void> => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };

  /** The window begins that many messages later, and about so many tokens are left. */
  const begin = async (dropped: number, left: number) => {
    const to = start + dropped;
    const before = fixed();
    const then = { knowledge: knowledgeAt(to), opening: openingAt(to, held[dropped]) };
    const after = fixedTokens + estimateTokens(then.knowledge) + weighMessages(then.opening);
    const tokens = Math.max(left + after - before, after);
    await conversations.startWindow(id, {
      start: to,
      elidedUntil,
      counted: { tokens: Math.round(tokens), position: start + held.length },
    });
    start = to;
    knowledge = then.knowledge;
    for (const message of held.splice(0, dropped)) {
      characters -= messageLength(message);
      const gone = requestIds(message);
      for (const one of gone) ids.delete(one);
      if (callsBefore !== null) callsBefore += gone.length;
    }
    counted = tokens;
    uncounted = held.length;
  };

  return {
    id,
    append: (...messages) => (messages.length === 0 ? last : queued(() => write(messages))),
    messages: () => [...openingAt(start, held[0]), ...held, ...lost],
    used,
    exceeds: (tokens) =>
      counted + held.slice(uncounted).reduce((sum, message) => sum + mostTokensOf(message), 0) > tokens && used() > tokens,
    counted: ({ input, output }) => {
      // Some servers count only what they had not kept, or nothing at all.
      if (input + output < characters / MOST_CHARACTERS_PER_TOKEN) return;
      counted = input + output;
      uncounted = held.length;
    },
    knows: (one) => ids.has(one),
    waiting: () => unanswered([...held, ...lost]).ids,
    start: () => start,
    knowledge: () => knowledge,
    async forget(tokens, keep) {
      const { messages, elided, elidedUntil: until, dropped, left } = forgetMessages(held, used(), tokens, keep);
      if (elided + dropped === 0) return { elided, dropped };
      if (until > 0) elidedUntil = Math.max(elidedUntil, start + until);
      characters +=
        messages.reduce((sum, message) => sum + messageLength(message), 0) - held.reduce((sum, message) => sum + messageLength(message), 0);
      for (const [n, message] of messages.entries()) held[n] = message;
      await begin(dropped, left);
      return { elided, dropped };
    },
    dropMedia(why) {
      const with_ = held.flatMap((message, n) => (mediaIn(message).count > 0 ? [n] : []));
      for (const n of with_) leaveOutAt(n, why);
      return with_.length > 0;
    },
    past(keep, tokens, recent) {
      const end = endOfPast(held, keep, tokens, recent);
      if (end === 0) return null;
      const opening = openingAt(start, held[0]);
      return {
        messages: [...opening, ...held.slice(0, end)],
        until: start + end,
        opening: openingFor(held, end, opening[0]?.role === "user" ? opening[0].text : "", tokens),
      };
    },
    standFor: (summary) =>
      queued(async () => {
        summaries = [...summaries, summary];
        const dropped = Math.max(0, summary.until - start);
        await begin(dropped, used() - weighMessages(held.slice(0, dropped)));
      }),
    begun: () => begun,
    begin(text) {
      begun = text;
    },
    async callNumber(wanted) {
      if (callsBefore === null) {
        let calls = 0;
        for await (const { message, position: at } of stored(conversations, id, 0)) {
          if (at > start) break;
          calls += requestIds(message).length;
        }
        callsBefore = calls;
      }
      return callsBefore + held.flatMap(requestIds).indexOf(wanted) + 1;
    },
  };
}

/** The call behind a request, as everybody but the model names it. */
function callOf(messages: readonly Message[], request: string): string {
  const asker = messages.findLast((message) => message.role === "assistant");
  const asked = asker?.parts.find((part) => part.type === "request" && part.id === request);
  return asked?.type === "request" ? asked.callId : request;
}

/** The messages of a conversation after a position, a page at a time. */
export async function* stored(conversations: Conversations, id: string, after: number) {
  for (let position = after; ; ) {
    const page = await conversations.messages(id, { after: position, limit: CHUNK });
    yield* page;
    if (page.length < CHUNK) return;
    position = page.at(-1)!.position;
  }
}

/** A count by which a token would be longer than this is no count. */
const MOST_CHARACTERS_PER_TOKEN = 20;

const withBeginning = ([first, ...rest]: readonly Message[], begun: string): readonly Message[] =>
  first?.role === "user" ? [{ ...first, begun }, ...rest] : [...(first ? [first] : []), ...rest];

function withoutBeginning(message: Message): Message {
  if (message.role !== "user" || message.begun === undefined) return message;
  const { begun: _, ...rest } = message;
  return rest;
}
