import { BLANK, type Line, standFor } from "../line.ts";

const HEAD = /^([|\\/_ .-]{0,200}\*[|\\/_ .-]{0,200})commit [0-9a-f]{7,64}\b/;
const CHANGE = /^[|\\/_ ]{1,200}diff --(?:git|cc|combined) /;
const ART = /^[|\\/_ .]*$/;

/** Changes below commits, without what `--graph` draws before each line: as wide as before its commit. The commits keep theirs. */
export function withoutGraph(lines: readonly Line[]): readonly Line[] {
  if (!lines.some(({ text }) => CHANGE.test(text))) return lines;
  let width = 0;
  return lines.map((line) => {
    const { text } = line;
    const art = HEAD.exec(text)?.[1];
    if (art !== undefined) {
      width = art.length;
      return line;
    }
    if (width === 0 || !ART.test(text.slice(0, width))) return line;
    const rest = text.slice(width);
    return rest.trim() === "" ? BLANK : standFor(rest, [line]);
  });
}
