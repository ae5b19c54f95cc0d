import * as z from "zod";

/** A path argument. Relative ones start at the working directory. */
export const pathArgument = (what?: string) => {
  const path = z.string().min(1).max(4096);
  return what === undefined ? path : path.describe(what);
};
