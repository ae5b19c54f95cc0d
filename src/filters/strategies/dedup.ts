import * as z from "zod";
import { defineStrategy } from "../strategy.ts";

export const dedup = defineStrategy({
  options: z.strictObject({}),
  build: () => () => null,
});
