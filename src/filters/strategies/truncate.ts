import * as z from "zod";
import { defineStrategy } from "../strategy.ts";

/** Head and tail of a long output. Lines between them that look like errors stay too, as far as there is room. */
export const truncate = defineStrategy({
  options: z
    .strictObject({
      max_lines: z.int().min(1),
      head: z.int().min(0).default(20),
      tail: z.int().min(0).default(20),
    })
    .refine(({ max_lines, head, tail }) => head + tail <= max_lines, "head + tail is more than max_lines"),
  build({ max_lines, head, tail }) {
    return ({ lines }) => {
      if (lines.length <= max_lines) return { lines, confidence: "Fallback" };
      const room = Math.max(max_lines - head - tail, 0);
      const middle = lines.slice(head, lines.length - tail).filter(({ errors }) => errors > 0);
      const kept =
        middle.length <= room ? middle : [...middle.slice(0, Math.ceil(room / 2)), ...middle.slice(middle.length - Math.floor(room / 2))];
      return { lines: [...lines.slice(0, head), ...kept, ...lines.slice(lines.length - tail)], confidence: "Partial" };
    };
  },
});
