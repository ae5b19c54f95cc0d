import type { Tighter } from "../core/setting.ts";
import { visible } from "../text/visible.ts";
import { tomlValue } from "./edit/toml.ts";
import type { Loaded } from "./load.ts";
import type { SettingOrigin } from "./origin.ts";
import { ConfigError, placeText } from "./problem.ts";
import { allSettings, type ConfigSetting } from "./settings.ts";
import { valueAtPath } from "./shape.ts";
import { noSuchKey } from "./variables.ts";

/** All there is to know about one setting. */
export interface Explained {
  readonly key: string;
  /** Undefined when it is unset. */
  readonly value: unknown;
  readonly default: unknown;
  readonly origin: SettingOrigin;
  /** The origin in words: a file and line, a variable, a flag. */
  readonly setBy: string;
  readonly type: string;
  readonly description: string;
  readonly env: string;
  /** How a project nobody vouched for may change it, in words. */
  readonly tighter: string;
}

/** One key, every key of a group, or every key there is. Throws when there is none of that name. */
export function explainSettings({ config, origins }: Pick<Loaded, "config" | "origins">, name?: string): Explained[] {
  return keysNamed(name).map((key) => {
    const origin = origins.get(key.key) ?? { layer: "built-in" };
    const { key: dotted, type, description, env } = key;
    const value = withoutPasswords(valueAtPath(config, key.path));
    return {
      key: dotted,
      value,
      default: key.default,
      origin,
      setBy: originWords(origin),
      type,
      description,
      env,
      tighter: tighterWords(key.tighter),
    };
  });
}

/** Addresses may hold a password. It is in force, and nobody has to read it. */
const withoutPasswords = (value: unknown): unknown =>
  typeof value === "string" ? value.replace(/([a-z][a-z\d+.-]*:\/\/[^\s/:@]*):[^\s/@]*@/gi, "$1:***@") : value;

/** As a person reads it. */
export function explainText(explained: readonly Explained[]): string {
  const lines = explained.map((one) =>
    [
      `${one.key} = ${valueWords(one.value)}`,
      `  ${one.description}`,
      `  type       ${one.type}`,
      `  default    ${valueWords(one.default)}`,
      `  set by     ${one.setBy}`,
      `  variable   ${one.env}`,
      `  untrusted  ${one.tighter}`,
    ].join("\n"),
  );
  return visible(`${lines.join("\n\n")}\n`);
}

/** How an untrusted project may change a setting: fits after "an untrusted project". */
export function tighterWords(tighter: Tighter | undefined): string {
  if (tighter === undefined) return "cannot set it";
  return typeof tighter === "string"
    ? TIGHTER[tighter]
    : `may only make it stricter, in this order: ${tighter.map((value) => JSON.stringify(value)).join(", ")}`;
}

const TIGHTER: Record<Exclude<Tighter, readonly string[]>, string> = {
  off: "may only set it to false",
  on: "may only set it to true",
  smaller: "may only make it smaller",
  adds: "may only add entries",
  within: "may only name folders inside the allowed ones",
  narrows: "may only remove entries, or set the list while it is empty",
  denies: "may only add rules that deny",
};

export const valueWords = (value: unknown): string => (value === undefined ? "(unset)" : tomlValue(value));

function keysNamed(name: string | undefined): readonly ConfigSetting[] {
  const keys = allSettings();
  if (name === undefined || name === "") return keys;
  // `tools.permissions.bash` is part of one setting.
  const found = keys.filter(({ key }) => key === name || key.startsWith(`${name}.`) || name.startsWith(`${key}.`));
  if (found.length === 0) throw new ConfigError([{ key: name, message: noSuchKey(name) }]);
  return found;
}

function originWords({ layer, file, line, name, addedTo }: SettingOrigin): string {
  const where = file !== undefined ? placeText({ file, ...(line !== undefined && { line }) }) : name;
  const words = where === undefined ? LAYERS[layer] : `${where} (${LAYERS[layer]})`;
  return addedTo ? `${words}, added to ${originWords(addedTo)}` : words;
}

const LAYERS: Record<SettingOrigin["layer"], string> = {
  "built-in": "built in",
  user: "your configuration",
  project: "the project's configuration",
  environment: "environment variable",
  flag: "command line",
  policy: "policy of the fleet",
};
