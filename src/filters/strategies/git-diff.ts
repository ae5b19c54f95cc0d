import * as z from "zod";
import { defineStrategy } from "../strategy.ts";

export const gitDiff = defineStrategy({
  options: z.strictObject({ max_diff_lines: z.int().min(1).max(1_000_000).default(500) }),
  build: () => () => null,
});
