import type { Message, MessagePart } from "../core/ports/model.ts";
import { canonicalJson } from "../text/json.ts";
import { bounded } from "../text/visible.ts";

/** A shorter text is given again: the note would hardly be shorter. */
const SHORTEST = 200;
const MOST_ARGUMENTS = 80;

export interface EarlierResult {
  /** The id on the wire of the call that gave the text first. */
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

/** The call of the window that was the same as this one and whose result still stands there, word for word. Null when there is none. */
export function findSameResult(messages: readonly Message[], id: string, text: string): EarlierResult | null {
  if (text.length <= SHORTEST) return null;
  const requests = new Map(messages.flatMap(requestsOf).map((part) => [part.id, part]));
  const mine = requests.get(id);
  if (!mine) return null;
  const wanted = keyOf(mine);
  for (const message of messages) {
    if (message.role !== "tool" || message.failed || message.id === id || message.text !== text) continue;
    const other = requests.get(message.id);
    if (other && keyOf(other) === wanted) return other;
  }
  return null;
}

/** What the model reads in place of the text it has already. */
export const unchangedNote = (call: number, { name, args }: EarlierResult): string =>
  `[unchanged since call ${call}: ${name} ${short(JSON.stringify(args))}]`;

type Request = Extract<MessagePart, { type: "request" }>;
const requestsOf = (message: Message): readonly Request[] =>
  message.role === "assistant" ? message.parts.filter((part) => part.type === "request") : [];
const keyOf = ({ name, args }: Request) => canonicalJson([name, args]);
const short = (text: string) => bounded(text, MOST_ARGUMENTS - 1);
