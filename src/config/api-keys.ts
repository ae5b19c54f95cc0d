import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type OwnFile, OwnFileError, readOwnFile } from "../files/own-file.ts";
import { attempt } from "../text/attempt.ts";
import { parseToml, TomlMistake } from "../text/toml.ts";
import { type ConfigEnvironment, userConfigPath } from "./paths.ts";
import { ConfigError } from "./problem.ts";

/** The key of this name; undefined when there is none. Throws a ConfigError when the private file cannot be trusted or read. */
export type KeyReader = (name: string) => string | undefined;

/** The private file with keys, beside the user's configuration. No tool may read it. */
export const keyFilePath = (at: Pick<ConfigEnvironment, "home" | "env">): string => join(dirname(userConfigPath(at)), "keys.toml");

/** The same, and where it really lies. */
export function keyFiles(at: Pick<ConfigEnvironment, "home" | "env">): string[] {
  const path = keyFilePath(at);
  return attempt(() => [...new Set([path, join(realpathSync(dirname(path)), basename(path))])], [path]);
}

/** Keys from the environment, then from the private file, which is opened only when it is needed. */
export function createKeyReader(at: Pick<ConfigEnvironment, "home" | "env">): KeyReader {
  let file: Readonly<Record<string, string>> | undefined;
  return (name) => {
    const given = Object.hasOwn(at.env, name) ? at.env[name]?.trim() : undefined;
    if (given) return given;
    file ??= readKeyFile(keyFilePath(at));
    return Object.hasOwn(file, name) ? file[name] : undefined;
  };
}

const MAX_BYTES = 64 * 1024;

function readKeyFile(path: string): Record<string, string> {
  const refuse = (message: string, line?: number): never => {
    throw new ConfigError([{ file: path, ...(line !== undefined && { line }), message }]);
  };
  let file: OwnFile;
  try {
    file = readOwnFile(path, { maxBytes: MAX_BYTES, links: "refuse" });
  } catch (error) {
    if (!(error instanceof OwnFileError)) throw error;
    if (error.reason === "missing") return {};
    return refuse(WORDS[error.reason] ?? error.message);
  }
  const { uid, mode } = file.stats;
  if (process.getuid && uid !== process.getuid()) return refuse("This file belongs to somebody else; keys are read only from your own.");
  if ((mode & 0o077) !== 0) return refuse(`Others can read this file, and it holds keys. Run: chmod 600 ${path}`);
  return keysIn(file.bytes.toString("utf8"), refuse);
}

const NO_FILE = "This is not a regular file; a file with keys was expected.";
const WORDS: Partial<Record<OwnFileError["reason"], string>> = {
  link: "This is a link; keys are read only from the file itself.",
  directory: NO_FILE,
  "not regular": NO_FILE,
  "too large": "This file is larger than 64 KiB, which is the limit.",
};

/** Nothing of the content is ever shown: it would be a key. */
function keysIn(text: string, refuse: (message: string, line?: number) => never): Record<string, string> {
  let data: Record<string, unknown>;
  try {
    data = parseToml(text, "settings");
  } catch (error) {
    const line = error instanceof TomlMistake ? error.line : undefined;
    return refuse('This is not valid TOML. Write one line for each key: NAME = "…"', line);
  }
  const keys: Record<string, string> = {};
  for (const [name, value] of Object.entries(data)) {
    if (typeof value !== "string" || value.trim() === "") return refuse(`${name} is not a text. Write one line for each key: NAME = "…"`);
    keys[name] = value.trim();
  }
  return keys;
}
