import { isRecord } from "../../../text/json.ts";

/** Keywords of JSON Schema that hold a schema, a list of them, or named ones. */
const ONE = [
  ...["items", "contains", "additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems"],
  ...["propertyNames", "not", "if", "then", "else", "contentSchema"],
];
const LIST = ["items", "prefixItems", "allOf", "anyOf", "oneOf"];
const NAMED = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/** Up to draft 4 a bound was said to be exclusive by a yes; since then it is a number of its own. */
export function withNumericBounds(schema: Record<string, unknown>): Record<string, unknown> {
  const now = { ...schema };
  for (const [bound, exclusive] of BOUNDS) {
    if (typeof now[exclusive] !== "boolean") continue;
    if (now[exclusive] && typeof now[bound] === "number") {
      now[exclusive] = now[bound];
      delete now[bound];
    } else delete now[exclusive];
  }
  return now;
}

const BOUNDS = [
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
] as const;

/** A copy, with `change` made to every schema in it, the innermost first. Values (enum, const, default) are no schemas and stay as they are. */
export function mapSchemas(schema: unknown, change: (schema: Record<string, unknown>) => Record<string, unknown>): unknown {
  if (!isRecord(schema)) return schema;
  const into = (inner: unknown) => mapSchemas(inner, change);
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (NAMED.includes(key) && isRecord(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, into(one)]))];
    if (LIST.includes(key) && Array.isArray(value)) return [key, value.map(into)];
    if (ONE.includes(key) && isRecord(value)) return [key, into(value)];
    return [key, value];
  });
  return change(Object.fromEntries(entries));
}
