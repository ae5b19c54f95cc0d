import type { Memory } from "../../core/ports/store.ts";
import { momentIn } from "../sqlite/values.ts";

/** The longest memory that is kept, and the longest that is read back. */
export const MOST_CONTENT = 100_000;

/** What is no text, or too long to be one of ours, is not even read. */
export const READABLE = `typeof(m.content) = 'text' and octet_length(m.content) <= ${MOST_CONTENT * 4}`;

/** The columns of a memory. Whatever else than 0 stands in `untrusted` was not written by us, so it is not trusted. */
export const MEMORY_COLUMNS = `m.n as n, m.id as id, m.workspace as workspace, m.untrusted is not 0 as untrusted,
  ${momentIn("m.created_at")} as created_at, case when ${READABLE} then m.content end as content`;

/** Null for a row that is damaged. */
export function memoryOf({ id, workspace, content, untrusted, created_at }: Record<string, unknown>): Memory | null {
  if (typeof id !== "string" || typeof content !== "string" || typeof created_at !== "number") return null;
  if (workspace !== null && typeof workspace !== "string") return null;
  return { id, workspace, content, untrusted: untrusted !== 0, createdAt: created_at };
}
