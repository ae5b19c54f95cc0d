import type { PlaceOf } from "../../config/load.ts";
import { ConfigError } from "../../config/problem.ts";
import type { Rulebook } from "./rulebook.ts";
import { checkRulebook } from "./rulebook-check.ts";
import { type ExampleParts, runExamples } from "./rulebook-examples.ts";

/** Throws a ConfigError that lists all that is wrong with the rules and every example that fails. Returns what is only odd. */
export function assertRulebook(book: Rulebook, placeOf: PlaceOf, parts: ExampleParts): readonly string[] {
  const { problems, warnings } = checkRulebook(book, parts.tools, placeOf);
  const { failures } = runExamples(book, parts);
  if (problems.length + failures.length > 0) throw new ConfigError([...problems, ...failures]);
  return warnings;
}
