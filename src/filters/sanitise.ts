import { escapeMarkers } from "../core/marker.ts";
import { isErrorShaped } from "./errors.ts";
import { eachLine } from "./text/each-line.ts";
import { redrawn } from "./text/redrawn.ts";

// Colours, cursor moves, titles and links. Of one that never ends only the beginning is taken away: it must not swallow the text after it.
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
  /\u001b\[[0-9;:?<=>]{0,64}[ -/]{0,8}[@-~]|\u001b\][^\u0007\u001b\n]{0,4096}(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b\n]{0,4096}\u001b\\|\u001b[ -/]{0,8}[0-~]|\u001b|\u009b[0-9;?]{0,32}[@-~]/g;
// Going back to the start of the line, or erasing all of it: what follows overwrites what was there.
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const REWINDS = /\u001b\[(?:2K|[01]?G)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of them
const UPWARDS = /\u001b\[(\d{0,4})[AF]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones meant
const CONTROLS = /[\u0000-\u0007\u000b\u000c\u000e-\u0010\u0012-\u001a\u001c-\u001f\u007f]/g;

/**
 * What a terminal would show in the end, line by line: no colours, no progress bars, no runs of blank lines. Errors that were overwritten stay. Text that a
 * colour code or an invisible byte kept apart may look like one of our marks only now, and is escaped.
 */
export const sanitise = (raw: string): string[] => [...cleanLines(raw)];

/** As `sanitise`, one line after the other. */
export function* cleanLines(raw: string): Generator<string> {
  let begun = false;
  let gap = false;
  let isDiff = false;
  for (const line of settledLines(raw)) {
    isDiff ||= line.startsWith("@@ -");
    // In a diff this is a blank line that did not change.
    if (line === "" || (line.trim() === "" && !(isDiff && line === " "))) {
      gap = begun;
      continue;
    }
    if (gap) yield "";
    yield line;
    begun = true;
    gap = false;
  }
}

function* settledLines(raw: string): Generator<string> {
  const printed = raw.search(UPWARDS) === -1 ? plainLines(raw) : redrawn(plainLines(raw), UP);
  if (!UNSETTLED.test(raw)) {
    yield* printed;
    return;
  }
  for (const line of printed) {
    const back = line.indexOf("\r");
    const parts = back === -1 ? [line] : back === line.length - 1 ? [line.slice(0, -1)] : settled(line);
    for (const part of parts) yield escapeMarkers(withoutBackspaces(part));
  }
}

/** What makes a line another than was printed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones meant
const UNSETTLED = /[\u0000-\u0008\u000b-\u001f\u007f\u009b]/;

/** A piece at a time: millions of replacements in one text take many times its memory. No sequence goes on in the next line. */
function* plainLines(raw: string): Generator<string> {
  for (let from = 0; from <= raw.length; ) {
    const end = raw.indexOf("\n", from + PIECE);
    const to = end === -1 ? raw.length : end;
    yield* eachLine(withoutEscapes(raw.slice(from, to)));
    from = to + 1;
  }
}

const PIECE = 65_536;

/** Stands for "so many lines up" until the lines are put in their places. No text that comes in holds one. */
const UP = "\u0011";

function withoutEscapes(raw: string): string {
  const own = raw.includes(UP) ? raw.replaceAll(UP, "") : raw;
  const plain =
    own.includes("\u001b") || own.includes("\u009b")
      ? own.replace(REWINDS, "\r").replace(UPWARDS, `${UP}$1${UP}`).replace(ESCAPES, "")
      : own;
  return plain.search(CONTROLS) === -1 ? plain : plain.replace(CONTROLS, "");
}

/** A line that was written over: what stands there at the end, after what went wrong on the way. */
function settled(line: string): string[] {
  const parts = partsOf(line);
  if (parts.length < 2) return parts.length === 0 ? [""] : parts;
  if (areLines(parts)) return parts;
  const last = parts.pop()!;
  const errors = new Map<string, string>();
  for (const part of parts) {
    if (errors.size >= MOST_ERRORS) break;
    if (isErrorShaped(part)) errors.set(part.replace(/\d+/g, "0"), part);
  }
  return [...errors.values()].filter((part) => part !== last).concat(last);
}

const MOST_ERRORS = 50;

function partsOf(line: string): string[] {
  const parts: string[] = [];
  for (let from = 0; from < line.length; ) {
    const end = line.indexOf("\r", from);
    const to = end === -1 ? line.length : end;
    if (to > from && line.slice(from, to).trim() !== "") parts.push(line.slice(from, to));
    from = to + 1;
  }
  return parts;
}

/** Frames of a progress bar begin alike. Where nearly none does, these are lines of a program that ends them so. */
function areLines(parts: readonly string[]): boolean {
  if (parts.length < 4) return false;
  const some = parts.slice(0, 100);
  const beginnings = new Set(
    some.map((part) =>
      part
        .slice(0, 200)
        .replace(/[^\p{L}]+/gu, "")
        .slice(0, 8),
    ),
  );
  return beginnings.size > some.length * 0.7;
}

/** `x\by` shows y, and `x\b` still shows x: going back erases nothing. */
function withoutBackspaces(line: string): string {
  if (!line.includes("\b")) return line;
  const shown: string[] = [];
  let at = 0;
  for (const char of line) {
    if (char === "\b") at = Math.max(at - 1, 0);
    else shown[at++] = char;
  }
  return shown.join("");
}

/** Bytes that are no text are not shown. Text in another encoding has some odd characters, but few. */
export function isBinary(raw: string): boolean {
  const sample = raw.length <= SAMPLE * 2 ? raw : raw.slice(0, SAMPLE) + raw.slice(raw.length >> 1, (raw.length >> 1) + SAMPLE);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones meant
  const odd = sample.match(/[\u0000-\u0006\u000e-\u001a\u001c-\u001f]/g)?.length ?? 0;
  if (odd > 8 && odd > sample.length / 50) return true;
  const lost = sample.match(/\ufffd/g)?.length ?? 0;
  return lost > 8 && lost > sample.length / 5;
}

const SAMPLE = 32_768;
