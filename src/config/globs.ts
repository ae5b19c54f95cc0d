import { globProblem } from "../core/glob.ts";
import { regexProblem } from "./policy-regex.ts";
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
  ["hooks", "*", "*", "match"],
  ["tools", "scoped", "denied_tools", "*"],
  ["tools", "scoped", "allowed_tools", "*"],
  ["tools", "scoped", "constraints", "*", "tool"],
  ...["policy", "authorization"].flatMap((section) => [
    ["tools", section, "rules", "*", "tool"],
    ["tools", section, "rules", "*", "tools", "*"],
    ["tools", section, "rules", "*", "paths", "*"],
  ]),
];

/** The same for regular expressions. */
const REGEXES: readonly (readonly string[])[] = ["policy", "authorization"].map((section) => [
  "tools",
  section,
  "rules",
  "*",
  "args_match",
]);

export interface GlobComplaint {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Every malformed glob, and every malformed regular expression. */
export const badGlobs = (data: unknown): GlobComplaint[] => [
  ...bad(data, GLOBS, globProblem, "is not a valid glob"),
  ...bad(data, REGEXES, regexProblem, "is not a valid regular expression"),
];

const bad = (data: unknown, places: typeof GLOBS, problemOf: (pattern: string) => string | null, what: string): GlobComplaint[] =>
  places
    .flatMap((where) => expand(data, where))
    .flatMap((path) => {
      const pattern = valueAt(data, path);
      const problem = typeof pattern === "string" && pattern !== "" ? problemOf(pattern) : null;
      return problem ? [{ path, message: `${what}: ${problem}.` }] : [];
    });

/** Every path in the data that fits, `*` standing for each entry of a list or table. */
function expand(data: unknown, where: readonly string[]): (string | number)[][] {
  const [head, ...rest] = where;
  if (head === undefined) return [[]];
  if (typeof data !== "object" || data === null) return [];
  const names = head !== "*" ? [head] : Array.isArray(data) ? [...data.keys()] : Object.keys(data);
  return names.flatMap((name) => expand(valueAt(data, [name]), rest).map((path) => [name, ...path]));
}
