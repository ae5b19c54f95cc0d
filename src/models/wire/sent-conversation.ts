import type { Message } from "../../core/ports/model.ts";
import { type AnswerExchange, exchangesOf, type PartOf } from "./conversation.ts";
import { createGrowingBytes, type GrowingBytes, type RequestPiece } from "./request-bytes.ts";

export interface ConversationWriter {
  /** The id of the model that is asked. */
  readonly own: string;
  readonly takes?: (thought: PartOf<"thinking">) => boolean;
  /** JSON of these exchanges, with commas between its items. `newest` are the last ones of a request: where turns are marked, the last two are among them. */
  write(exchanges: readonly AnswerExchange[], which: "settled" | "newest"): string;
}

export interface SentConversation {
  /** What is sent of the messages, with commas between its items. */
  readonly pieces: readonly RequestPiece[];
  /** The newest exchanges; the last answer is among them. */
  readonly newest: readonly AnswerExchange[];
}

/** The beginning of a conversation, as it was sent before. */
interface KeptBeginning {
  readonly messages: Message[];
  readonly bytes: GrowingBytes;
}

/** The conversation somebody is in, and one that is led beside it. */
const MOST_KEPT = 2;

/** Writes conversations as requests want them. What was sent before is sent again as it was: only the newest exchanges are written. */
export function createSentConversation({ own, takes, write }: ConversationWriter): (messages: readonly Message[]) => SentConversation {
  let kept: KeptBeginning[] = [];
  const find = (messages: readonly Message[]) => {
    for (const beginning of kept) {
      const { length } = beginning.messages;
      // Somebody may have gone on from here in another way than before.
      if (messages[length]?.role !== "assistant" || !isBeginning(beginning.messages, messages)) continue;
      const exchanges = exchangesOf(messages.slice(length), own, takes);
      if (isCut(exchanges, 1)) return { beginning, exchanges };
    }
    return { beginning: { messages: [], bytes: createGrowingBytes() }, exchanges: exchangesOf(messages, own, takes) };
  };
  return (messages) => {
    const { beginning, exchanges } = find(messages);
    const end = endOfSettled(exchanges);
    if (end > 0) {
      const from = beginning.messages.length;
      beginning.bytes.add(`${write(exchanges.slice(0, end), "settled")},`);
      for (const message of messages.slice(from, messages.indexOf(exchanges[end]!.answer!, from))) beginning.messages.push(message);
      kept = [beginning, ...kept.filter((one) => one !== beginning)].slice(0, MOST_KEPT);
    }
    const newest = exchanges.slice(end);
    return { pieces: [beginning.bytes.all(), write(newest, "newest")], newest };
  };
}

/** Messages never change, so the same object is the same text. */
const isBeginning = (first: readonly Message[], all: readonly Message[]): boolean =>
  first.length <= all.length && first.every((message, n) => message === all[n]);

/** How many exchanges nothing that is said later can change. */
function endOfSettled(exchanges: readonly AnswerExchange[]): number {
  for (let end = exchanges.length - 2; end > 0; end--) if (isAnswered(exchanges[end - 1]!) && isCut(exchanges, end)) return end;
  return 0;
}

/**
 * Whether a turn of the model begins here: neighbours of one side are joined to one turn, so a cut is where the sides change. Two turns of ours stay
 * behind it, because marks may be on them.
 */
const isCut = (exchanges: readonly AnswerExchange[], at: number): boolean => isWhole(exchanges[at]) && isWhole(exchanges[at + 1]);

const isAnswered = ({ calls, said }: AnswerExchange): boolean => calls.length + said.length > 0;
const isWhole = (exchange: AnswerExchange | undefined): boolean =>
  exchange !== undefined && exchange.parts.length > 0 && isAnswered(exchange);
