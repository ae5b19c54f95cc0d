import type { Line } from "../line.ts";

/** What a reader made of the lines from one place on. */
interface Read {
  /** The first line it did not take. */
  readonly next: number;
  /** What is shown of the lines it took. The others were positively known to be noise. */
  readonly shown: readonly Line[];
}

/** Knows one kind of passage. null: this is none. */
export type Reader = (lines: readonly Line[], at: number) => Read | null;

/** Each passage by the first reader that knows it. Lines that no reader knows stay. null: no reader knew any. */
export function readPassages(lines: readonly Line[], readers: readonly Reader[]): Line[] | null {
  const kept: Line[] = [];
  let known = 0;
  for (let at = 0; at < lines.length; ) {
    const read = first(readers, lines, at);
    if (read) known++;
    for (const line of read?.shown ?? [lines[at]!]) kept.push(line);
    at = read?.next ?? at + 1;
  }
  return known === 0 ? null : kept;
}

function first(readers: readonly Reader[], lines: readonly Line[], at: number): Read | null {
  for (const reader of readers) {
    const read = reader(lines, at);
    if (read) return read;
  }
  return null;
}
