import { RE2JS } from "re2js";
import type { SecretSpan } from "./span.ts";

/** A pattern that a person added. It is not trusted: it runs in linear time, on one line at a time. */
export interface Custom {
  find(text: string): SecretSpan[];
}

export interface CustomPatterns {
  readonly custom: Custom;
  readonly warnings: readonly string[];
}

const MAX_PATTERN = 512;
/** A longer line is looked at in pieces that overlap. */
const PIECE = 16_384;
const OVERLAP = 1024;

/** Patterns a person adds are untrusted: RE2, line by line. One that is bad is left out, and named with the reason. */
export function compileSecretPatterns(sources: readonly string[]): CustomPatterns {
  const warnings: string[] = [];
  const patterns = sources.flatMap((source) => {
    const compiled = compile(source);
    if (typeof compiled !== "string") return [compiled];
    warnings.push(`The secret pattern ${JSON.stringify(source.slice(0, 80))} is left out: ${compiled}`);
    return [];
  });
  return { custom: { find: (text) => (patterns.length === 0 ? [] : findAll(text, patterns)) }, warnings };
}

function compile(source: string): RE2JS | string {
  if (source.trim() === "") return "it is empty.";
  if (source.length > MAX_PATTERN) return `it is longer than ${MAX_PATTERN} characters.`;
  try {
    const pattern = RE2JS.compile(source);
    return pattern.matches("") ? "it matches nothing at all, and so everything." : pattern;
  } catch (error) {
    return `${(error as Error).message}. Lookaround and backreferences are not supported.`;
  }
}

function findAll(text: string, patterns: readonly RE2JS[]): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    for (let from = 0; from < line.length; from += PIECE - OVERLAP) {
      const piece = line.slice(from, from + PIECE);
      for (const pattern of patterns) findIn(piece, start + from, pattern, spans);
      if (from + PIECE >= line.length) break;
    }
    start += line.length + 1;
  }
  return spans;
}

/** The first group is the value when there is one: what stands around it stays. */
function findIn(piece: string, offset: number, pattern: RE2JS, spans: SecretSpan[]): void {
  if (!pattern.test(piece)) return;
  const matcher = pattern.matcher(piece);
  while (matcher.find()) {
    const group = matcher.groupCount() > 0 && matcher.group(1) ? 1 : 0;
    const [start, end] = [matcher.start(group), matcher.end(group)];
    if (end > start) spans.push({ start: offset + start, end: offset + end, family: "custom", value: piece.slice(start, end) });
  }
}
