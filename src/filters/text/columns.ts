import { type Line, standFor } from "../line.ts";

/** A table without the blanks that line up its columns. */
export const squeezed = (lines: readonly Line[]): readonly Line[] =>
  lines.map((line) => {
    const text = line.text.trim().replace(/[ \t]{2,}|\t/g, " ");
    return text === line.text ? line : standFor(text, [line]);
  });
