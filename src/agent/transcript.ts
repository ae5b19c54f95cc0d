import { estimateTokenCount } from "tokenx";
import { ConversationError } from "../core/conversation-error.ts";
import { errorBlock, ToolError } from "../core/error.ts";
import type { Message, Usage } from "../core/model.ts";
import type { Conversations } from "../core/store.ts";

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
  /** Whether a request with this id on the wire is in the window. */
  knows(id: string): boolean;
}

const CHUNK = 500;

/** Opens a conversation where it was left. Calls that nobody saw the end of get an answer that says so; they are never made again. */
export async function openTranscript(conversations: Conversations, id: string, fixedTokens: number): Promise<Transcript> {
  const found = await conversations.get(id);
  if (!found) throw new ConversationError(`There is no conversation ${id}. \`zeph sessions\` lists them.`);
  const held: Message[] = [];
  let position = found.windowStart;
  for (;;) {
    const page = await conversations.messages(id, { after: position, limit: CHUNK });
    for (const { message, position: at } of page) {
      held.push(at <= found.elidedUntil ? withoutResult(message) : message);
      position = at;
    }
    if (page.length < CHUNK) break;
  }
  let start = found.windowStart;
  let { elidedUntil } = found;
  const known =
    found.counted.position > start && found.counted.position <= position ? found.counted : { tokens: fixedTokens, position: start };
  let counted = known.tokens;
  /** From here on nobody has counted yet. */
  let uncounted = known.position - start;
  const used = () => {
    for (; uncounted < held.length; uncounted++) counted += tokensOf(held[uncounted]!);
    return counted;
  };
  const ids = new Set(held.flatMap(requestIds));
  let characters = held.reduce((sum, message) => sum + sizeOf(message), 0);

  /** Written with the next message: whoever only looks changes nothing, and a process that still runs those calls is not disturbed. */
  let lost = unanswered(held);
  const write = async (given: readonly Message[]) => {
    const messages = [...lost, ...given];
    const weighed = { tokens: Math.round(counted), position: start + uncounted };
    position = await conversations.append(id, messages, { after: position, counted: weighed });
    for (const message of messages) {
      held.push(message);
      characters += sizeOf(message);
      for (const known of requestIds(message)) ids.add(known);
    }
    lost = [];
  };
  // Calls that run side by side end side by side; each result waits for the one before.
  let last: Promise<void> = Promise.resolve();
  const append = (...messages: readonly Message[]): Promise<void> => {
    if (messages.length === 0) return last;
    const mine = last.then(() => write(messages));
    last = mine.catch(() => {});
    return mine;
  };

  return {
    id,
    append,
    messages: () => [...held, ...lost],
    used,
    exceeds: (tokens) => counted + held.slice(uncounted).reduce((sum, message) => sum + atMost(message), 0) > tokens && used() > tokens,
    counted: ({ input, output }) => {
      // Some servers count only what they had not kept, or nothing at all.
      if (input + output < characters / MOST_CHARACTERS_PER_TOKEN) return;
      counted = input + output;
      uncounted = held.length;
    },
    knows: (one) => ids.has(one),
    async forget(tokens, keep) {
      let left = used();
      let elided = 0;
      let dropped = 0;
      const elide = (end: number) => {
        for (let at = dropped; at < end && left > tokens; at++) {
          const message = held[at]!;
          const short = withoutResult(message);
          elidedUntil = Math.max(elidedUntil, start + at + 1);
          if (short === message) continue;
          left -= tokensOf(message) - tokensOf(short);
          characters -= sizeOf(message) - sizeOf(short);
          held[at] = short;
          elided++;
        }
      };
      // A turn begins where somebody spoke; only there may a window begin.
      const drop = (end: number) => {
        for (let at = dropped + 1; at <= end && left > tokens; at++) {
          if (!beginsTurn(held[at]!)) continue;
          left -= held.slice(dropped, at).reduce((sum, message) => sum + tokensOf(message), 0);
          dropped = at;
        }
      };
      const past = held.length - keep;
      elide(Math.min(past, held.length - RECENT));
      drop(held.slice(0, past).findLastIndex(beginsTurn));
      elide(past);
      drop(past);
      if (elided + dropped === 0) return { elided, dropped };
      start += dropped;
      const weighed = { tokens: Math.round(Math.max(left, fixedTokens)), position: start + held.length - dropped };
      await conversations.startWindow(id, { start, elidedUntil, counted: weighed });
      for (const message of held.splice(0, dropped)) {
        characters -= sizeOf(message);
        for (const gone of requestIds(message)) ids.delete(gone);
      }
      counted = Math.max(left, fixedTokens);
      uncounted = held.length;
      return { elided, dropped };
    },
  };
}

/** The newest messages are what the model works on. */
const RECENT = 8;
const SHORT = 200;
const ELIDED = "[left out to make room; call again if it is needed]";

const withoutResult = (message: Message): Message =>
  message.role === "tool" && message.text.length > SHORT ? { ...message, text: ELIDED } : message;

/** A count by which a token would be longer than this is no count. */
const MOST_CHARACTERS_PER_TOKEN = 20;

/** What a message weighs besides its text: roles, ids, brackets. */
const FRAME = 6;

const tokensOf = (message: Message): number => texts(message).reduce((sum, text) => sum + FRAME + estimateTokens(text), 0);

/** No text has more tokens than this. */
const MOST_PER_CHARACTER = 2;
const atMost = (message: Message): number => texts(message).reduce((sum, text) => sum + FRAME + MOST_PER_CHARACTER * text.length, 0);

const sizeOf = (message: Message): number => texts(message).reduce((sum, text) => sum + text.length, 0);

function texts(message: Message): readonly string[] {
  if (message.role !== "assistant") return [message.text];
  return message.parts.map((part) => (part.type === "request" ? part.name + JSON.stringify(part.args) : part.text));
}

/** An estimate that is right within a few percent for text and code. A giant word is cheap to estimate, too. */
export const estimateTokens = (text: string): number => estimateTokenCount(text);

const requestIds = (message: Message): readonly string[] =>
  message.role === "assistant" ? message.parts.flatMap((part) => (part.type === "request" ? [part.id] : [])) : [];

const beginsTurn = (message: Message) => message.role === "user" && message.from !== "loop";

/** Requests at the end of a transcript whose calls nobody saw the end of: the process was killed while they ran. */
function unanswered(messages: readonly Message[]): Message[] {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const asked = last === -1 ? [] : requestIds(messages[last]!);
  const answered = new Set(messages.slice(last + 1).flatMap((message) => (message.role === "tool" ? [message.id] : [])));
  return asked.filter((id) => !answered.has(id)).map((id) => ({ role: "tool", id, text: errorBlock(LOST), failed: true }));
}

const LOST = new ToolError("cancelled", "Zeph was stopped while this call ran. Whether it took effect is not known.", {
  advice: "Look at what it would have changed before you call it again.",
});
