import * as z from "zod";
import { textAt } from "../diagnostics/diagnostic.ts";
import { frameEnd, isCaret } from "../diagnostics/frame.ts";
import type { Line } from "../line.ts";
import { defineStrategy } from "../strategy.ts";

/** Leaves out remarks of a compiler: `note:`, `help:`, and what is drawn below them. */
export const stripAnnotated = defineStrategy({
  options: () =>
    z.strictObject({
      annotations: z.array(z.string().min(1).max(512)).min(1).describe("Words such as note and help, without the colon"),
    }),
  build({ annotations }) {
    const begins = annotations.map((word) => `${word}:`);
    const isRemark = (text: string): boolean => begins.some((begin) => bare(text).startsWith(begin));
    return ({ lines }) => {
      const kept: Line[] = [];
      let at = 0;
      while (at < lines.length) {
        const line = lines[at]!;
        if (!isRemark(line.text)) kept.push(line);
        at = isRemark(line.text) ? drawnEnd(lines, at + 1) : at + 1;
      }
      return { lines: kept, confidence: kept.length < lines.length ? "Full" : "Fallback" };
    };
  },
});

/** Without what may stand before the word: a margin, a place. */
const bare = (text: string): string => text.replace(/^[\s=|>-]+/, "").replace(/^[^\s:][^:]{0,400}:\d{1,7}:(?:\d{1,6}:)? +/, "");

/** An arrow, a frame with a margin, or a source line with a line of carets. */
function drawnEnd(lines: readonly Line[], at: number): number {
  const first = /^ {0,12}(?:-->|:::) \S/.test(textAt(lines, at)) ? at + 1 : at;
  const end = frameEnd(lines, first);
  if (end > first || first > at) return end;
  return isCaret(textAt(lines, at + 1)) && lines[at]!.errors === 0 ? at + 2 : at;
}
