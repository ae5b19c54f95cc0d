import { omittedHere } from "../core/marker.ts";
import { isErrorShaped } from "./errors.ts";
import type { GatheredLine } from "./gather.ts";

/** A line of this length is not read by people. */
const MAX_LINE = 8000;
const SHOWN = 400;
/** Data says something everywhere. */
const SHOWN_DATA = 5000;
const DATA = /^\s*[[{]["{[]/;
const WINDOWS = 4;
const MOST_LOOKED_AT = 2000;
/** Words that say what went wrong; and words that may only be part of a program's text. */
const ALARMS = [
  /(?:Error|Exception|ERROR|error|FATAL|fatal|panic|FAILED|failed|CRITICAL)\b ?[:\]]/g,
  /(?:Error|Exception|ERROR|error|FATAL|fatal|panic|FAILED|failed|denied|エラー|错误)/g,
];

/** Whether a line of a text is so long that it is cut. */
export function hasLongLine(text: string): boolean {
  for (let from = 0; text.length - from > MAX_LINE; ) {
    const end = text.indexOf("\n", from);
    if ((end === -1 ? text.length : end) - from > MAX_LINE) return true;
    from = end + 1;
  }
  return false;
}

/**
 * Head and tail of each overlong line and, between them, the places with what was searched for, or else those where something seems to have gone
 * wrong. How much is left out stands in each gap.
 */
export function withoutLongLines(
  lines: readonly GatheredLine[],
  wanted: readonly string[] = [],
): { readonly lines: readonly GatheredLine[]; readonly cut: number } {
  if (lines.every(({ text }) => text.length <= MAX_LINE)) return { lines, cut: 0 };
  let cut = 0;
  const shorter = lines.map((line) => {
    if (line.text.length <= MAX_LINE) return line;
    const { text, left } = shortenLine(line.text, wanted, DATA.test(line.text) ? SHOWN_DATA : SHOWN);
    cut += left;
    return { ...line, text };
  });
  return { lines: shorter, cut };
}

/** A line with gaps, and how many characters are left out in them. */
export function shortenLine(line: string, wanted: readonly string[], ends = SHOWN): { readonly text: string; readonly left: number } {
  if (line.length <= 2 * ends) return { text: line, left: 0 };
  const end = line.length - ends;
  const found = placesOf(line, wanted, end);
  const places = found.length > 0 ? found : (ALARMS.map((alarm) => alarmsIn(line, alarm, end)).find(({ length }) => length > 0) ?? []);
  let text = line.slice(0, ends);
  let left = 0;
  let shown = ends;
  const show = (from: number, to: number) => {
    if (from > shown) text += ` ${omittedHere(from - shown, "char")} `;
    left += Math.max(0, from - shown);
    text += line.slice(Math.max(from, shown), to);
    shown = Math.max(shown, to);
  };
  for (const place of places) show(place - SHOWN / 4, Math.min(place + SHOWN / 2, end));
  show(end, line.length);
  return { text, left };
}

/** Where the first few of what was searched for stand between head and tail. */
function placesOf(line: string, wanted: readonly string[], end: number): number[] {
  const folded = wanted.length === 0 ? "" : line.toLowerCase();
  const places: number[] = [];
  for (const word of wanted) {
    const piece = word.toLowerCase();
    for (let at = folded.indexOf(piece); at !== -1 && places.length < WINDOWS; at = folded.indexOf(piece, at + SHOWN / 2))
      if (at + piece.length > SHOWN && at < end) places.push(at);
  }
  return places.sort((a, b) => a - b);
}

/** Where the first few different ones are. */
function alarmsIn(line: string, alarm: RegExp, end: number): number[] {
  const places: number[] = [];
  const kinds = new Set<string>();
  alarm.lastIndex = SHOWN;
  for (let looked = 0; looked < MOST_LOOKED_AT && places.length < WINDOWS; looked++) {
    const found = alarm.exec(line);
    if (!found || found.index >= end) break;
    const around = line.slice(Math.max(found.index - 40, 0), found.index + 60);
    const kind = around.replace(/\d+/g, "0");
    if (kinds.has(kind) || !isErrorShaped(around)) continue;
    kinds.add(kind);
    places.push(found.index);
    alarm.lastIndex = found.index + SHOWN / 2;
  }
  return places;
}
