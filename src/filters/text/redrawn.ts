import { isErrorShaped } from "../errors.ts";

/** How far up a terminal lets a program go. */
const SCREEN = 500;

/**
 * The lines of an output in which a program went up again to draw over what it had drawn. `up` encloses each number of lines, or nothing for one. What looks like an
 * error and was drawn over stays, before the line that took its place.
 */
export function* redrawn(lines: Iterable<string>, up: string): Generator<string> {
  /** The rows that can still be reached, and a screen more. */
  let rows: Row[] = [];
  let row = 0;
  const put = (part: string) => {
    if (part === "") return;
    const old = rows[row];
    const isLost = old !== undefined && old.text !== part && isErrorShaped(old.text);
    rows[row] = { text: part, errors: isLost ? [...old.errors, old.text].slice(-MOST) : (old?.errors ?? NONE) };
  };
  for (const line of lines) {
    for (const [n, part] of line.split(up).entries()) {
      if (n % 2 === 0) put(part);
      else row = Math.max(row - Number(part || 1), rows.length - SCREEN, 0);
    }
    row++;
    while (rows.length < row) rows.push(EMPTY);
    if (rows.length < SCREEN * 2) continue;
    for (const done of rows.slice(0, SCREEN)) yield* told(done);
    rows = rows.slice(SCREEN);
    row -= SCREEN;
  }
  for (const left of rows) yield* told(left);
}

interface Row {
  readonly text: string;
  /** What stood there before and looks like an error. */
  readonly errors: readonly string[];
}

const told = ({ text, errors }: Row): string[] => [...errors, text];

const NONE: readonly string[] = [];
const EMPTY: Row = { text: "", errors: NONE };
const MOST = 20;
