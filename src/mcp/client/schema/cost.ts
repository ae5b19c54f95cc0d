import { patternSize } from "./pattern-size.ts";

/** Measured: the most that this lets through is compiled in about a fifth of a second. A schema inside of another costs as much as four other things. */
const MOST_PARTS = 3000;
const PER_SCHEMA = 4;
const LONGEST_LIST = 200;
const MOST_VALUES = 2000;
const LONGEST_CHOICE = 60;
const MOST_CHOICES = 300;
const MOST_PATTERNS = 50;
const MOST_PATTERN_SIZE = 6000;

/**
 * Why a schema costs too much to be made into a check; null when it does not. Whatever is in it counts, in places where no schema
 * belongs, too: a reference makes a schema of anything. Not for one that is nested without end.
 */
export function costProblem(schema: unknown): string | null {
  const patterns = new Set<string>();
  let parts = 0;
  let choices = 0;
  let values = 0;
  const open: (readonly [key: string, value: unknown])[] = [["", schema]];
  while (open.length > 0) {
    const [key, value] = open.pop()!;
    parts += isPlain(value) && !REFERENCE.has(key) ? 1 : PER_SCHEMA;
    if (key === "pattern" && typeof value === "string") patterns.add(value);
    if (typeof value !== "object" || value === null) continue;
    const all = Object.entries(value);
    const inner = key === "enum" ? all.filter(([, one]) => !isPlain(one)) : all;
    values += all.length - inner.length;
    if (Array.isArray(value)) {
      if (inner.length > LONGEST_LIST) return `has a list of more than ${LONGEST_LIST}`;
      if (CHOICE.has(key)) choices += inner.length;
      if (CHOICE.has(key) && inner.length > LONGEST_CHOICE) return `has a choice of more than ${LONGEST_CHOICE}`;
    }
    if (key === "patternProperties") for (const [pattern] of inner) patterns.add(pattern);
    if (parts + open.length + inner.length > MOST_PARTS) return "has too many parts";
    // Elements of a list have no name of their own.
    for (const [name, one] of inner) open.push([Array.isArray(value) ? "" : name, one]);
  }
  if (values > MOST_VALUES) return `lists more than ${MOST_VALUES} values`;
  if (choices > MOST_CHOICES) return `has more than ${MOST_CHOICES} choices`;
  if (patterns.size > MOST_PATTERNS) return `has more than ${MOST_PATTERNS} patterns`;
  const size = [...patterns].reduce((sum, pattern) => sum + patternSize(pattern), 0);
  return size > MOST_PATTERN_SIZE ? "has patterns that are too large" : null;
}

const CHOICE: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf"]);
const REFERENCE: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);
const isPlain = (value: unknown): boolean => typeof value !== "object" || value === null;
