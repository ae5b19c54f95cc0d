import * as z from "zod";
import { defineStrategy } from "../strategy.ts";

export const stripNoise = defineStrategy({
  options: z.strictObject({ patterns: z.array(z.string().max(512)).describe("Lines that match any of these are left out") }),
  build({ patterns }, compile) {
    const tests = patterns.map(compile);
    return ({ lines }) => {
      const kept = lines.filter((line) => !tests.some((test) => test(line.text)));
      return { lines: kept, confidence: kept.length < lines.length ? "Full" : "Fallback" };
    };
  },
});
