import type { Line } from "../line.ts";

/** A file and a line in it, in any of the usual forms. */
const PLACE =
  /(?:\.[A-Za-z][\w+]{0,9}|c\+\+\/[\w/]{1,80}|file|BUILD|WORKSPACE)(?:[:(]\d|:\[\d|: line \d|: \(\d| line \d| \d+:\d)|━━━|: undefined reference|: multiple definition/;
/** A row of a table, or words that only one tool begins with. */
const WORDS =
  /^(?: {0,6}\d{1,7}:\d{1,6}\s|CMake |ERROR in |WARNING in |\[(?:warn|error|ERROR)\]|For more information|Some errors have|Errors {2}F|[Ww]ould reformat|[✘▲] \[)/;
/** How far above its place a diagnostic may begin. */
const ABOVE = 5;

/**
 * Where a diagnostic may begin: not far above a place. Most lines of most outputs are no such thing, and no reader has to look at them. null: nowhere.
 */
export function createBeginTest(lines: readonly Line[]): ((at: number) => boolean) | null {
  let looked = nextHint(lines, 0);
  if (looked === lines.length) return null;
  return (at) => {
    if (looked < at) looked = nextHint(lines, at);
    return looked <= at + ABOVE && looked < lines.length;
  };
}

/** The first line from here on that holds a place or such words. */
function nextHint(lines: readonly Line[], from: number): number {
  for (let at = from; at < lines.length; at++) {
    const { text } = lines[at]!;
    if (PLACE.test(text) || WORDS.test(text)) return at;
  }
  return lines.length;
}
