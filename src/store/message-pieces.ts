import { randomUUID } from "node:crypto";
import { ConversationError } from "../core/ports/conversation-error.ts";
import type { Message } from "../core/ports/model.ts";
import { createPace } from "../text/pace.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

/**
 * Megabytes that somebody said in one message. They are written piece by piece, each in a transaction of its own with a turn for others after it, before
 * the message that they belong to; without it they are nothing. Its row holds the beginning of each long text, which is what a search finds.
 */
export interface MessagePieces {
  /** What the row of each message holds. Nothing is written where no text is long. */
  write(conversation: string, messages: readonly Message[]): Promise<readonly MessageRow[]>;
  /** For rows that nobody refers to after all. */
  discard(rows: readonly MessageRow[]): void;
  read(row: MessageRow): Promise<Message>;
}

export interface MessageRow {
  readonly body: string;
  /** The key of its pieces. */
  readonly pieces: string | null;
}

/** A longer text does not stand in the row of its message. */
const LONGEST_TEXT = 500_000;
/** The row holds so much of it: more than is indexed of a message. */
const HEAD = 120_000;
const PIECE = 250_000;

export function createMessagePieces(db: Sqlite): MessagePieces {
  const knows = db.statement("select 1 from conversations where id = ?");
  const insert = db.statement("insert into message_pieces (key, n, conversation_id, path, text) values (?, ?, ?, ?, ?)");
  const remove = db.statement("delete from message_pieces where key = ?");
  const find = db.statement<{ path: string; text: string }>("select path, text from message_pieces where key = ? and n = ?");

  const writeOne = async (conversation: string, message: Message, texts: readonly LongText[]): Promise<MessageRow> => {
    const row = { body: JSON.stringify(replaceTexts(message, texts, ({ text }) => text.slice(0, HEAD))), pieces: randomUUID() };
    const pace = createPace();
    let n = 0;
    try {
      for (const { path, text } of texts)
        for (let at = 0; at < text.length; at += PIECE) {
          // As JSON: a piece may end in half a character, and a text may hold what SQLite does not keep.
          insert.run(row.pieces, n++, conversation, JSON.stringify(path), JSON.stringify(text.slice(at, at + PIECE)));
          await pace.step();
        }
    } catch (error) {
      remove.run(row.pieces);
      throw error;
    }
    return row;
  };

  return {
    async write(conversation, messages) {
      const rows: MessageRow[] = [];
      for (const message of messages) {
        const texts = longTextsIn(message);
        if (texts.length > 0 && !knows.get(conversation))
          throw new ConversationError(`There is no conversation ${conversation}. It may have been deleted; start a new one.`);
        rows.push(texts.length === 0 ? { body: JSON.stringify(message), pieces: null } : await writeOne(conversation, message, texts));
      }
      return rows;
    },
    discard(rows) {
      for (const { pieces } of rows) if (pieces !== null) remove.run(pieces);
    },
    async read({ body, pieces }) {
      const message = JSON.parse(body) as Message;
      if (pieces === null) return message;
      const pace = createPace();
      const whole = new Map<string, string>();
      for (let n = 0; ; n++) {
        const piece = find.get(pieces, n);
        if (!piece) break;
        whole.set(piece.path, (whole.get(piece.path) ?? "") + JSON.parse(piece.text));
        await pace.step();
      }
      const texts = [...whole].map(([path, text]) => ({ path: JSON.parse(path) as LongText["path"], text }));
      return replaceTexts(message, texts, ({ text }) => text);
    },
  };
}

interface LongText {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

function longTextsIn(value: unknown, path: LongText["path"] = []): LongText[] {
  if (typeof value === "string") return value.length > LONGEST_TEXT ? [{ path, text: value }] : [];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item, at) => longTextsIn(item, [...path, at]));
  return Object.entries(value).flatMap(([name, item]) => longTextsIn(item, [...path, name]));
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
