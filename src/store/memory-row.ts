import type { Memory } from "../core/store.ts";

/** The longest memory that is kept, and the longest that is read back. */
export const MOST_CONTENT = 100_000;

/** What is no text, or too long to be one of ours, is not even read. */
export const READABLE = `typeof(m.content) = 'text' and octet_length(m.content) <= ${MOST_CONTENT * 4}`;

/** The columns of a memory. */
export const MEMORY_COLUMNS = `m.n as n, m.id as id, m.workspace as workspace, m.untrusted as untrusted, m.created_at as created_at,
  case when ${READABLE} then m.content end as content`;

/** Null for a row that is damaged. */
export function memoryOf({ id, workspace, content, untrusted, created_at }: Record<string, unknown>): Memory | null {
  if (typeof id !== "string" || typeof content !== "string" || typeof created_at !== "number") return null;
  if (workspace !== null && typeof workspace !== "string") return null;
  // Whatever else stands there was not written by us, so it is not trusted.
  return { id, workspace, content, untrusted: untrusted !== 0, createdAt: created_at };
}
