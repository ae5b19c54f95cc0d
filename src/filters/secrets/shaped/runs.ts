/** A part of a text without a break: letters, digits, `_` and `-`. */
const IN_RUN = new Uint8Array(65_536);
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") IN_RUN[char.charCodeAt(0)] = 1;

/** Every key has a part of this length. Words hardly ever do. */
export const LONG = 16;

/** Calls back for each run of sixteen or more. Most characters are never looked at: a break in the middle rules out all runs across it. */
export function longRuns(text: string, visit: (start: number, end: number) => void): void {
  const { length } = text;
  let from = 0;
  while (from + LONG <= length) {
    let at = from + LONG - 1;
    while (at >= from && IN_RUN[text.charCodeAt(at)] === 1) at--;
    if (at >= from) {
      from = at + 1;
      continue;
    }
    let end = from + LONG;
    while (end < length && IN_RUN[text.charCodeAt(end)] === 1) end++;
    visit(from, end);
    from = end + 1;
  }
}

/** Calls back for each shorter run that stops at the end of a line and may go on in the next. */
export function brokenRuns(text: string, visit: (start: number, end: number) => void): void {
  for (let line = text.indexOf("\n"); line >= 0; line = text.indexOf("\n", line + 1)) {
    const end = text.charCodeAt(line - 1) === 13 ? line - 1 : line;
    let start = end;
    while (start > 0 && end - start < LONG && IN_RUN[text.charCodeAt(start - 1)] === 1) start--;
    if (start < end && end - start < LONG) visit(start, end);
  }
}
