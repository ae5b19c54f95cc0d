import { isErrorShaped } from "../errors.ts";

/** How far up a terminal lets a program go. */
const SCREEN = 500;

/**
 * The lines of a text in which a program went up again to draw over what it had drawn. `up` encloses each number of lines. What looks like an
 * error and was drawn over stays, before the line that took its place.
 */
export function redrawn(text: string, up: string): string[] {
  const rows: string[] = [];
  const overwritten = new Map<number, string[]>();
  let row = 0;
  const put = (part: string) => {
    if (part === "") return;
    const old = rows[row];
    if (old !== undefined && old !== part && isErrorShaped(old)) overwritten.set(row, [...(overwritten.get(row) ?? []), old].slice(-MOST));
    rows[row] = part;
  };
  for (const line of text.split("\n")) {
    for (const [n, part] of line.split(up).entries()) {
      if (n % 2 === 0) put(part);
      else row = Math.max(row - Number(part), rows.length - SCREEN, 0);
    }
    row++;
    while (rows.length < row) rows.push("");
  }
  return rows.flatMap((line, at) => [...(overwritten.get(at) ?? []), line]);
}

const MOST = 20;
