import type * as z from "zod";
import type { SettingMeta } from "../core/setting.ts";

/** The parts of a zod schema that say what is inside it. */
interface Def {
  readonly type: string;
  readonly shape?: Record<string, z.ZodType>;
  readonly innerType?: z.ZodType;
  readonly out?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly element?: z.ZodType;
}

/** The schema inside `.default()`, `.prefault()`, `.optional()` and the like. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const inner = innerOf(schema);
  return inner ? unwrap(inner) : schema;
}

/** The schema of what stands at a path; undefined when nothing can. */
export function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return schema;
  const { shape, valueType, element } = unwrap(schema)._zod.def as Def;
  if (shape && !Object.hasOwn(shape, head)) return undefined;
  const next = shape ? shape[String(head)] : (valueType ?? element);
  return next && schemaAt(next, rest);
}

export function valueAtPath(data: unknown, path: readonly PropertyKey[]): unknown {
  let value = data;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** Makes the tables on the way when they are missing. Returns the data it changed. */
export function setAtPath(data: Record<string, unknown>, path: readonly string[], value: unknown): Record<string, unknown> {
  let table = data;
  for (const part of path.slice(0, -1)) {
    if (!Object.hasOwn(table, part)) table[part] = Object.create(Object.getPrototypeOf(data));
    table = table[part] as Record<string, unknown>;
  }
  table[path.at(-1)!] = value;
  return data;
}

/** The keys of a table with fixed keys; undefined for anything else. */
export const shapeOfSchema = (schema: z.ZodType): Record<string, z.ZodType> | undefined => (unwrap(schema)._zod.def as Def).shape;

/** The words of `setting()`. They may sit on any of the wrappers; the outermost wins. */
export function metaOf(schema: z.ZodType): Partial<SettingMeta> {
  const inner = innerOf(schema);
  return { ...(inner && metaOf(inner)), ...(schema.meta() as Partial<SettingMeta> | undefined) };
}

/** What a wrapper is around. Of `z.preprocess` that is the schema behind it. */
function innerOf(schema: z.ZodType): z.ZodType | undefined {
  const { innerType, out } = schema._zod.def as Def;
  return innerType ?? out;
}
