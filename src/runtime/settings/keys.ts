import { createKeyReader, type KeyReader } from "../../config/api-keys.ts";

export interface KeysParts {
  /** The configuration was given as an object: it reads no file, and the variables it names are part of it. */
  readonly isWhole: boolean;
  readonly home: string;
  /** A key in use must never be shown. */
  readonly hide: (value: string) => void;
}

/** Keys by name. Whatever is handed out is from then on taken out of everything that is shown. */
export function keysFor({ isWhole, home, hide }: KeysParts): KeyReader {
  const found = isWhole ? (name: string) => process.env[name]?.trim() || undefined : createKeyReader({ home, env: process.env });
  return (name) => {
    const value = found(name);
    if (value) hide(value);
    return value;
  };
}

/** The person's own variables that say where models are. A configuration that is an object is all there is; where Ollama listens belongs to the machine. */
export const modelVariables = (isWhole: boolean): Readonly<Record<string, string | undefined>> =>
  isWhole ? { OLLAMA_HOST: process.env.OLLAMA_HOST } : process.env;

/** The variables of one skill, by the names the configuration gives it. One that has no value is left out. */
export function skillVariables(
  env: Readonly<Record<string, readonly string[]>>,
  skill: string,
  keys: KeyReader,
): Readonly<Record<string, string>> {
  const names = Object.hasOwn(env, skill) ? env[skill]! : [];
  return Object.fromEntries(names.map((name) => [name, keys(name)]).filter((pair): pair is [string, string] => Boolean(pair[1])));
}
