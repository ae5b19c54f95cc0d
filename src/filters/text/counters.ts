import { type Line, standFor } from "../line.ts";

const FEWEST = 20;
const SHARE = 0.8;
const REPEATS = 3;
const GLANCE = 100;
/** Where a program may number its lines: the first number, or the last. */
const PLACES = [/\d+/, /\d+(?=\D*$)/] as const;

/** `file-7.txt` alone is a name, and each name is a fact. */
const SENTENCE = /\p{L}\S*\s|\s\S*\p{L}/u;

/** Lines that a program numbers one after another and that else say the same: once, how often, and the last number. null: it does not. */
export function withoutCounters(lines: readonly Line[]): readonly Line[] | null {
  const place = PLACES.find((counter) => isCounting(lines, counter));
  if (!place) return null;
  // What follows the number differs from line to line: each is a fact of its own.
  if (new Set(lines.slice(0, GLANCE).map(({ text }) => text.replace(place, "\0"))).size > GLANCE / 2) return null;
  const keys = lines.map(({ text }) => text.replace(place, "\0"));
  const groups = new Map<string, Line[]>();
  for (const [at, key] of keys.entries()) {
    const group = groups.get(key);
    if (group) group.push(lines[at]!);
    else groups.set(key, [lines[at]!]);
  }
  return lines.flatMap((line, at) => {
    const group = groups.get(keys[at]!)!;
    if (group.length < REPEATS || line.errors > 0 || keys[at] === line.text || !SENTENCE.test(line.text)) return [line];
    if (line !== group[0]) return [];
    const last = place.exec(group.at(-1)!.text)![0];
    return [standFor(`${line.text.trimEnd()} (×${group.length} until ${last})`, [line])];
  });
}

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
