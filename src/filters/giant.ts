import { omittedHere } from "../core/marker.ts";
import { rawOf } from "./account.ts";
import { heading, type Line, lengthOf, standFor, timesSaid } from "./line.ts";
import { shortenLine } from "./long-lines.ts";
import { headingsIn } from "./text/headings.ts";
import { isOutspoken, kindsOf } from "./text/kinds.ts";

/** About so many tokens of what a command printed are shown, whichever command it was and however much it printed. The rest is read piece by piece. */
const BUDGET = 4000;
interface Shares {
  readonly head: number;
  readonly middle: number;
  readonly tail: number;
}

/** A result tells more at its end; what has headings tells most by these. */
const PLAIN: Shares = { head: 1000, middle: 1200, tail: 1800 };
const WITH_HEADINGS: Shares = { head: 700, middle: 2200, tail: 1100 };
/** A longer line is cut where there is no room for all lines. */
const LONG_LINE = 1000;

/** Whether a text is within the budget for certain, without a look at its lines. */
export const isSmall = (length: number): boolean => length < BUDGET;

/** About so many characters of a text are within the budget, as far as its beginning tells. */
export const charactersWithinBudget = (text: string): number => Math.floor((BUDGET * Math.min(text.length, LOOKED_AT)) / weightOf(text));

/** What a reader of a part of the text wants of the rest: nothing of a text that somebody wrote. */
export type Picked = "errors and rarities" | "nothing";

interface Bulk {
  readonly picked?: Picked;
  /** All lines that were printed, before any rule. */
  readonly printed?: readonly Line[];
  /** What the command searched for. */
  readonly wanted?: readonly string[];
}

/**
 * What is more than the budget after every rule: its head, its tail, and of what lies between one of each kind of error, or of rarity. Each gap says how
 * many of the printed lines are left out there. Null where there is room for all.
 */
export function withoutBulk(
  given: readonly Line[],
  { picked = "errors and rarities", printed = given, wanted = [] }: Bulk = {},
): readonly Line[] | null {
  if (isSmall(lengthOf(given)) || fitting(given, 0, 1, BUDGET) === given.length) return null;
  const lines = given.map((line) => (line.text.length > LONG_LINE ? standFor(shortenLine(line.text, wanted).text, [line]) : line));
  const headings = picked === "nothing" ? [] : headingsIn(lines);
  const shares = headings.length > 0 ? WITH_HEADINGS : PLAIN;
  const head = fitting(lines, 0, 1, shares.head);
  const endWith = (share: number) => Math.min(fitting(lines, lines.length - 1, -1, share), lines.length - head);
  const pick = (tail: number, room: number) =>
    picked === "nothing" ? [] : chosenFrom(lines.slice(head, lines.length - tail), headings, room);
  const used = weigh(pick(endWith(shares.tail), shares.middle));
  // What the middle does not need is shown of the end.
  const tail = endWith(shares.tail + shares.middle - used);
  const [first, last] = [lines.slice(0, head), lines.slice(lines.length - tail)];
  return [...first, ...withGaps(pick(tail, used), { first, last, printed }), ...last];
}

interface Around {
  readonly first: readonly Line[];
  readonly last: readonly Line[];
  readonly printed: readonly Line[];
}

/** Before each line, and behind the last, the number of printed lines in that place that no shown line stands for. */
function withGaps(middle: readonly Line[], { first, last, printed }: Around): Line[] {
  const rawLines = (line: Line) => (line.from.length === 0 ? [line] : rawOf(line));
  const told = new Set([...first, ...middle, ...last].flatMap(rawLines));
  const wanted = new Set([...middle, ...last.slice(0, 1)].map((line) => rawLines(line)[0]!));
  /** How many untold lines stand before each of these. */
  const before = new Map<Line, number>();
  let count = 0;
  for (const line of printed) {
    if (wanted.has(line)) before.set(line, count);
    if (!told.has(line)) count += line.covers;
  }
  let marked = untoldWithin(first, printed, told);
  const gap = (to: number): Line[] => {
    const left = to - marked;
    marked = Math.max(marked, to);
    return left > 0 ? [heading(omittedHere(left, "line"))] : [];
  };
  const gapBefore = (line: Line | undefined): Line[] => gap(line ? (before.get(rawLines(line)[0]!) ?? marked) : count);
  return [...middle.flatMap((line) => [...gapBefore(line), line]), ...gapBefore(last[0])];
}

/** What rules left out of the head stands for itself, and not for the gap behind it. */
function untoldWithin(head: readonly Line[], printed: readonly Line[], told: ReadonlySet<Line>): number {
  const end = head.at(-1);
  if (!end) return 0;
  const raw = end.from.length === 0 ? end : rawOf(end)[0]!;
  let count = 0;
  for (const line of printed) {
    if (line === raw) return count;
    if (!told.has(line)) count += line.covers;
  }
  return 0;
}

/** One of each kind, as many as have room: outspoken errors first, then other errors, what is rare among much that is alike, and headings. In their order. */
function chosenFrom(lines: readonly Line[], headings: readonly ReadonlySet<Line>[], room: number): Line[] {
  const varied = isVaried(lines);
  const kinds = kindsOf(varied ? lines.filter((line) => line.errors > 0) : lines);
  const errors = kinds.filter(([first]) => first!.errors > 0);
  const mayBeRare = !varied && kinds.length <= lines.length * FEW_KINDS;
  const rare = mayBeRare ? kinds.filter((alike) => alike.length <= RARE && alike[0]!.errors === 0) : [];
  const outline = headings.flatMap((level) => lines.filter((line) => level.has(line) && line.errors === 0)).map((line) => [line]);
  const ranked = [
    ...errors.filter(([first]) => isOutspoken(first!)),
    ...errors.filter(([first]) => !isOutspoken(first!)),
    ...rare,
    ...outline.filter(([line]) => !rare.some(([first]) => first === line)),
  ];
  const said = ranked.slice(0, room).map(oneOf);
  const chosen = new Map(said.slice(0, fitting(said, 0, 1, room, GAP_WEIGHT)).map((line, n) => [ranked[n]![0]!, line]));
  return lines.flatMap((line) => chosen.get(line) ?? []);
}

/** Lines that are no more than alike are counted as left out. */
function oneOf(alike: readonly Line[]): Line {
  const [first, ...others] = alike as [Line, ...Line[]];
  if (others.length === 0) return first;
  const text = `${first.text} (${timesSaid(alike.map(({ text }) => text))})`;
  return others.every((other) => other.text.trim() === first.text.trim()) ? standFor(text, alike) : standFor(text, [first], others);
}

/** Before a line that is chosen stands how much is missing. */
const GAP_WEIGHT = 6;

/** Where hardly two lines are alike, nothing is rare. */
const isVaried = (lines: readonly Line[]): boolean => kindsOf(lines.slice(0, SAMPLE)).length > SAMPLE / 10;

const SAMPLE = 2000;
const FEW_KINDS = 0.05;
const RARE = 2;

const weigh = (chosen: readonly Line[]): number => chosen.reduce((sum, { text }) => sum + (weightOf(text) + GAP_WEIGHT), 0);

/** How many lines, from one end on, have room. */
function fitting(lines: readonly Line[], from: number, step: 1 | -1, most: number, besides = 0): number {
  let weight = 0;
  let count = 0;
  for (let at = from; at >= 0 && at < lines.length; at += step) {
    weight += weightOf(lines[at]!.text) + besides;
    if (weight > most) break;
    count++;
  }
  return count;
}

/** About how many tokens a text has: four letters make one, two digits, or a single character of many other scripts. Ids are costlier than either. */
function weightOf(text: string): number {
  let weight = 1;
  let before: "letter" | "digit" | "other" = "other";
  for (let at = 0; at < text.length && at < LOOKED_AT; at++) {
    const code = text.charCodeAt(at);
    if ((code | 32) >= 97 && (code | 32) <= 122) {
      weight += before === "digit" ? 0.9 : 0.25;
      before = "letter";
    } else if (code >= 48 && code <= 57) {
      weight += before === "letter" ? 0.9 : 0.5;
      before = "digit";
    } else {
      weight += code > 0x2ff ? 1 : code === SPACE ? 0.15 : 0.62;
      before = "other";
    }
  }
  return weight;
}

const SPACE = 32;
const LOOKED_AT = 10_000;
