import * as z from "zod";
import { bounded } from "../text/visible.ts";
import { shapeOfSchema, unwrap } from "./shape.ts";

/** The values of a setting, in words that fit after "must be". */
export function typeWords(schema: z.ZodType): string {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodBoolean) return "true or false";
  if (inner instanceof z.ZodNumber) return `${inner.isInt ? "a whole number" : "a number"}${range(inner)}`;
  if (inner instanceof z.ZodString) return inner.minLength ? "text that is not empty" : "text";
  if (inner instanceof z.ZodEnum) return oneOf(inner.options);
  if (inner instanceof z.ZodLiteral) return oneOf([...inner.values]);
  if (inner instanceof z.ZodArray) return `a list of ${manyWords(inner.element as z.ZodType)}`;
  if (inner instanceof z.ZodRecord) return `a table in which each entry is ${typeWords(inner.valueType as z.ZodType)}`;
  if (inner instanceof z.ZodUnion) return inner.options.map((option) => typeWords(option as z.ZodType)).join(" or ");
  const shape = shapeOfSchema(inner);
  return shape ? `a table${withKeys(shape)}` : inner._zod.def.type;
}

/** The value that was found instead, in words that fit before "was found". */
export function foundWords(value: unknown): string {
  if (typeof value === "string") return `the text ${JSON.stringify(bounded(value, 60))}`;
  if (typeof value === "number" || typeof value === "bigint") return `the number ${value}`;
  if (typeof value === "boolean") return String(value);
  if (value instanceof Date) return "a date or time";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (value === null) return "null";
  return typeof value === "object" ? "a table" : typeof value;
}

/** `tools.permissions.bash[0].pattern` */
export const dotted = (path: readonly PropertyKey[]): string =>
  path.map((part, i) => (typeof part === "number" ? `[${part}]` : `${i > 0 ? "." : ""}${bareOrQuoted(String(part))}`)).join("");

export const bareOrQuoted = (part: string): string => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part));

/** `"a", "b" or "c"` */
export function oneOf(values: readonly unknown[]): string {
  const quoted = values.map((value) => JSON.stringify(value));
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}

function manyWords(schema: z.ZodType): string {
  const inner = unwrap(schema);
  if (inner instanceof z.ZodString) return "texts";
  if (inner instanceof z.ZodNumber) return "numbers";
  const shape = shapeOfSchema(inner);
  return shape ? `tables${withKeys(shape)}` : `entries, each ${typeWords(inner)}`;
}

const withKeys = (shape: Record<string, unknown>) =>
  ` with ${Object.keys(shape)
    .join(", ")
    .replace(/, ([^,]+)$/, " and $1")}`;

function range({ minValue, maxValue }: z.ZodNumber): string {
  const least = bound(minValue);
  const most = bound(maxValue);
  if (least !== null && most !== null) return ` from ${least} to ${most}`;
  if (least !== null) return ` of at least ${least}`;
  return most === null ? "" : ` of at most ${most}`;
}

/** The edges of what a number can hold are no limit anyone set. */
const bound = (value: number | null): number | null => (value === null || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? null : value);
