import type { Pace } from "../../text/pace.ts";
import type { OpenText } from "../files/pinned-tree.ts";
import type { SearchHit } from "./results.ts";

/** What the engine says of a file in a folder. */
export interface EngineLine extends PlacedLine {
  /** What may be the name, in bytes. More than one where the engine said something else before it; the name itself may hold line breaks. */
  readonly names: readonly string[];
}

/** What the engine says of a line. */
export interface PlacedLine extends SearchHit {
  readonly offset: number;
  /** Where in the line the first match begins, in bytes from 1. */
  readonly column: number;
}

/** `./name NUL line:column:offset:text`, without a column for a line around a match. Null for what is no such thing. */
export function parseEngineLine(record: Buffer): EngineLine | null {
  const end = record.indexOf(0);
  const names = end < 3 ? [] : namesIn(record.toString("latin1", 0, end));
  const placed = names.length === 0 ? null : parsePlacedLine(record.subarray(end + 1));
  return placed && { names, ...placed };
}

/** The same without a name. */
export function parsePlacedLine(record: Buffer): PlacedLine | null {
  const head = /^(\d+)(?:(:)(\d+):|(-))(\d+)[:-]/.exec(record.toString("latin1", 0, 64));
  if (!head) return null;
  const [all, line, match, column = 1, context, offset] = head;
  const kind = hitKind(match ?? context!);
  // The engine ends a line that it cut, or the last one without an end, as the lines of DOS files.
  const end = record.at(-1) === RETURN ? record.length - 1 : record.length;
  return { line: Number(line), kind, column: Number(column), offset: Number(offset), text: record.subarray(all.length, end) };
}

const hitKind = (mark: string): SearchHit["kind"] => (mark === ":" ? "match" : "context");

/** A note on a binary file is a line of its own and stands before the next name. */
function namesIn(head: string): string[] {
  if (!head.includes("\n")) return head.startsWith("./") ? [head.slice(2)] : [];
  return [...head.matchAll(/^\.\//gm)].map(({ index }) => head.slice(index + 2));
}

const LINE_END = 0x0a;
const RETURN = 0x0d;
/** Longer lines are cut by the engine, which says so behind them, in one of two ways. */
export const MAX_COLUMNS = 500;
const CUT = / \[\.\.\. (?:omitted end of long line|\d{1,10} more match(?:es)?)\]$/;
const CUT_SHOWN = Buffer.from(" [... omitted end of long line]");

/** How many bytes of a line the engine prints before it says that it cut it; null for a line that it prints whole. */
function printedPart(text: Buffer): number | null {
  if (text.length <= MAX_COLUMNS) return null;
  const found = CUT.exec(text.toString("latin1", text.length - 48));
  return found && text.length - found[0].length;
}

/** Whether the file really has this line there. */
export async function holdsLine(content: OpenText, { offset, text }: EngineLine, pace: Pace): Promise<boolean> {
  const before = offset === 0 ? 0 : 1;
  const answer = content.bytes(offset - before, before + text.length + 2, pace);
  const bytes = answer instanceof Promise ? await answer : answer;
  if (before === 1 && bytes[0] !== LINE_END) return false;
  const line = bytes.subarray(before);
  if (startsWith(line, text) && endsLine(line.subarray(text.length))) return true;
  const part = printedPart(text);
  return part !== null && startsWith(line, text.subarray(0, part));
}

/** Bytes before and behind the beginning of a match. */
const BEFORE = 150;
const SHOWN = 450;

/** The line as it is shown: where its match lies behind the part that the engine prints of a long line, the place around the match. */
export async function shownText({ text, kind, column, offset }: PlacedLine, bytes: OpenText["bytes"], pace: Pace): Promise<Buffer> {
  const part = printedPart(text);
  if (part === null) return text;
  if (kind !== "match" || column - 1 < part - BEFORE) return Buffer.concat([text.subarray(0, part), CUT_SHOWN]);
  const from = column - 1 - BEFORE;
  const around = await bytes(offset + from, SHOWN, pace);
  const end = around.indexOf(LINE_END);
  const place = end === -1 ? around : around.subarray(0, end);
  // A character that was cut in two is not shown.
  const begin = place.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return Buffer.concat([
    Buffer.from(`[... omitted ${from + begin} bytes of long line] `),
    place.subarray(begin, end === -1 ? lastWhole(place) : undefined),
    ...(end === -1 ? [CUT_SHOWN] : []),
  ]);
}

/** Where the last character of a text that was cut begins. */
function lastWhole(bytes: Buffer): number {
  let at = bytes.length - 1;
  while (at > 0 && (bytes[at]! & 0xc0) === 0x80) at--;
  return at;
}

const endsLine = ([first, second]: Buffer): boolean =>
  first === undefined || first === LINE_END || (first === RETURN && (second === undefined || second === LINE_END));
const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start);
