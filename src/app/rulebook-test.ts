import { namedPath, parsePolicyFile, readNamedFile } from "../config/policy-file.ts";
import { ConfigError, type Problem } from "../config/problem.ts";
import { parseToml, readConfigFile } from "../config/read.ts";
import { configSchema } from "../config/schema.ts";
import { type Rulebook, readRulebook, type Where } from "./rulebook.ts";
import { checkRulebook } from "./rulebook-check.ts";
import { type ExampleParts, runExamples } from "./rulebook-examples.ts";

export interface Tested {
  /** How many examples there are. */
  readonly total: number;
  readonly failures: readonly Problem[];
  readonly warnings: readonly string[];
}

/** Reads a file of rules, or a whole configuration, and runs its examples. Throws a ConfigError when it cannot be read or is malformed. */
export function policyTestFile(path: string, at: Pick<Where, "cwd" | "home">, parts: ExampleParts): Tested {
  const { book, placeOf } = bookOf(path, at);
  const { problems, warnings } = checkRulebook(book, parts.tools, placeOf);
  const { total, failures } = runExamples(book, parts);
  return { total, failures: [...problems, ...failures], warnings };
}

function bookOf(named: string, at: Pick<Where, "cwd" | "home">): { book: Rulebook; placeOf: Where["placeOf"] } {
  const path = namedPath(named, {}, at);
  const text = readNamedFile(path);
  if (Object.hasOwn(parseToml(path, text), "rules")) {
    const { file } = parsePolicyFile(path, text);
    const placeOf = () => ({});
    return {
      book: readRulebook(configSchema.parse({ tools: { policy: { enabled: true, policy_file: file } } }), { ...at, placeOf }),
      placeOf,
    };
  }
  const read = readConfigFile(path);
  if (!read) throw new ConfigError([{ file: path, message: "This file does not exist." }]);
  const placeOf: Where["placeOf"] = (key) => {
    const line = read.locate(key)?.line;
    return { file: path, ...(line !== undefined && { line }) };
  };
  return { book: heardAnyway(readRulebook(configSchema.parse(read.data), { ...at, placeOf })), placeOf };
}

/** Rules that are off are tried out as if they were on. */
function heardAnyway(book: Rulebook): Rulebook {
  if (book.policy.enabled || book.authorization.enabled) return book;
  const on = <L extends { readonly rules: readonly unknown[] }>(list: L) => ({ ...list, enabled: list.rules.length > 0 });
  return { ...book, policy: on(book.policy), authorization: on(book.authorization) };
}
