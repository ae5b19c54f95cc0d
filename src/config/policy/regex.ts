import { createRequire } from "node:module";
import type * as Re2 from "re2js";
import { literalIn } from "./regex-literal.ts";

/** Read when the first expression is met: most configurations have none, and everybody waits for the start. */
const engine = (): typeof Re2 => {
  loaded ??= createRequire(import.meta.url)("re2js") as typeof Re2;
  return loaded;
};
let loaded: typeof Re2 | undefined;

type Compiled = { readonly expression: Re2.RE2JS } | { readonly problem: string };

/** A configuration is looked at several times, an expression once. */
const known = new Map<string, Compiled>();
const MOST_KNOWN = 1024;

function compiled(pattern: string): Compiled {
  const before = known.get(pattern);
  if (before) return before;
  const one = compile(pattern);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(pattern, one);
  return one;
}

function compile(pattern: string): Compiled {
  try {
    return { expression: engine().RE2JS.compile(pattern) };
  } catch (error) {
    return { problem: `${(error as Error).message.replace(/^error parsing regexp: /, "")}${missing(pattern)}` };
  }
}

/** A hint at what RE2 leaves out of an expression, because it could take for ever. */
function missing(pattern: string): string {
  if (/\(\?<?[=!]/.test(pattern)) return ". RE2 has no look-around: write what is to be found, and an earlier rule for the exceptions";
  return /\\[1-9]/.test(pattern) ? ". RE2 has no back references" : "";
}

/** The mistake in an expression, in words; null when there is none. */
export function regexProblem(pattern: string): string | null {
  const one = compiled(pattern);
  return "problem" in one ? one.problem : null;
}

/** At worst every character is held against every step of the expression: about a second for this many. */
const MOST_STEPS = 16_000_000;

/** Whether an expression is found in a text; null where that could take too long. Linear in the text, whatever a stranger wrote. */
export function regexSearch(pattern: string): (text: string) => boolean | null {
  const one = compiled(pattern);
  if ("problem" in one) throw new Error(`"${pattern}" is not a valid regular expression: ${one.problem}`);
  const longest = Math.floor(MOST_STEPS / one.expression.programSize());
  const needed = literalIn(pattern);
  const folds = needed?.letters === "any case";
  return (text) => {
    if (text.length > longest) return null;
    if (needed && !(folds ? text.toLowerCase() : text).includes(needed.text)) return false;
    return one.expression.test(text);
  };
}
