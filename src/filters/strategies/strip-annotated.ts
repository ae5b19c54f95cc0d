import * as z from "zod";
import { defineStrategy } from "../strategy.ts";

/** Leaves out remarks of a compiler: `note:`, `help:`, and the source lines drawn below them. */
export const stripAnnotated = defineStrategy({
  options: z.strictObject({
    annotations: z.array(z.string().min(1).max(512)).min(1).describe("Words such as note and help, without the colon"),
  }),
  build({ annotations }) {
    const begins = annotations.map((word) => `${word}:`);
    return ({ lines }) => {
      const kept = lines.filter(({ text }) => {
        const bare = text.replace(/^[\s=|>-]+/, "");
        return !begins.some((begin) => bare.startsWith(begin));
      });
      return { lines: kept, confidence: kept.length < lines.length ? "Full" : "Fallback" };
    };
  },
});
