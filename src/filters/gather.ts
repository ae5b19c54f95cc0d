import { isErrorShaped } from "./errors.ts";
import { type Line, printedLine, standFor } from "./line.ts";

/** The lines of an output, within a fixed amount of memory. */
export interface GatheredLines {
  /** In their order; one for a long run of lines that are the same. Errors from a middle that was dropped stand in its place. */
  readonly entries: readonly GatheredLine[];
  /** Lines from the middle of an output with more lines than are held. */
  readonly dropped: { readonly covers: number; readonly errors: number; readonly at: number };
  /** The characters of all lines, with the ends between them. */
  readonly length: number;
  /** Whether each line is an entry of its own. */
  readonly isWhole: boolean;
}

/** A line, and how often it was printed there. */
export interface GatheredLine {
  readonly text: string;
  count: number;
}

/** A rule looks at each line several times, and a line takes some hundred bytes. More lines than these are no log that a rule could tell. */
const MOST_LINES = 200_000;
/** So many lines that are the same, one after the other, are held as one. */
const RUN = 50;
const LONGEST_REPEATED = 1000;
const MOST_KINDS = 100;

export function gatherLines(texts: Iterable<string>, most = MOST_LINES): GatheredLines {
  const half = most / 2;
  const head: GatheredLine[] = [];
  let tail: GatheredLine[] = [];
  const middle = createMiddle();
  let count = 0;
  let length = -1;
  for (const entry of eachEntry(texts)) {
    count += entry.count;
    length += (entry.text.length + 1) * entry.count;
    if (head.length < half) head.push(entry);
    else tail.push(entry);
    if (tail.length < most) continue;
    for (const old of tail.slice(0, half)) middle.add(old);
    tail = tail.slice(half);
  }
  const isWhole = middle.isEmpty() && count <= half + most;
  const entries = [...head, ...middle.errors(), ...tail];
  return { entries: isWhole ? entries.flatMap(eachTime) : entries, dropped: { ...middle.dropped(), at: head.length }, length, isWhole };
}

function* eachEntry(texts: Iterable<string>): Generator<GatheredLine> {
  let run: GatheredLine = { text: "", count: 0 };
  for (const text of texts) {
    if (run.text === text && text.length <= LONGEST_REPEATED) {
      run.count++;
      continue;
    }
    yield* run.count < RUN ? eachTime(run) : [run];
    run = { text, count: 1 };
  }
  yield* run.count < RUN ? eachTime(run) : [run];
}

/** Errors of some kinds, and the number of everything else. */
function createMiddle() {
  const kinds = new Map<string, GatheredLine>();
  let added = 0;
  let covers = 0;
  let errors = 0;
  return {
    add({ text, count }: GatheredLine) {
      added++;
      if (text === "") return;
      const kind = isErrorShaped(text) ? text.replace(/\d+/g, "0") : null;
      const known = kind === null ? undefined : kinds.get(kind);
      if (known) known.count += count;
      else if (kind !== null && kinds.size < MOST_KINDS) kinds.set(kind, { text, count });
      else {
        covers += count;
        if (kind !== null) errors += count;
      }
    },
    isEmpty: () => added === 0,
    errors: () => kinds.values(),
    dropped: () => ({ covers, errors }),
  };
}

const eachTime = (entry: GatheredLine): readonly GatheredLine[] =>
  entry.count === 1 ? [entry] : Array.from({ length: entry.count }, () => ({ text: entry.text, count: 1 }));

export interface PrintedLines {
  readonly printed: readonly Line[];
  readonly lines: readonly Line[];
}

/** The lines as they were printed, which are counted, and as the rules see them. */
export function readGathered({ entries, dropped }: Pick<GatheredLines, "entries" | "dropped">): PrintedLines {
  const printed: Line[] = [];
  const lines = entries.map(({ text, count }) => {
    const once = printedLine(text);
    const line = count === 1 ? once : { ...once, covers: once.covers * count, errors: once.errors * count };
    printed.push(line);
    return count === 1 ? line : standFor(`${text} (×${count})`, [line]);
  });
  const { at, ...sum } = dropped;
  if (sum.covers > 0) printed.splice(at, 0, { text: "", ...sum, from: [] });
  return { printed, lines };
}
