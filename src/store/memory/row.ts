import type { Memory } from "../../core/ports/store.ts";
import { momentIn } from "../sqlite/values.ts";

/** The longest memory that is kept, and the longest that is read back. */
const MOST_CONTENT = 100_000;

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

/** Without those that are damaged. */
export const readableMemories = (rows: readonly Record<string, unknown>[]): readonly Memory[] =>
  rows.map(memoryOf).filter((one) => one !== null);

export function assertContent(content: string): void {
  if (content.trim() === "" || content.length > MOST_CONTENT)
    throw new RangeError(
      `A memory has between 1 and ${MOST_CONTENT} characters; this has ${content.length}. Save a summary, or where it can be found.`,
    );
}

const MOST_DIMS = 16_384;

export function assertVector(vector: Float32Array): void {
  if (vector.length === 0 || vector.length > MOST_DIMS || !vector.every(Number.isFinite))
    throw new RangeError(`A vector has between 1 and ${MOST_DIMS} numbers; this is none that could be compared.`);
}
