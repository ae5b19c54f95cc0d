import { heading, isBlank, type Line, standFor } from "../line.ts";
import { weighLines, weighText } from "./weigh-text.ts";

/** Rows that are told together, or lines that are not. */
export interface RowGroup {
  readonly lines: readonly Line[];
  readonly isTold: boolean;
}

/** Behind what the lines below begin with. */
const GOES_ON = "…";

export interface BeginningOptions {
  /** Of how many tokens a beginning has to be. */
  readonly leastFront?: number;
  readonly leastRows?: number;
  readonly mayShare?: (line: Line) => boolean;
}

/**
 * Rows that begin alike: the beginning once, with `…` behind it, and below it how each row goes on, one blank in and otherwise to the last blank as it was.
 * A beginning that comes again is known by its first word.
 */
export function shareBeginnings(
  lines: readonly Line[],
  { leastFront = 3, leastRows = 2, mayShare = () => true }: BeginningOptions = {},
): readonly RowGroup[] {
  const asTheyAre = [{ lines, isTold: false }];
  const may = lines.map((line) => isRow(line) && mayShare(line));
  const ways = [groupNeighbours(lines, may, { leastFront, leastRows }), groupByFirstWord(lines, may)];
  const found = ways.filter((groups) => groups.some(({ front }) => front !== "")).map((groups) => segmentsOf(lines, groups));
  if (found.length === 0) return asTheyAre;
  const best = [asTheyAre, ...found].reduce((best, each) => (weigh(each) < weigh(best) ? each : best));
  const read = readBeginnings(best.flatMap(({ lines }) => lines.map(({ text }) => text)));
  return read.length === lines.length && lines.every(({ text }, n) => text === read[n]) ? best : asTheyAre;
}

const weigh = (segments: readonly RowGroup[]): number => segments.reduce((sum, { lines }) => sum + weighLines(lines), 0);

interface Group {
  readonly from: number;
  readonly to: number;
  /** What its rows begin with; nothing where a row is told alone. */
  readonly front: string;
}

function segmentsOf(lines: readonly Line[], groups: readonly Group[]): readonly RowGroup[] {
  const fronts = new Map<string, Set<string>>();
  for (const { front } of groups) if (front !== "") fronts.set(firstWord(front), (fronts.get(firstWord(front)) ?? new Set()).add(front));
  const said = new Set<string>();
  const segments: RowGroup[] = [];
  let others: Line[] = [];
  for (const { from, to, front } of groups) {
    const rows = lines.slice(from, to);
    // What stands further in below a group would be taken for a part of it.
    if (front === "" || STARTS_IN.test(lines[to]?.text ?? "") || rows.some(({ text }) => text.length === front.length)) {
      others.push(...rows);
      continue;
    }
    if (others.length > 0) segments.push({ lines: others, isTold: false });
    others = [];
    const word = firstWord(front);
    const isKnown = said.has(front) && fronts.get(word)!.size === 1 && front.length > word.length + 1;
    said.add(front);
    segments.push({ lines: tellGroup(`${isKnown ? `${word} ` : front}${GOES_ON}`, front, rows), isTold: true });
  }
  if (others.length > 0) segments.push({ lines: others, isTold: false });
  return segments;
}

/** Words stand side by side: `src/text/… ×3: a.ts b.ts c.ts`. */
function tellGroup(head: string, front: string, rows: readonly Line[]): readonly Line[] {
  const rests = rows.map(({ text }) => text.slice(front.length));
  if (rows.length < FEWEST_WORDS || rests.some((rest) => /\s/.test(rest)))
    return [heading(head), ...rows.map((row, n) => standFor(` ${rests[n]}`, [row]))];
  const lines: Line[] = [];
  let text = `${head} ×${rows.length}:`;
  let from = 0;
  for (const [n, rest] of rests.entries()) {
    text += ` ${rest}`;
    if (text.length < WIDTH && n < rests.length - 1) continue;
    lines.push(standFor(text, rows.slice(from, n + 1)));
    text = "";
    from = n + 1;
  }
  return lines;
}

const FEWEST_WORDS = 3;
const WIDTH = 200;

const STARTS_IN = /^\s\s*\S/;
const firstWord = (text: string): string => text.split(" ", 1)[0]!;

/** The lines that such lines stand for. */
export function readBeginnings(texts: readonly string[]): readonly string[] {
  const fronts = new Map<string, string>();
  const read: string[] = [];
  let front = "";
  let words = 0;
  for (const text of texts) {
    const isRow = front !== "" && text.startsWith(" ");
    const [head = "", count, listed] = isRow ? [] : (LISTED.exec(text)?.slice(1) ?? [text.endsWith(GOES_ON) ? text.slice(0, -1) : ""]);
    if (head !== "") {
      const word = firstWord(head);
      front = head === `${word} ` ? (fronts.get(word) ?? head) : head;
      fronts.set(word, front);
      words = Number(count ?? 0);
    }
    if (words > 0) {
      const rests = (listed ?? text).trim().split(" ");
      read.push(...rests.map((rest) => front + rest));
      words -= rests.length;
      if (words === 0) front = "";
    } else if (head !== "") continue;
    else if (isRow) read.push(front + text.slice(1));
    else {
      front = "";
      read.push(text);
    }
  }
  return read;
}

const LISTED = /^(.*)… ×(\d+):( .*)$/;

/** So many tokens must be won by a group. */
const WORTH = 4;
const MOST_ROWS = 300;
/** What a heading costs besides its words. */
const HEAD = 3;

/** The groups of neighbours that win most: from the end to the front, for each line the best group that begins there. */
function groupNeighbours(
  lines: readonly Line[],
  may: readonly boolean[],
  { leastFront, leastRows }: Required<Omit<BeginningOptions, "mayShare">>,
): readonly Group[] {
  const shared = lines.map((line, n) => (n > 0 && may[n] && may[n - 1] ? sharedLength(lines[n - 1]!.text, line.text) : 0));
  const won = new Float64Array(lines.length + 1);
  const best: { to: number; length: number }[] = [];
  for (let from = lines.length - 1; from >= 0; from--) {
    won[from] = won[from + 1]!;
    best[from] = { to: from + 1, length: 0 };
    let length = Number.POSITIVE_INFINITY;
    let weight = 0;
    for (let to = from + 2; to <= lines.length && to - from <= MOST_ROWS; to++) {
      const next = shared[to - 1]!;
      if (next < length) {
        length = boundaryIn(lines[from]!.text, next);
        weight = weighText(lines[from]!.text.slice(0, length));
      }
      if (weight < leastFront) break;
      const total = weight * (to - from - 1) - HEAD + won[to]!;
      if (to - from >= leastRows && total >= won[from]! + WORTH) {
        won[from] = total;
        best[from] = { to, length };
      }
    }
  }
  const groups: Group[] = [];
  for (let from = 0; from < lines.length; ) {
    const { to, length } = best[from]!;
    groups.push({ from, to, front: lines[from]!.text.slice(0, length) });
    from = to;
  }
  return groups;
}

/** Rows with the same first word, wherever they stand, if they have more in common than that word. */
function groupByFirstWord(lines: readonly Line[], may: readonly boolean[]): readonly Group[] {
  const words = lines.map(({ text }, n) => (may[n] && text.includes(" ") ? firstWord(text) : ""));
  const fronts = new Map<string, string>();
  for (const [n, { text }] of lines.entries()) {
    const front = fronts.get(words[n]!);
    fronts.set(words[n]!, front === undefined ? text : front.slice(0, boundaryIn(front, sharedLength(front, text))));
  }
  for (const [word, front] of fronts) if (word === "" || weighText(front) - weighText(word) <= HEAD + WORTH) fronts.delete(word);
  // The only row of a word begins with all of itself.
  const frontAt = (n: number): string => {
    const front = fronts.get(words[n]!) ?? "";
    return front.length < lines[n]!.text.length ? front : "";
  };
  const groups: Group[] = [];
  for (let from = 0; from < lines.length; ) {
    const front = frontAt(from);
    let to = from + 1;
    while (front !== "" && to < lines.length && frontAt(to) === front) to++;
    groups.push({ from, to, front });
    from = to;
  }
  return groups;
}

/** Not what begins with a blank itself, nor what stands for several lines. */
const isRow = (line: Line): boolean => line.covers === 1 && !isBlank(line) && !STARTS_IN.test(line.text);

/** How many characters two texts begin with in common. */
function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}

/** Where a beginning may end: behind the first blank after a word, or behind a folder. */
function boundaryIn(text: string, most: number): number {
  for (let at = most; at > 0; at--) {
    if (text[at - 1] === " " && text[at - 2] !== " ") return at;
    if (text[at - 1] === "/" && at < text.length && text[at] !== " ") return at;
    if (text[at - 1] === "." && FAMILY.test(text.slice(Math.max(0, at - MOST_FAMILY), at)) && /\w/.test(text[at] ?? "")) return at;
  }
  return 0;
}

/** `net.ipv4.conf.`: names in names. Not a version, nor an address. */
const FAMILY = /(?:^|[\s"'])[A-Za-z_][\w-]*\.(?:[\w-]+\.)*[A-Za-z_][\w-]*\.$/;
const MOST_FAMILY = 80;
