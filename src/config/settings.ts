import type * as z from "zod";
import type { Tighter } from "../core/setting.ts";
import { configSchema } from "./schema.ts";
import { metaOf, shapeOf, valueAt } from "./shape.ts";
import { typeWords } from "./type-words.ts";

/** One setting: a leaf of the schema. */
export interface Key {
  /** With dots, as in TOML: `tools.file.deny_read`. */
  readonly key: string;
  readonly path: readonly string[];
  /** Its environment variable. */
  readonly env: string;
  /** What it may hold, in words. */
  readonly type: string;
  /** Undefined when it is unset by default. */
  readonly default: unknown;
  readonly description: string;
  /** Undefined: a project file nobody vouched for cannot set it. */
  readonly tighter: Tighter | undefined;
  readonly schema: z.ZodType;
}

/** Every setting, in the order of the schema. */
export function allKeys(): readonly Key[] {
  known ??= collect(configSchema, [], configSchema.parse({}));
  return known;
}
let known: readonly Key[] | undefined;

export const findKey = (key: string): Key | undefined => allKeys().find((known) => known.key === key);

export const envName = (path: readonly string[]): string => `ZEPH_${path.join("_").replaceAll("-", "_").toUpperCase()}`;

function collect(schema: z.ZodType, path: readonly string[], defaults: unknown): Key[] {
  const shape = shapeOf(schema);
  if (shape) return Object.entries(shape).flatMap(([name, inner]) => collect(inner, [...path, name], defaults));
  const { description = "", tighter } = metaOf(schema);
  return [
    {
      key: path.join("."),
      path,
      env: envName(path),
      get type() {
        return typeWords(schema);
      },
      default: valueAt(defaults, path),
      description,
      tighter,
      schema,
    },
  ];
}
