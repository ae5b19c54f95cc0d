import { randomUUID } from "node:crypto";
import { ConversationError } from "../../../core/ports/conversation-error.ts";
import type { Message } from "../../../core/ports/model.ts";
import { createPieceJoiner, longTextsIn, messageHead, type PieceRow, piecesOf } from "../../long-texts.ts";
import type { MessageRow } from "../../message-pieces.ts";
import type { Rows } from "../pg.ts";
import type { FencedWrites } from "./fence.ts";

/** As `MessagePieces` of the SQLite file; what is written there at once is waited for here. */
export interface SharedPieces {
  write(conversation: string, messages: readonly Message[]): Promise<readonly MessageRow[]>;
  discard(rows: readonly MessageRow[]): Promise<void>;
  read(row: MessageRow): Promise<Message>;
}

/** Pieces that are read at once: about two million characters. */
const BATCH = 8;

export function createSharedPieces(db: Rows, writes: FencedWrites): SharedPieces {
  const remove = (key: string) => db.run("delete from message_pieces where key = ?", key);
  const writeOne = async (conversation: string, message: Message): Promise<MessageRow> => {
    const texts = longTextsIn(message);
    if (texts.length === 0) return { body: JSON.stringify(message), pieces: null };
    if (!(await db.one("select 1 from conversations where id = ?", conversation)))
      throw new ConversationError(`There is no conversation ${conversation}. It may have been deleted; start a new one.`);
    const row = { body: JSON.stringify(messageHead(message, texts)), pieces: randomUUID() };
    let n = 0;
    try {
      for (const { path, text } of piecesOf(texts))
        await writes.run(
          `insert into message_pieces (key, n, conversation_id, path, text) select ?, ?, ?, ?, ? from fence
           on conflict (tenant, key, n) do nothing`,
          row.pieces,
          n++,
          conversation,
          path,
          text,
        );
    } catch (error) {
      await remove(row.pieces);
      throw error;
    }
    return row;
  };

  return {
    async write(conversation, messages) {
      const rows: MessageRow[] = [];
      for (const message of messages) rows.push(await writeOne(conversation, message));
      return rows;
    },
    async discard(rows) {
      for (const { pieces } of rows) if (pieces !== null) await remove(pieces);
    },
    async read({ body, pieces }) {
      const message = JSON.parse(body) as Message;
      if (pieces === null) return message;
      const joined = createPieceJoiner(message);
      for (let n = 0; ; n += BATCH) {
        const found = await db.all<PieceRow>(
          "select path, text from message_pieces where key = ? and n >= ? order by n limit ?",
          pieces,
          n,
          BATCH,
        );
        found.forEach(joined.add);
        if (found.length < BATCH) return joined.whole();
      }
    },
  };
}
