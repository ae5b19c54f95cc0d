import { trustedPattern } from "../patterns.ts";
import type { Test } from "../strategy.ts";

/** Whether a line matches any of them. Ours are tested in one go, which is several times as fast as one by one. */
export function createAnyTest(patterns: readonly string[], compile: (pattern: string) => Test): Test {
  const alone = patterns.filter((pattern) => compile !== trustedPattern || refersBack(pattern));
  const together = patterns.filter((pattern) => !alone.includes(pattern));
  const tests = [...alone.map(compile), ...(together.length > 0 ? [compile(together.map((pattern) => `(?:${pattern})`).join("|"))] : [])];
  return (line) => tests.some((test) => test(line));
}

/** Beside others its groups would have other numbers. */
const refersBack = (pattern: string): boolean => /\\[1-9]/.test(pattern);
