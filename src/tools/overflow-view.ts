import { ToolError } from "../core/error.ts";
import type { ToolOutput } from "../core/tool.ts";
import { attempt } from "../text/attempt.ts";
import { plural } from "../text/words.ts";
import { type JsonPath, jsonShape, parsePath, selectJson } from "./json-path.ts";

/** Characters shown in one answer. */
export const MOST = 20_000;

/** Characters from one place up to another. */
export function rangeView(text: string, written: string): ToolOutput<never> {
  if (text === "") return { text: "(the text is empty)" };
  const { from, past: to } = windowOf(written, { first: 0, past: text.length, last: "left out" });
  if (from >= text.length) return { text: `(the text has ${text.length} characters; ${from} is past the end)` };
  const start = isInsidePair(text, from) ? from - 1 : from;
  const end = to - start > MOST ? endOfPiece(text, start) : isInsidePair(text, to) ? to + 1 : to;
  const goOn = end < to ? `; go on with range "${end}-${Math.min(end + MOST, to)}"` : "";
  const where = start === 0 && end === text.length ? "" : `\n(characters ${start}-${end} of ${text.length}${goOn})`;
  return { text: text.slice(start, end) + where, ...(goOn && { truncated: true }) };
}

/** Whole lines with their numbers, as `read` shows them. */
export function linesView(text: string, written: string): ToolOutput<never> {
  const total = countLines(text);
  const { from, past } = windowOf(written, { first: 1, past: total + 1, last: "shown" });
  if (from > total) return { text: `(the text has ${plural(total, "line")}; line ${from} is past the end)` };
  const shown: string[] = [];
  let room = MOST;
  for (const { n, start, end } of overflowLines(text)) {
    if (n < from) continue;
    if (n >= past) break;
    const line = `${n}\t${text.slice(start, end)}`;
    if (line.length > room)
      return shown.length > 0 ? cutBefore(n, shown, { from, past, total }) : cutInside({ n, start, end }, text, total);
    shown.push(line);
    room -= line.length + 1;
  }
  const all = from === 1 && past > total;
  return { text: `${shown.join("\n")}${all ? "" : `\n(lines ${from}-${past - 1} of ${total})`}` };
}

const cutBefore = (
  n: number,
  shown: readonly string[],
  { from, past, total }: { from: number; past: number; total: number },
): ToolOutput<never> => ({
  text: `${shown.join("\n")}\n(lines ${from}-${n - 1} of ${total}; go on with lines "${n}-${past - 1}")`,
  truncated: true,
});

function cutInside({ n, start, end }: OverflowLine, text: string, total: number): ToolOutput<never> {
  const stop = isInsidePair(text, start + MOST) ? start + MOST - 1 : start + MOST;
  const rest = `the rest of it is range "${stop}-${end}"`;
  return { text: `${n}\t${text.slice(start, stop)}\n(line ${n} of ${total} has ${end - start} characters; ${rest})`, truncated: true };
}

/** The value at a place of JSON text. A text is shown as it is, several values one a line. */
export function jsonView(text: string, path: string): ToolOutput<never> {
  const steps = stepsOf(path);
  const { values, stopped } = selectJson(parsed(text), steps);
  if (stopped !== null) return { text: `Nothing at ${path}: ${stopped}.` };
  const [only] = values;
  if (values.length === 1) return fitting(typeof only === "string" ? only : inWords(only, 2), `it is ${jsonShape(only)}`);
  return fitting(values.map((value) => inWords(value)).join("\n"), `${values.length} values`);
}

function fitting(shown: string, what: string): ToolOutput<never> {
  if (shown.length <= MOST) return { text: shown };
  const end = endOfPiece(shown, 0);
  return { text: `${shown.slice(0, end)}\n(cut after ${end} of ${shown.length} characters; ${what}: go deeper)`, truncated: true };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return jsonLines(text) ?? refuse(error);
  }
}

/** A value on each line counts as one array. */
function jsonLines(text: string): readonly unknown[] | null {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 ? attempt(() => lines.map((line) => JSON.parse(line) as unknown), null) : null;
}

function refuse(error: unknown): never {
  throw new ToolError("permanent_failure", `The text is not JSON: ${(error as Error).message}. Use lines, range or pattern.`);
}

function stepsOf(path: string): JsonPath {
  try {
    return parsePath(path);
  } catch (error) {
    throw new ToolError("invalid_parameters", `json_path ${JSON.stringify(path)}: ${(error as Error).message}.`);
  }
}

const inWords = (value: unknown, indent?: number): string =>
  attempt(() => JSON.stringify(value, null, indent), null) ?? `(${jsonShape(value)}, nested too deeply to be shown: go deeper)`;

/** `last`: whether the place that is named last is shown too. */
interface Bounds {
  readonly first: number;
  readonly past: number;
  readonly last: "shown" | "left out";
}

function windowOf(written: string, { first, past, last }: Bounds): { from: number; past: number } {
  const [from, to] = endsOf(written);
  if (from === null) return { from: Math.max(first, past - to!), past };
  if (to !== null && to < from) throw new ToolError("invalid_parameters", `${from}-${to} ends before it begins.`);
  const end = to === null ? past : last === "shown" ? to + 1 : to;
  return { from: Math.max(first, from), past: Math.min(past, end) };
}

/** As a caller writes it: "10-40", "10-", or "-40", which has no beginning and means the last 40. */
function endsOf(written: string): readonly [number | null, number | null] {
  const [from = "", to = ""] = written.split("-");
  return [from === "" ? null : Number(from), to === "" ? null : Number(to)];
}

export interface OverflowLine {
  /** Counted from 1. */
  readonly n: number;
  readonly start: number;
  /** Before the line end. */
  readonly end: number;
}

/** A line end at the end of the text begins no line. */
export function* overflowLines(text: string): Generator<OverflowLine> {
  for (let n = 1, start = 0; start < text.length; n++) {
    const at = text.indexOf("\n", start);
    const past = at === -1 ? text.length : at;
    yield { n, start, end: past > start && text.charCodeAt(past - 1) === RETURN ? past - 1 : past };
    start = past + 1;
  }
}

const RETURN = 13;

function countLines(text: string): number {
  let count = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

/** At a line end when one is near, else between two characters. */
function endOfPiece(text: string, start: number): number {
  const most = start + MOST;
  const line = text.lastIndexOf("\n", most - 1) + 1;
  return line > start + MOST / 2 ? line : isInsidePair(text, most) ? most - 1 : most;
}

export const isInsidePair = (text: string, at: number): boolean =>
  isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff);
const isBetween = (code: number, low: number, high: number): boolean => code >= low && code <= high;
