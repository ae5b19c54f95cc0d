import { createRequire } from "node:module";
import type * as Re2 from "re2js";

/** Read when the first expression is met: most configurations have none, and everybody waits for the start. */
const engine = (): typeof Re2 => {
  loaded ??= createRequire(import.meta.url)("re2js") as typeof Re2;
  return loaded;
};
let loaded: typeof Re2 | undefined;

const MOST_KNOWN = 1024;
const known = new Map<string, string | null>();

/** What is wrong with an expression, in words; null when nothing is. A configuration is looked at several times, an expression once. */
export function regexProblem(pattern: string): string | null {
  const before = known.get(pattern);
  if (before !== undefined) return before;
  const problem = tried(() => engine().RE2JS.compile(pattern));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(pattern, problem);
  return problem;
}

/** Which of the expressions are found in a text. They are searched together, in time linear in the text: they may be a stranger's. */
export function regexSearch(patterns: readonly string[]): (text: string) => readonly number[] {
  if (patterns.length === 0) return () => [];
  const { RE2JS, RE2Set } = engine();
  const all = new RE2Set();
  for (const pattern of patterns) all.add(pattern);
  // Each may be fine and all of them too much for one machine.
  if (tried(() => all.compile()) === null) return (text) => all.match(text);
  const each = patterns.map((pattern) => RE2JS.compile(pattern));
  return (text) => each.flatMap((one, n) => (one.test(text) ? [n] : []));
}

function tried(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return (error as Error).message.replace(/^error parsing regexp: /, "");
  }
}
