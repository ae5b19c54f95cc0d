import * as z from "zod";
import { defineStrategy } from "../strategy.ts";

export const groupByRule = defineStrategy({
  options: z.strictObject({}),
  build: () => () => null,
});
