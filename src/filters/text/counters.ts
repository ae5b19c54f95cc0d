import { groupBy } from "../../text/group-by.ts";
import { type Line, standFor } from "../line.ts";

const FEWEST = 20;
const SHARE = 0.8;
const REPEATS = 3;
const GLANCE = 100;
/** Where a program may number its lines: the first number that stands alone, or the last. One inside a word is part of a name, and each name is a fact. */
const PLACES = [/(?<=^|[\s[(#])\d+(?=$|[\s\]),:;])/, /(?<=^|[\s[(#])\d+(?=[\]),:;.]?$)/] as const;

/** `file-7.txt` alone is a name, and each name is a fact. */
const SENTENCE = /\p{L}\S*\s|\s\S*\p{L}/u;

/** Lines that a program numbers one after another and that else say the same: once, how often, and the last number. null: it does not. */
export function withoutCounters(lines: readonly Line[]): readonly Line[] | null {
  const place = PLACES.find((counter) => saysTheSame(lines, counter) && isCounting(lines, counter));
  if (!place || hasGap(lines, place)) return null;
  const keyOf = ({ text }: Line) => text.replace(place, "\0");
  const groups = groupBy(lines, keyOf);
  return lines.flatMap((line) => {
    const key = keyOf(line);
    const group = groups.get(key)!;
    if (group.length < REPEATS || line.errors > 0 || key === line.text || !SENTENCE.test(line.text)) return [line];
    if (line !== group[0]) return [];
    const last = place.exec(group.at(-1)!.text)![0];
    return [standFor(`${line.text.trimEnd()} (and ${group.length - 1} like it until ${last})`, [line])];
  });
}

/** Where what follows the number differs from line to line, each is a fact of its own. */
const saysTheSame = (lines: readonly Line[], place: RegExp): boolean =>
  new Set(lines.slice(0, GLANCE).map(({ text }) => text.replace(place, "\0"))).size <= GLANCE / 2;

/** A number that is left out, with no other line in its place, is a fact: what is said once would hide it. */
function hasGap(lines: readonly Line[], place: RegExp): boolean {
  let before = Number.NaN;
  let others = 0;
  return lines.some((line) => {
    const number = numberIn(line, place);
    // Another number than the next ones, as in a total, belongs to no count.
    if (!(number > before ? number - before <= FEWEST : number < FEWEST)) {
      others++;
      if (Number.isNaN(before)) before = number;
      return false;
    }
    const missing = number - before - 1;
    const hidden = missing > others;
    before = number;
    others = 0;
    return hidden;
  });
}

const numberIn = ({ text }: Line, place: RegExp): number => Number(place.exec(text)?.[0] ?? Number.NaN);

function isCounting(lines: readonly Line[], counter: RegExp): boolean {
  if (lines.length < FEWEST) return false;
  let steps = 0;
  let before = Number.NaN;
  for (const [at, { text }] of lines.entries()) {
    if (at === GLANCE && steps < GLANCE / 2) return false;
    const found = text.length < 1000 ? counter.exec(text) : null;
    const number = found ? Number(found[0]) : Number.NaN;
    if (number === before + 1) steps++;
    before = number;
  }
  return steps >= lines.length * SHARE;
}
