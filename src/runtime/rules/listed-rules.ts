import { scanToml } from "../../config/edit/scan.ts";
import type { RuleFile } from "../../config/rule-file.ts";
import { BUILT_IN } from "../../filters/built-in.ts";
import type { Rule } from "../../filters/rule.ts";
import { parseToml } from "../../text/toml.ts";

/** A rule in force, and where it is written. */
export interface ListedRule {
  readonly name: string;
  readonly origin: Rule["origin"];
  /** Of ours the name alone; they are part of the program. */
  readonly file: string;
  readonly strategy: string;
  readonly toml: string;
}

/** Rules with the text they were made from. */
export function listedRules(rules: readonly Rule[], own: RuleFile | null): readonly ListedRule[] {
  const ours = textsIn(BUILT_IN.map(({ file, text }) => ({ name: file, text })));
  const theirs = textsIn(own ? [own] : []);
  return rules.map(({ name, origin, strategy }) => {
    const { file, toml } = (origin === "user" ? theirs : ours).get(name) ?? { file: "", toml: "" };
    return { name, origin, file, strategy, toml };
  });
}

function textsIn(files: readonly RuleFile[]): ReadonlyMap<string, { readonly file: string; readonly toml: string }> {
  const texts = new Map<string, { file: string; toml: string }>();
  for (const { name: file, text } of files) {
    const rules = rulesOf(text);
    // What the parser refused has no rules, and the scanner only guesses at it.
    if (rules.length === 0) continue;
    const heads = scanToml(text).filter(({ kind }) => kind === "table" || kind === "list");
    // A rule ends where the next header begins that is not one of its own tables.
    const ends = heads.filter(({ path }) => path.length <= 2).map(({ start }) => start);
    let passed = 0;
    for (const { path, start } of heads) {
      while (passed < ends.length && ends[passed]! <= start) passed++;
      const [key, index, ...below] = path;
      const name = key === "rules" && typeof index === "number" && below.length === 0 ? rules[index]?.name : undefined;
      if (typeof name === "string") texts.set(name, { file, toml: trimmed(text.slice(start, ends[passed])) });
    }
  }
  return texts;
}

function rulesOf(text: string): readonly { readonly name?: unknown }[] {
  try {
    const { rules } = parseToml(text.replace(/^\ufeff/, ""), "filters");
    return Array.isArray(rules) ? (rules as { name?: unknown }[]) : [];
  } catch {
    return [];
  }
}

/** Comments at the end speak of the rule that follows. */
function trimmed(block: string): string {
  const lines = block.trimEnd().split("\n");
  while (/^\s*(?:#.*)?$/.test(lines.at(-1)!)) lines.pop();
  return lines.join("\n");
}
