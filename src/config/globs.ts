import { globProblem } from "../core/glob.ts";
import { valueAt } from "./shape.ts";

/** Where globs are written, so that a malformed one is found at the start and not when it should have protected something. `*`: every entry. */
const GLOBS: readonly (readonly string[])[] = [
  ["tools", "file", "deny_read", "*"],
  ["tools", "file", "allow_read", "*"],
  ["tools", "sandbox", "allow_read", "*"],
  ["tools", "sandbox", "allow_write", "*"],
  ["tools", "sandbox", "toolchains", "*"],
  ["tools", "shell", "transaction_scope", "*"],
  ["tools", "permissions", "*", "*", "pattern"],
];

export interface GlobComplaint {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export function badGlobs(data: unknown): GlobComplaint[] {
  return GLOBS.flatMap((where) => expand(data, where)).flatMap((path) => {
    const pattern = valueAt(data, path);
    const problem = typeof pattern === "string" && pattern !== "" ? globProblem(pattern) : null;
    return problem ? [{ path, message: `is not a valid glob: ${problem}.` }] : [];
  });
}

/** Every path in the data that fits, `*` standing for each entry of a list or table. */
function expand(data: unknown, where: readonly string[]): (string | number)[][] {
  const [head, ...rest] = where;
  if (head === undefined) return [[]];
  if (typeof data !== "object" || data === null) return [];
  const names = head !== "*" ? [head] : Array.isArray(data) ? [...data.keys()] : Object.keys(data);
  return names.flatMap((name) => expand(valueAt(data, [name]), rest).map((path) => [name, ...path]));
}
