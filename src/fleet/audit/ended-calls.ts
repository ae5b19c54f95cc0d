import { isRecord, parseJson } from "../../text/json.ts";
import type { CopiedLine } from "./chain-file.ts";

/** A call of which a line says how it ended. */
export interface EndedCall {
  /** The place of its line in the batch, from 1 on. */
  readonly place: number;
  readonly call: string;
  readonly outcome: string;
}

/** What may settle calls of which nobody knew what came of them: their worker was lost before it could tell, and its audit file says it later. */
export const endedCalls = (lines: readonly CopiedLine[]): readonly EndedCall[] =>
  lines.flatMap(({ text }, n) => {
    // Lines of ours begin with their kind.
    const entry = text.startsWith('{"kind":"call"') ? parseJson(text) : null;
    // A call that waits for an answer has not ended.
    if (!isRecord(entry) || !isWord(entry.call_id) || !isWord(entry.outcome) || entry.waiting === true) return [];
    const why = isWord(entry.error_category) ? `: ${entry.error_category}` : "";
    return [{ place: n + 1, call: entry.call_id, outcome: `${entry.outcome}${why}` }];
  });

/** Something else may have written to the file. */
const isWord = (value: unknown): value is string => typeof value === "string" && /^[\w.:-]{1,100}$/.test(value);
