import { type Line, standFor } from "../line.ts";

/** Where a tree is drawn inside a column, its blanks mean something. */
const DRAWN = /\\_|[├└│]|^\s*[|`]-/;

/** A table without the blanks that line up its columns. */
export const squeezeColumns = (lines: readonly Line[]): readonly Line[] =>
  lines.map((line) => {
    const text = DRAWN.test(line.text) ? line.text : line.text.trim().replace(/[ \t]{2,}|\t/g, " ");
    return text === line.text ? line : standFor(text, [line]);
  });
