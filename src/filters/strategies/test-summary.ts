import * as z from "zod";
import { defineStrategy } from "../strategy.ts";

export const testSummary = defineStrategy({
  options: z.strictObject({}),
  build: () => () => null,
});
