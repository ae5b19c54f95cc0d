import type * as z from "zod";
import { parseJson } from "../text/json.ts";
import { didYouMean } from "../text/nearest.ts";
import { complaints, unknownKey, unknownVariable } from "./complain.ts";
import type { SettingOrigin, SetValue } from "./origin.ts";
import type { Problem } from "./problem.ts";
import { allSettings, type ConfigSetting, findSetting } from "./settings.ts";
import { setAtPath, unwrap } from "./shape.ts";
import { typeWords } from "./type-words.ts";

/** Settings from variables or flags, and the mistakes in them. */
export interface GivenSettings {
  readonly values: ReadonlyMap<string, SetValue>;
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
}

/** Zeph sets these itself, for hooks; a `zeph` started by a hook inherits them. */
const OUR_OWN = ["ZEPH_TURN_ID", "ZEPH_GOAL_ID", "ZEPH_SKILL_NAME", "ZEPH_DEBUG"];
/** No settings: read by the commands they are for. */
const ELSEWHERE = ["ZEPH_MCP_TOKEN"];
/** Settings that everything about a fleet starts with, under a shorter name. The whole name counts more. */
const SHORT: Readonly<Record<string, string>> = { ZEPH_STORE: "store.url", ZEPH_BUS: "fleet.bus" };

/** Every setting can be given as a variable. An empty one counts as unset. */
export function fromEnvironment(env: Readonly<Record<string, string | undefined>>): GivenSettings {
  const byName = new Map(allSettings().map((key) => [key.env, key]));
  const given = collector();
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("ZEPH_") || !text || OUR_OWN.includes(name) || ELSEWHERE.includes(name)) continue;
    const short = SHORT[name] === undefined ? undefined : findSetting(SHORT[name]);
    if (short && env[short.env]) continue;
    const key = short ?? byName.get(name);
    if (key) given.add(key, text, { layer: "environment", name }, name);
    else given.warnings.push(unknownVariable(name));
  }
  return given;
}

/** `--set key=value`, as often as wanted; the last one for a key counts. */
export function fromFlags(flags: readonly string[]): GivenSettings {
  const given = collector();
  for (const flag of flags) {
    const equals = flag.indexOf("=");
    const name = (equals < 0 ? flag : flag.slice(0, equals)).trim();
    const key = findSetting(name);
    if (equals < 0) given.problems.push({ key: name, message: `--set ${flag}: a value is missing. Write --set ${name}=<value>.` });
    else if (key) given.add(key, flag.slice(equals + 1), { layer: "flag", name: `--set ${name}` }, `--set ${name}`);
    else given.problems.push({ key: name, message: `--set ${name}: ${noSuchKey(name)}` });
  }
  return given;
}

/** Why a name a person typed is not a setting. */
export function noSuchKey(name: string): string {
  const leaf = allSettings().find(({ key }) => name.startsWith(`${key}.`));
  if (leaf) return `"${name}" is part of "${leaf.key}", which is set as a whole, as JSON.`;
  const below = allSettings().filter(({ key }) => key.startsWith(`${name}.`));
  if (below.length > 0) return `"${name}" is a group of settings: ${below.map(({ key }) => key).join(", ")}.`;
  const near = didYouMean(
    name,
    allSettings().map(({ key }) => key),
  );
  return near ? `"${name}" is not a setting.${near}` : unknownKey(name.split("."));
}

function collector() {
  const values = new Map<string, SetValue>();
  const problems: Problem[] = [];
  const warnings: string[] = [];
  const add = (key: ConfigSetting, text: string, origin: SettingOrigin, label: string) => {
    const parsed = parseText(key, text);
    const found = parsed.ok ? complaints(setAtPath({}, key.path, parsed.value)).map(({ message }) => message) : [parsed.message];
    for (const message of found) problems.push({ key: key.key, message: `${label}: ${message}` });
    if (parsed.ok && found.length === 0) values.set(key.key, { value: parsed.value, origin });
  };
  return { values, problems, warnings, add };
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

/** Text stands for itself; numbers, true and false are strict; everything else is JSON. */
function parseText(key: ConfigSetting, text: string): Parsed {
  const read = readerOf(key.schema);
  const value = read(text);
  if (value !== undefined) return { ok: true, value };
  const example = read === parseJson ? ` Give it as JSON, like ${sample(key.schema)}.` : "";
  return { ok: false, message: `"${key.key}" must be ${typeWords(key.schema)}, but the text ${JSON.stringify(text)} was found.${example}` };
}

function readerOf(schema: z.ZodType): (text: string) => unknown {
  const inner = unwrap(schema);
  if (!isUnion(inner)) return READERS[inner._zod.def.type] ?? parseJson;
  const readers = inner.def.options.map((option) => ({ option: option as z.ZodType, read: readerOf(option as z.ZodType) }));
  // The first form that the text fits: "auto" beside true and false is a word, not JSON.
  return (text) => readers.map(({ option, read }) => option.safeParse(read(text))).find(({ success }) => success)?.data ?? parseJson(text);
}

const isUnion = (schema: z.ZodType): schema is z.ZodUnion => schema._zod.def.type === "union";

/** As TOML writes them. A setting that takes no such number says so. */
const UNBOUNDED: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  "-nan": Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
};

const READERS: Record<string, (text: string) => unknown> = {
  string: (text) => text,
  enum: (text) => text,
  literal: (text) => text,
  boolean: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  number: (text) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : UNBOUNDED[text.toLowerCase().replace(/^\+/, "")]),
};

const sample = (schema: z.ZodType) => (unwrap(schema)._zod.def.type === "array" ? '["one", "two"]' : '{"name": …}');
