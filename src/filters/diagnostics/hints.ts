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
 * Where a diagnostic may begin: not far above a place. Most lines of most outputs are no such thing, and no reader has to look at them.
 */
export function createBeginTest(lines: readonly Line[]): (at: number) => boolean {
  let looked = 0;
  let last = -1;
  return (at) => {
    for (; looked < lines.length && looked <= at + ABOVE; looked++) {
      const { text } = lines[looked]!;
      if (PLACE.test(text) || WORDS.test(text)) last = looked;
      if (last >= at) return true;
    }
    return last >= at;
  };
}
