import type { KeptText, Owner } from "../core/ports/printed/overflow.ts";

/** A longer text is written and read in parts of so many characters, each in a row of its own: others have their turn in between. */
const PART = 512 * 1024;
/** The id of a text is a UUID; its further parts have a dot and a number behind it. */
export const WHOLE_ID_LENGTH = 36;

/** The kind is part of it, so that no session can take a conversation's name. */
export const overflowScope = (owner: Owner): string =>
  "conversation" in owner ? `conversation ${owner.conversation}` : `session ${owner.session}`;

/** The n of `raw#n`. */
export function overflowHandle(id: string): number | null {
  const handle = /^raw#([1-9]\d{0,14})$/.exec(id);
  return handle && Number(handle[1]);
}

export function overflowText(row: Record<string, unknown>): string {
  const { buffer, byteOffset, byteLength } = row.body as Uint8Array<ArrayBuffer>;
  return Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
}

/** Between two characters, never inside of one. */
export function overflowParts(text: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = from + PART;
    const isInPair = end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
    const part = text.slice(from, isInPair ? end - 1 : end);
    parts.push(part);
    from += part.length;
  }
  return parts;
}

/** More texts are not looked through for a word. */
export const MOST_SEARCHED = 2000;

/** As it is written, whatever its case. */
export const includesText = (whole: string, part: string): boolean => whole.toLowerCase().includes(part.toLowerCase());

/** What a row says of a text, whatever the database. */
export const keptRow = (row: Record<string, unknown>): KeptText => ({
  id: row.id as string,
  handle: row.handle as number | null,
  chars: row.size as number,
  createdAt: row.created_at as number,
  ...(row.call_id !== null && { callId: row.call_id as string }),
  ...(row.conversation_id !== null && { conversation: row.conversation_id as string }),
});
