import type * as z from "zod";
import type { Tighter } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";
import { type Config, configSchema } from "./schema.ts";
import { metaOf, schemaAt, shapeOfSchema, valueAtPath } from "./shape.ts";
import { typeWords } from "./type-words.ts";

/** One setting: a leaf of the schema. */
export interface ConfigSetting {
  /** With dots, as in TOML: `tools.file.deny_read`. */
  readonly key: string;
  readonly path: readonly string[];
  /** Its environment variable. */
  readonly env: string;
  /** The values it may hold, in words. */
  readonly type: string;
  /** Undefined when it is unset by default. */
  readonly default: unknown;
  readonly description: string;
  /** Undefined: a project file nobody vouched for cannot set it. */
  readonly tighter: Tighter | undefined;
  readonly schema: z.ZodType;
}

/** The facts of the schema that every start needs. The build asks once, so that a start that sets nothing builds no schema. */
export interface BuiltInSettings {
  /** Every key in the order of the schema, and what is tighter. */
  readonly keys: readonly (readonly [key: string, tighter?: Tighter])[];
  readonly config: Config;
}

/** The same as JSON, put in by scripts/build.mjs; tests and the build itself run without. */
declare const BUILT_IN_SETTINGS: string;

const builtIn = makeOnce(
  (): BuiltInSettings => (typeof BUILT_IN_SETTINGS === "undefined" ? readBuiltInSettings() : JSON.parse(BUILT_IN_SETTINGS)),
);

export function readBuiltInSettings(): BuiltInSettings {
  const schema = configSchema();
  return { keys: keysOf(schema, []), config: schema.parse({}) };
}

/** The configuration when nobody sets anything; each caller gets its own. */
export const defaultConfig = (): Config => structuredClone(builtIn().config);

/** Every setting, in the order of the schema. */
export const allSettings: () => readonly ConfigSetting[] = makeOnce(() => {
  const { keys, config } = builtIn();
  return keys.map(([key, tighter]): ConfigSetting => {
    const path = key.split(".");
    const schema = makeOnce(() => schemaAt(configSchema(), path)!);
    return {
      key,
      path,
      env: envName(path),
      get type() {
        return typeWords(schema());
      },
      default: valueAtPath(config, path),
      get description() {
        return metaOf(schema()).description ?? "";
      },
      tighter,
      get schema() {
        return schema();
      },
    };
  });
});

export const findSetting = (key: string): ConfigSetting | undefined => allSettings().find((known) => known.key === key);

export const envName = (path: readonly string[]): string => `ZEPH_${path.join("_").replaceAll("-", "_").toUpperCase()}`;

function keysOf(schema: z.ZodType, path: readonly string[]): [key: string, tighter?: Tighter][] {
  const shape = shapeOfSchema(schema);
  if (shape) return Object.entries(shape).flatMap(([name, inner]) => keysOf(inner, [...path, name]));
  const { tighter } = metaOf(schema);
  return [tighter === undefined ? [path.join(".")] : [path.join("."), tighter]];
}
