import type { ToolSpec } from "../core/ports/model.ts";
import { record } from "../text/json.ts";

/** The field in which a model thinks. `core/request.ts` takes it out of every call. */
const FIELD = "_tafc_think";
const THOUGHT = {
  type: "string",
  description: "Before the other arguments: reason step by step about what they must be. It is thrown away, never run and never shown.",
} as const;

/** How many of each make it half as hard as can be. */
const HALF = { required: 8, levels: 3, choices: 30, branches: 4 } as const;
type Counts = Record<keyof typeof HALF, number>;

/** How much there is to get wrong in a tool's arguments, from 0 to 1. More of anything never makes it less. docs/catalogue.md has examples. */
export function complexity(parameters: unknown): number {
  const counts = countsOf(parameters);
  if (counts === null) return 1;
  let easy = 1;
  for (const [what, half] of Object.entries(HALF)) {
    const count = counts[what as keyof Counts];
    easy *= 1 - count / (count + half);
  }
  return 1 - easy;
}

/** The same tool with a field for thinking as its first parameter, if it is complex enough. What it was given stays as it is. */
export function withThought(spec: ToolSpec, threshold: number): ToolSpec {
  const parameters = record(spec.parameters);
  const names = Object.keys(record(parameters.properties));
  // Without parameters there is nothing to think about.
  if (names.length === 0 || names.some(isThought) || complexity(parameters) < threshold) return spec;
  return { ...spec, parameters: { ...parameters, properties: { [FIELD]: THOUGHT, ...record(parameters.properties) } } };
}

/** A tool without parameters, whatever way there is to have some. A call of it that is only thought is meant all the same. */
export function takesNothing(parameters: unknown): boolean {
  const schema = record(parameters);
  return list(schema.required).length === 0 && schema.$ref === undefined && placesIn(schema, schema, 0).next().done === true;
}

const isThought = (name: string) => name.toLowerCase().startsWith(FIELD);

/** A schema with more parts than this, or one that goes round in a circle, is as complex as can be. */
const MOST_PARTS = 5000;

interface Place {
  readonly schema: Record<string, unknown>;
  readonly level: number;
}

/** Null when there is no end to it. */
function countsOf(root: unknown): Counts | null {
  const counts: Counts = { required: 0, levels: 0, choices: 0, branches: 0 };
  const open: Place[] = [{ schema: record(root), level: 0 }];
  for (let parts = 1; open.length > 0; parts++) {
    const { schema, level } = open.pop()!;
    counts.levels = Math.max(counts.levels, level);
    counts.required += list(schema.required).length;
    counts.choices += list(schema.enum).length;
    counts.branches += branchesOf(schema);
    for (const next of placesIn(root, schema, level)) {
      open.push(next);
      if (parts + open.length > MOST_PARTS) return null;
    }
  }
  // Parameters of their own are no nesting.
  return { ...counts, levels: Math.max(0, counts.levels - 1) };
}

const SEVERAL = ["anyOf", "oneOf", "allOf"] as const;
const SINGLE = ["not", "if", "then", "else"] as const;

function branchesOf(schema: Record<string, unknown>): number {
  const several = SEVERAL.map((word) => list(schema[word]).length).filter((count) => count > 0);
  return several.reduce((sum, count) => sum + Math.max(1, count - 1), 0) + SINGLE.filter((word) => isObject(schema[word])).length;
}

/** What is said of the same value, and of the values inside it. */
function* placesIn(root: unknown, schema: Record<string, unknown>, level: number): Generator<Place> {
  for (const word of SEVERAL) for (const next of list(schema[word])) yield { schema: record(next), level };
  for (const next of [...SINGLE.map((word) => schema[word]), ...referred(root, schema.$ref)])
    if (isObject(next)) yield { schema: record(next), level };
  for (const next of inside(schema)) if (isObject(next)) yield { schema: record(next), level: level + 1 };
}

function* inside(schema: Record<string, unknown>): Generator<unknown> {
  for (const word of ["properties", "patternProperties", "dependentSchemas"]) {
    const named = record(schema[word]);
    for (const name in named) yield named[name];
  }
  for (const word of ["items", "additionalProperties", "contains", "propertyNames", "unevaluatedProperties"]) yield schema[word];
  yield* list(schema.prefixItems);
  yield* list(schema.items);
}

/** What `#/$defs/name` means. Addresses elsewhere are not looked up. */
function referred(root: unknown, ref: unknown): readonly unknown[] {
  if (typeof ref !== "string" || !ref.startsWith("#") || ref.length > 1000) return [];
  let found: unknown = root;
  for (const step of ref.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return [];
    found = (found as Record<string, unknown>)[name];
  }
  return [found];
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
