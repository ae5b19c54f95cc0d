import { type Dirent, readdirSync } from "node:fs";
import { attempt } from "../../text/attempt.ts";

/** From here on a search is faster with several threads; below, to start them takes longer than to search. */
const MOST_ENTRIES = 400;
/** Many folders with little in each take as long to count as to search. */
const MOST_FOLDERS = 60;
const KEPT_MS = 10_000;
const MOST_KEPT = 64;

interface Counted {
  readonly isSmall: boolean;
  readonly until: number;
}

const counted = new Map<string, Counted>();

/**
 * Whether so little lies below a folder that one thread is enough. Counted up to a bound and remembered for a while: a count that has become wrong
 * costs time and nothing else. What a search would leave out is counted too.
 */
export function isSmallTree(folder: string, name: string, now = Date.now()): boolean {
  const known = counted.get(name);
  if (known && now < known.until) return known.isSmall;
  if (counted.size >= MOST_KEPT) counted.clear();
  const isSmall = countsFew(folder);
  counted.set(name, { isSmall, until: now + KEPT_MS });
  return isSmall;
}

function countsFew(folder: string): boolean {
  const open = [folder];
  let entries = 0;
  for (let folders = 0; open.length > 0; folders++) {
    if (folders >= MOST_FOLDERS) return false;
    const here = open.pop()!;
    const found = attempt((): Dirent[] => readdirSync(here, { withFileTypes: true }), []);
    entries += found.length;
    if (entries > MOST_ENTRIES) return false;
    // Never searched, and large.
    for (const entry of found) if (entry.isDirectory() && entry.name !== ".git") open.push(`${here}/${entry.name}`);
  }
  return true;
}
