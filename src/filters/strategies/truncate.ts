import * as z from "zod";
import { defineStrategy } from "../strategy.ts";
import { isOutspoken, kindsOf } from "../text/kinds.ts";

/** Head and tail of a long output. Lines between them that look like errors stay too, as far as there is room: one of each kind first. */
export const truncate = defineStrategy({
  options: () =>
    z
      .strictObject({
        max_lines: z.int().min(1).describe("Outputs with more lines than this are cut"),
        head: z.int().min(0).default(20).describe("Lines kept from the beginning"),
        tail: z.int().min(0).default(20).describe("Lines kept from the end"),
      })
      .refine(({ max_lines, head, tail }) => head + tail <= max_lines, "head + tail is more than max_lines"),
  isBlind: () => true,
  build({ max_lines, head, tail }) {
    return ({ lines }) => {
      if (lines.length <= max_lines) return { lines, confidence: "Fallback" };
      const errors = lines.slice(head, lines.length - tail).filter(({ errors }) => errors > 0);
      const kinds = kindsOf(errors);
      const firsts = kinds.map(([first]) => first!);
      const others = kinds.flatMap(([, ...rest]) => rest);
      const ranked = [...firsts.filter(isOutspoken), ...firsts.filter((line) => !isOutspoken(line)), ...others];
      const chosen = new Set(ranked.slice(0, max_lines - head - tail));
      const middle = errors.filter((line) => chosen.has(line));
      return { lines: [...lines.slice(0, head), ...middle, ...lines.slice(lines.length - tail)], confidence: "Partial" };
    };
  },
});
