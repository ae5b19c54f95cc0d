import { globProblem, globSize } from "../text/glob.ts";
import { regexProblem } from "./policy/regex.ts";
import { valueAtPath } from "./shape.ts";

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
  ["tools", "scoped", "constraints", "*", "deny_patterns", "*"],
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

/** The most characters that the alternatives of all globs may have together. Every path and command is held against them, so they cost more than once. */
const MOST_CHARACTERS = 250_000;

/** Every malformed glob, and every malformed regular expression. */
export function badGlobs(data: unknown): GlobComplaint[] {
  let size = 0;
  const glob = (pattern: string): string | null => {
    if (size > MOST_CHARACTERS) return null;
    const problem = globProblem(pattern);
    size += problem === null ? globSize(pattern) : 0;
    return size > MOST_CHARACTERS
      ? `with it the globs of this configuration stand for more than ${MOST_CHARACTERS} characters, and every path is compared with all of them`
      : problem;
  };
  return [...bad(data, GLOBS, glob, "is not a valid glob"), ...bad(data, REGEXES, regexProblem, "is not a valid regular expression")];
}

function bad(data: unknown, places: typeof GLOBS, problemOf: (pattern: string) => string | null, what: string): GlobComplaint[] {
  const found: GlobComplaint[] = [];
  for (const where of places)
    eachValue(data, where, [], (pattern, path) => {
      // What is exact is no glob.
      if (valueAtPath(data, [...path.slice(0, -1), "exact"]) === true) return;
      const problem = typeof pattern === "string" && pattern !== "" ? problemOf(pattern) : null;
      if (problem) found.push({ path: [...path], message: `${what}: ${problem}.` });
    });
  return found;
}

/** Visits every value in the data whose path fits, `*` standing for each entry of a list or table. */
function eachValue(
  data: unknown,
  where: readonly string[],
  path: (string | number)[],
  visit: (value: unknown, path: readonly (string | number)[]) => void,
): void {
  const head = where[path.length];
  if (head === undefined) {
    visit(data, path);
    return;
  }
  if (typeof data !== "object" || data === null) return;
  const names = head !== "*" ? [head] : Array.isArray(data) ? data.keys() : Object.keys(data);
  for (const name of names) {
    if (!Object.hasOwn(data, name)) continue;
    path.push(name);
    eachValue((data as Record<string | number, unknown>)[name], where, path, visit);
    path.pop();
  }
}
