import type * as z from "zod";
import type { Tighter } from "../core/setting.ts";
import { configSchema } from "./schema.ts";
import { metaOf, shapeOfSchema, valueAtPath } from "./shape.ts";
import { typeWords } from "./type-words.ts";

/** One setting: a leaf of the schema. */
export interface ConfigSetting {
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
export function allSettings(): readonly ConfigSetting[] {
  known ??= collect(configSchema, [], configSchema.parse({}));
  return known;
}
let known: readonly ConfigSetting[] | undefined;

export const findSetting = (key: string): ConfigSetting | undefined => allSettings().find((known) => known.key === key);

export const envName = (path: readonly string[]): string => `ZEPH_${path.join("_").replaceAll("-", "_").toUpperCase()}`;

function collect(schema: z.ZodType, path: readonly string[], defaults: unknown): ConfigSetting[] {
  const shape = shapeOfSchema(schema);
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
      default: valueAtPath(defaults, path),
      description,
      tighter,
      schema,
    },
  ];
}
