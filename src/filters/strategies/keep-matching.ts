import * as z from "zod";
import { defineStrategy } from "../strategy.ts";

/** Only lines that match stay, and everything that looks like an error. */
export const keepMatching = defineStrategy({
  options: () => z.strictObject({ patterns: z.array(z.string().max(512)).min(1).describe("Lines that match any of these stay") }),
  isBlind: () => true,
  build({ patterns }, compile) {
    const tests = patterns.map(compile);
    return ({ lines }) => {
      const kept = lines.filter((line) => line.errors > 0 || tests.some((test) => test(line.text)));
      if (kept.length === 0) return null;
      return { lines: kept, confidence: kept.length < lines.length ? "Full" : "Fallback" };
    };
  },
});
