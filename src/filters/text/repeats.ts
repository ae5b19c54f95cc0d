import { heading, type Line, standFor, timesSaid } from "../line.ts";
import { stampOf, withoutStamp } from "./stamps.ts";
import { withoutUuids } from "./template.ts";

const LONGEST_BLOCK = 8;
/** Below this length a number of repeats is hardly shorter than the lines. */
const SHORT = 20;

/** Lines, and blocks of a few lines, that follow one another again and again: once, and how often. Times and UUIDs may differ. */
export function withoutRepeats(lines: readonly Line[]): readonly Line[] {
  const isSame = comparing(lines);
  const kept: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const { period, times } = repetitionAt(lines, at, isSame);
    if (times === 1 || !isWorthIt(lines, at, period, times)) kept.push(lines[at++]!);
    else {
      kept.push(...told(lines.slice(at, at + period * times), period, times));
      at += period * times;
    }
  }
  return kept.length < lines.length ? kept : lines;
}

type IsSame = (a: number, b: number) => boolean;

/** How long the block is that begins here and is said again, and how often it is said. */
function repetitionAt(lines: readonly Line[], at: number, isSame: IsSame): { readonly period: number; readonly times: number } {
  for (let period = 1; period <= LONGEST_BLOCK && lines[at]!.text !== "" && at + period < lines.length; period++) {
    let same = 0;
    while (at + same + period < lines.length && isSame(at + same, at + same + period)) same++;
    if (same >= period) return { period, times: 1 + Math.floor(same / period) };
  }
  return { period: 0, times: 1 };
}

/** Compares lines without their times, each of which is read once. */
function comparing(lines: readonly Line[]): IsSame {
  const events: (string | undefined)[] = [];
  // Nearly all lines differ, and these numbers are compared sooner than texts.
  const endings = new Float64Array(lines.length);
  for (const [at, { text }] of lines.entries()) endings[at] = text.length * 65_536 + (text === "" ? 0 : text.charCodeAt(text.length - 1));
  const eventAt = (at: number): string => {
    events[at] ??= withoutUuids(withoutStamp(lines[at]!.text));
    return events[at]!;
  };
  return (a, b) => {
    if (endings[a] !== endings[b]) return false;
    const { text } = lines[a]!;
    if (text === lines[b]!.text) return true;
    return eventAt(a) !== text && eventAt(a) === eventAt(b);
  };
}

function isWorthIt(lines: readonly Line[], at: number, period: number, times: number): boolean {
  if (period > 1) return lines.slice(at, at + period).some(({ text }) => /\w/.test(text)) && period * (times - 1) > 2;
  return times > 2 || lines[at]!.text.length >= SHORT;
}

function told(lines: readonly Line[], period: number, times: number): Line[] {
  if (period === 1)
    return [standFor(`${lines[0]!.text.trimEnd()} (${timesSaid(lines.map(({ text }) => withoutStamp(text)))}${until(lines)})`, lines)];
  const block = Array.from({ length: period }, (_, n) =>
    standFor(
      lines[n]!.text,
      lines.filter((_, at) => at % period === n),
    ),
  );
  const isSame = block.every(({ text, from }) => from.every((line) => line.text.trim() === text.trim()));
  return [
    ...block,
    heading(isSame ? `(the ${period} lines above ×${times})` : `(and ${times - 1} times ${period} lines like those above)`),
  ];
}

function until(lines: readonly Line[]): string {
  const first = stampOf(lines[0]!.text);
  const last = stampOf(lines.at(-1)!.text);
  const clock = last && /(?<!\d)\d\d:\d\d:\d\d/.exec(last.stamp)?.[0];
  return first && clock && first.stamp !== last.stamp ? ` until ${clock}` : "";
}
