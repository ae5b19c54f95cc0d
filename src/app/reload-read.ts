import { ConfigError } from "../config/problem.ts";
import type { Facts } from "../core/facts.ts";
import type { AnyTool } from "../core/tool.ts";
import type { ReloadParts } from "./reload.ts";
import { readRulebook } from "./rulebook.ts";
import { checkRulebook } from "./rulebook-check.ts";
import { runExamples } from "./rulebook-examples.ts";

export interface ReaderParts {
  readonly facts: Facts;
  readonly tools: () => ReadonlyMap<string, AnyTool>;
  readonly home: string;
}

/** How rules are read, at the start and whenever they are read again: with the files they name, checked, and their examples held against them. */
export function rulesReader({ facts, tools, home }: ReaderParts): ReloadParts["read"] {
  return (config, placeOf, warn) => {
    const book = readRulebook(config, { placeOf, cwd: facts.cwd, home });
    const { problems, warnings } = checkRulebook(book, tools(), placeOf);
    const { failures } = runExamples(book, { facts, tools: tools() });
    if (problems.length + failures.length > 0) throw new ConfigError([...problems, ...failures]);
    for (const warning of warnings) warn(warning);
    return book;
  };
}
