import * as z from "zod";

/** A path argument. Relative ones start at the working directory. */
export const pathArgument = (what: string) => z.string().min(1).max(4096).describe(`${what}, absolute or relative`);
