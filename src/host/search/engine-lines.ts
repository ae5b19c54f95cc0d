import type { Pace } from "../../text/pace.ts";
import type { OpenText } from "../files/pinned-tree.ts";
import type { SearchHit } from "./results.ts";

/** What the engine says of a file in a folder. */
export interface EngineLine extends SearchHit {
  /** What may be the name, in bytes. More than one where the engine said something else before it; the name itself may hold line breaks. */
  readonly names: readonly string[];
  readonly offset: number;
}

/** `./name NUL line:offset:text`. Null for what is no such thing. */
export function parseEngineLine(record: Buffer): EngineLine | null {
  const end = record.indexOf(0);
  const head = /^(\d+)([:-])(\d+)\2/.exec(record.toString("latin1", end + 1, end + 48));
  const names = end < 3 ? [] : namesIn(record.toString("latin1", 0, end));
  if (!head || names.length === 0) return null;
  const text = record.subarray(end + 1 + head[0].length);
  return { names, line: Number(head[1]), kind: hitKind(head[2]!), offset: Number(head[3]), text };
}

export const hitKind = (mark: string): SearchHit["kind"] => (mark === ":" ? "match" : "context");

/** A note on a binary file is a line of its own and stands before the next name. */
function namesIn(head: string): string[] {
  if (!head.includes("\n")) return head.startsWith("./") ? [head.slice(2)] : [];
  return [...head.matchAll(/^\.\//gm)].map(({ index }) => head.slice(index + 2));
}

const LINE_END = 0x0a;
const CUT = Buffer.from(" [... omitted end of long line]");

/** Whether the file really has this line there. */
export async function holdsLine(content: OpenText, { offset, text }: EngineLine, pace: Pace): Promise<boolean> {
  const before = offset === 0 ? 0 : 1;
  const answer = content.bytes(offset - before, before + text.length + 1, pace);
  const bytes = answer instanceof Promise ? await answer : answer;
  if (before === 1 && bytes[0] !== LINE_END) return false;
  const line = bytes.subarray(before);
  if (startsWith(line, text) && (line.length === text.length || line[text.length] === LINE_END)) return true;
  return text.subarray(-CUT.length).equals(CUT) && startsWith(line, text.subarray(0, -CUT.length));
}

const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start);
