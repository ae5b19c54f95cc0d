import { randomUUID } from "node:crypto";
import { ConversationError } from "../core/ports/conversation-error.ts";
import type { Message } from "../core/ports/model.ts";
import { createPace } from "../text/pace.ts";
import { createPieceJoiner, type LongText, longTextsIn, messageHead, type PieceRow, piecesOf } from "./long-texts.ts";
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

export function createMessagePieces(db: Sqlite): MessagePieces {
  const knows = db.statement("select 1 from conversations where id = ?");
  const insert = db.statement("insert into message_pieces (key, n, conversation_id, path, text) values (?, ?, ?, ?, ?)");
  const remove = db.statement("delete from message_pieces where key = ?");
  const find = db.statement<PieceRow>("select path, text from message_pieces where key = ? and n = ?");

  const writeOne = async (conversation: string, message: Message, texts: readonly LongText[]): Promise<MessageRow> => {
    const row = { body: JSON.stringify(messageHead(message, texts)), pieces: randomUUID() };
    const pace = createPace();
    let n = 0;
    try {
      for (const { path, text } of piecesOf(texts)) {
        insert.run(row.pieces, n++, conversation, path, text);
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
      const joined = createPieceJoiner(message);
      for (let n = 0; ; n++) {
        const piece = find.get(pieces, n);
        if (!piece) break;
        joined.add(piece);
        await pace.step();
      }
      return joined.whole();
    },
  };
}
