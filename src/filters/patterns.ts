import { RE2JS } from "re2js";
import type { Test } from "./strategy.ts";

export const MAX_PATTERN = 512;

/** Patterns of ours: the engine of the language, which knows lookahead and is fast. */
export function trustedPattern(pattern: string): Test {
  const expression = new RegExp(pattern);
  return (line) => expression.test(line);
}

/** Patterns of others: linear in the line, whatever they say. No lookaround and no back references. */
export function untrustedPattern(pattern: string): Test {
  if (pattern.length > MAX_PATTERN) throw new Error(`the pattern is longer than ${MAX_PATTERN} characters`);
  const expression = RE2JS.compile(pattern);
  return (line) => expression.matcher(line.length > MAX_LOOKED_AT ? line.slice(0, MAX_LOOKED_AT) : line).find();
}

const MAX_LOOKED_AT = 20_000;
