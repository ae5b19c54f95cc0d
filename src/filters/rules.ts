import type * as z from "zod";
import { didYouMean } from "../text/nearest.ts";
import { parseToml, TOML_LIMITS, TomlMistake } from "../text/toml.ts";
import { BUILT_IN } from "./built-in.ts";
import { trustedPattern, untrustedPattern } from "./patterns.ts";
import { buildRule, type Rule, ruleSchema } from "./rule.ts";

export interface RuleSet {
  readonly rules: readonly Rule[];
  readonly warnings: readonly string[];
}

const MAX_BYTES = TOML_LIMITS.length;

/** Each is a line on a person's screen; a file may have ten thousand. */
const MOST_WARNINGS = 100;

let builtIn: readonly Rule[] | undefined;

/** Ours. Read once, when the first output comes. */
export function builtInRules(): readonly Rule[] {
  builtIn ??= BUILT_IN.flatMap(({ file, text }) => {
    const read = rulesIn(file, text);
    if (typeof read === "string") throw new Error(read);
    return read.entries.map((entry) => buildRule(ruleSchema().parse(entry), "built-in", trustedPattern));
  });
  return builtIn;
}

/** The built-in rules and a person's own: their own come first, and replace built-in ones of the same name. A file that cannot be read leaves the built-in rules in force. */
export function rulesWith(file: string, text: string): RuleSet {
  const size = Buffer.byteLength(text);
  if (size > MAX_BYTES) return fallback(`${file} has ${size} bytes, more than the ${MAX_BYTES} a filter file may have`);
  const read = rulesIn(file, text);
  if (typeof read === "string") return fallback(read);
  const warnings = [...read.warnings];
  const lineOf = ruleLines(text);
  const mine: Rule[] = [];
  const replaced = new Set<string>();
  for (const [n, entry] of read.entries.entries()) {
    const name = nameOf(entry) ?? `number ${n + 1}`;
    const skipped = (why: string) => void warnings.push(`${file}:${lineOf(n)}: rule "${name}" is skipped: ${why}.`);
    replaced.add(name);
    const parsed = ruleSchema().safeParse(entry);
    if (!parsed.success) {
      skipped(wordsOf(parsed.error));
      continue;
    }
    if (!parsed.data.enabled) {
      const isOwn = parsed.data.match !== undefined || parsed.data.strategy !== undefined;
      if (!isOwn && !builtInRules().some((rule) => rule.name === name))
        warnings.push(
          `${file}:${lineOf(n)}: rule "${name}" switches nothing off: no built-in rule has that name.${didYouMean(
            name,
            builtInRules().map((rule) => rule.name),
          )}`,
        );
      continue;
    }
    try {
      mine.push(buildRule(parsed.data, "user", untrustedPattern));
    } catch (error) {
      skipped((error as Error).message);
    }
  }
  if (warnings.length > MOST_WARNINGS)
    warnings.splice(MOST_WARNINGS, warnings.length, `${file}: ${warnings.length - MOST_WARNINGS} more mistakes are not shown.`);
  const ours = read.inherit ? builtInRules().filter(({ name }) => !replaced.has(name)) : [];
  return { rules: [...mine, ...ours], warnings };
}

const fallback = (why: string): RuleSet => ({ rules: builtInRules(), warnings: [`${why}. The built-in rules are used.`] });

interface Entries {
  readonly entries: readonly unknown[];
  readonly inherit: boolean;
  readonly warnings: readonly string[];
}

function rulesIn(file: string, text: string): Entries | string {
  try {
    const { rules = [], inherit = true, examples: _examples, ...others } = parseToml(text.replace(/^\ufeff/, ""), "filters");
    if (!Array.isArray(rules)) return `${file}: "rules" is not a list of tables; begin each rule with [[rules]]`;
    const warnings = Object.keys(others).map((key) => `${file}: "${key}" is unknown and not used. There are "rules" and "inherit".`);
    if (typeof inherit !== "boolean") warnings.push(`${file}: "inherit" is true or false; it is taken for true.`);
    return { entries: rules, inherit: inherit !== false, warnings };
  } catch (error) {
    if (error instanceof TomlMistake) return `${file}:${error.line}:${error.column}: Invalid TOML document: ${error.message}`;
    return `${file}: ${(error as Error).message}`;
  }
}

/** The line each rule begins in. */
function ruleLines(text: string): (n: number) => number {
  const lines: number[] = [];
  for (const [at, line] of text.split("\n").entries()) if (/^\s*\[\[\s*rules\s*\]\]/.test(line)) lines.push(at + 1);
  return (n) => lines[n] ?? 1;
}

function nameOf(entry: unknown): string | null {
  const name = (entry as { name?: unknown } | null)?.name;
  return typeof name === "string" && name !== "" ? name.slice(0, 100) : null;
}

const wordsOf = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => (path.length > 0 ? `${path.join(".")}: ${message}` : message)).join("; ");
