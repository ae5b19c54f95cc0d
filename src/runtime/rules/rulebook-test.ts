import { namedPath, parsePolicyFile, readNamedFile } from "../../config/policy/policy-file.ts";
import { ConfigError, type Problem, placeText } from "../../config/problem.ts";
import { parseConfigToml, readConfigFile } from "../../config/read.ts";
import { type Config, configSchema } from "../../config/schema.ts";
import { valueAtPath } from "../../config/shape.ts";
import { type Rulebook, readRulebook, type Where } from "./rulebook.ts";
import { checkRulebook } from "./rulebook-check.ts";
import { defaultOf, type ExampleParts, runExamples } from "./rulebook-examples.ts";

export interface Tested {
  /** How many examples there are. */
  readonly total: number;
  readonly failures: readonly Problem[];
  readonly warnings: readonly string[];
  /** What a call got that no rule matches. */
  readonly default: Effect;
  /** Who says so, in a few words; null where the caller did: a file of rules has no default of its own. */
  readonly from: string | null;
}

type Effect = Config["tools"]["policy"]["default_effect"];

/**
 * Reads a file of rules, or a whole configuration, and runs its examples. Throws a ConfigError when it cannot be read or is malformed.
 * `assumed` is the default that a file of rules is tried out with.
 */
export function policyTestFile(path: string, at: Pick<Where, "cwd" | "home">, parts: ExampleParts, assumed: Effect = "deny"): Tested {
  const { book, placeOf, from } = bookOf(path, at, assumed);
  const { problems, warnings } = checkRulebook(book, parts.tools, placeOf);
  const { total, failures } = runExamples(book, parts);
  return { total, failures: [...problems, ...failures], warnings, default: defaultOf(book), from };
}

interface Read {
  readonly book: Rulebook;
  readonly placeOf: Where["placeOf"];
  readonly from: string | null;
}

function bookOf(named: string, at: Pick<Where, "cwd" | "home">, default_effect: Effect): Read {
  const path = namedPath(named, {}, at);
  const text = readNamedFile(path);
  if (Object.hasOwn(parseConfigToml(path, text), "rules")) {
    const { file } = parsePolicyFile(path, text);
    const placeOf = () => ({});
    return {
      book: readRulebook(configSchema().parse({ tools: { policy: { enabled: true, default_effect, policy_file: file } } }), {
        ...at,
        placeOf,
      }),
      placeOf,
      from: null,
    };
  }
  const read = readConfigFile(path);
  if (!read) throw new ConfigError([{ file: path, message: "This file does not exist." }]);
  const placeOf: Where["placeOf"] = (key) => {
    const line = read.locate(key)?.line;
    return { file: path, ...(line !== undefined && { line }) };
  };
  const book = heardAnyway(readRulebook(configSchema().parse(read.data), { ...at, placeOf }));
  const written = valueAtPath(read.data, DEFAULT) !== undefined;
  return { book, placeOf, from: !book.policy.enabled ? "tools.policy is off" : written ? placeText(placeOf(DEFAULT)) : "built in" };
}

const DEFAULT = ["tools", "policy", "default_effect"];

/** Rules that are off are tried out as if they were on. */
function heardAnyway(book: Rulebook): Rulebook {
  if (book.policy.enabled || book.authorization.enabled) return book;
  const on = <L extends { readonly rules: readonly unknown[] }>(list: L) => ({ ...list, enabled: list.rules.length > 0 });
  return { ...book, policy: on(book.policy), authorization: on(book.authorization) };
}
