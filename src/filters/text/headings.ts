import { isBlank, type Line } from "../line.ts";

const FEWEST = 5;
/** If most lines would be headings, the text has none. */
const SHARE = 0.4;
const LEVELS = 3;
/** So many lines with the same indentation: the text has no headings. */
const GLANCE = 500;
/** ` 3 files changed, 12 insertions(+)` says as much as all lines above it. */
const SUMS = /^\s*(?:[Tt]otal\b|\d+ [a-z]+ (?:changed|passed|failed|found|skipped)\b)/;
const LONGEST_SUM = 200;
const CHANGES = /^(?:@@ |diff --git )/;
/** Blanks, and the lines drawn before a branch of a tree. */
const FRONT = /^[\s\u00a0│|├└─┬`+\\*-]*/;
const MOST_FRONT = 80;

/**
 * The lines below which others stand further in, level by level: packages of a tree, commits above their files, files of a change, keys of a document.
 * Nothing where lines are not built so.
 */
export function headingsIn(lines: readonly Line[]): readonly ReadonlySet<Line>[] {
  const begin = lines.slice(0, GLANCE).filter((line) => !isBlank(line));
  const isDiff = begin.some(({ text }) => CHANGES.test(text));
  const depthOf = ({ text }: Line): number => (isDiff ? depthInDiff(text) : FRONT.exec(text.slice(0, MOST_FRONT))![0].length);
  if (new Set(begin.map(depthOf)).size < 2) return [];
  const said = lines.filter((line) => !isBlank(line));
  const depths = said.map(depthOf);
  const sums = new Set(said.filter(({ text }) => text.length < LONGEST_SUM && SUMS.test(text)));
  const levels = [...new Set(depths)].sort((a, b) => a - b).slice(0, LEVELS);
  const found: Set<Line>[] = [];
  let count = 0;
  for (const level of levels) {
    const headings = said.filter((line, n) => depths[n] === level && ((depths[n + 1] ?? 0) > level || sums.has(line)));
    count += headings.length;
    if (count > said.length * SHARE) break;
    found.push(new Set(headings));
  }
  return count < FEWEST && found.length < 2 ? [] : found.filter(({ size }) => size > 0);
}

/** A file, then its places, then its lines. */
const depthInDiff = (text: string): number => (/^[-+ ]/.test(text) ? 2 : text.startsWith("@@ ") ? 1 : 0);
