import * as z from "zod";
import { defineStrategy } from "../strategy.ts";

export const gitStatus = defineStrategy({
  options: z.strictObject({}),
  build: () => () => null,
});
