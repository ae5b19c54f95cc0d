import type { Message } from "../core/ports/model.ts";

/** A longer text does not stand in the row of its message. */
const LONGEST_TEXT = 500_000;
/** The row holds so much of it: more than is indexed of a message. */
const HEAD = 120_000;
const PIECE = 250_000;

/** A text of a message that does not stand in its row. */
export interface LongText {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

export function longTextsIn(value: unknown, path: LongText["path"] = []): LongText[] {
  if (typeof value === "string") return value.length > LONGEST_TEXT ? [{ path, text: value }] : [];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, at) => longTextsIn(item, [...path, at]));
  return Object.entries(value).flatMap(([name, item]) => longTextsIn(item, [...path, name]));
}

/** A piece as its row holds it. Both are JSON: a piece may end in half a character, and a text may hold what a database does not keep. */
export interface PieceRow {
  readonly path: string;
  readonly text: string;
}

/** In their order. */
export function* piecesOf(texts: readonly LongText[]): Generator<PieceRow> {
  for (const { path, text } of texts)
    for (let at = 0; at < text.length; at += PIECE) yield { path: JSON.stringify(path), text: JSON.stringify(text.slice(at, at + PIECE)) };
}

/** What stands in the row of the message itself. */
export const messageHead = (message: Message, texts: readonly LongText[]): Message =>
  replaceTexts(message, texts, ({ text }) => text.slice(0, HEAD));

/** Makes the whole message of its head and its pieces, which come one by one. */
export function createPieceJoiner(head: Message): { add(piece: PieceRow): void; whole(): Message } {
  const texts = new Map<string, string>();
  return {
    add: ({ path, text }) => void texts.set(path, (texts.get(path) ?? "") + JSON.parse(text)),
    whole: () =>
      replaceTexts(
        head,
        [...texts].map(([path, text]) => ({ path: JSON.parse(path) as LongText["path"], text })),
        ({ text }) => text,
      ),
  };
}

/** The same with other texts in the places of these. */
const replaceTexts = (message: Message, texts: readonly LongText[], text: (one: LongText) => string): Message =>
  texts.reduce<unknown>((whole, one) => replaced(whole, one.path, text(one)), message) as Message;

function replaced(value: unknown, [first, ...rest]: LongText["path"], text: string): unknown {
  if (first === undefined) return text;
  if (Array.isArray(value)) return value.map((item, at) => (at === first ? replaced(item, rest, text) : item));
  const entries = Object.entries(value as object);
  return Object.fromEntries(entries.map(([name, item]) => [name, name === first ? replaced(item, rest, text) : item]));
}
