import { createHash } from "node:crypto";
import { OwnFileError, readOwnFile } from "../files/own-file.ts";
import { parseToml as parse, TOML_LIMITS, TomlMistake } from "../text/toml.ts";
import { complaints, RULES_FORM } from "./complain.ts";
import { locator, type TextPlace } from "./edit/locate.ts";
import type { TomlPath } from "./edit/scan.ts";
import { byLine, ConfigError, type Problem } from "./problem.ts";
import { dotted } from "./type-words.ts";

/** One configuration file, read and found valid on its own. */
export interface ConfigFile {
  readonly file: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** SHA-256 of its bytes. */
  readonly hash: string;
  readonly locate: (path: TomlPath) => TextPlace | undefined;
}

/** A project's file may not show what lies outside of the project: the messages about it hold its lines. */
export interface FromProject {
  readonly inside: string;
}

/** Null when there is no such file. Throws a ConfigError that lists everything wrong with it. */
export function readConfigFile(file: string, from?: FromProject): ConfigFile | null {
  const bytes = readBytes(file, { ...CONFIG, ...from });
  if (!bytes) return null;
  const text = decodeUtf8(file, bytes);
  const data = parseConfigToml(file, text);
  const locate = locator(text);
  const problems = complaints(data).map(({ path, message }): Problem => ({ file, ...locate(path), key: dotted(path), message }));
  if (problems.length > 0) throw new ConfigError(problems.sort(byLine));
  return { file, data, hash: createHash("sha256").update(bytes).digest("hex"), locate };
}

/** Settings that a person typed and no file holds. Throws a ConfigError with the line and column of everything wrong. */
export function readTypedConfig(text: string): ConfigFile {
  const data = parseConfigToml(undefined, text);
  const locate = locator(text);
  const problems = complaints(data).map(({ path, message }): Problem => ({ ...locate(path), key: dotted(path), message }));
  if (problems.length > 0) throw new ConfigError(problems.sort(byLine));
  return { file: "", data, hash: createHash("sha256").update(text).digest("hex"), locate };
}

/** The text of a configuration file, for those who edit it. Null when there is no such file. */
export function readConfigText(file: string, from?: FromProject): string | null {
  const bytes = readBytes(file, { ...CONFIG, ...from });
  return bytes && decodeUtf8(file, bytes, "keep the byte order mark");
}

/** Parses TOML; a mistake is shown with its place and the lines around it. */
export function parseConfigToml(file: string | undefined, text: string): Record<string, unknown> {
  try {
    return parse(text, "settings");
  } catch (error) {
    if (!(error instanceof TomlMistake)) throw error;
    const { line, column, around } = error;
    const message = `This is not valid TOML: ${error.message}.${around && `\n\n${indent(around)}`}${hint(error)}`;
    throw new ConfigError([{ ...(file !== undefined && { file }), line, column, message }]);
  }
}

export interface ReadOptions extends Partial<FromProject> {
  readonly maxBytes: number;
  /** Words about a file that cannot be read, where there is more to say than the opener does. */
  readonly words: Partial<Record<OwnFileError["reason"], string>>;
}

const CONFIG: ReadOptions = {
  maxBytes: TOML_LIMITS.length,
  words: {
    dangling: "This link points to nothing. Repair or remove it.",
    directory: "This is a directory; a configuration file was expected.",
    "not regular": "This is not a regular file; a configuration file was expected.",
    "too large": "This file is larger than 1 MiB, which is the limit.",
  },
};

/** Null when there is no such file. Throws a ConfigError when it cannot be read. */
export function readBytes(file: string, { words, ...how }: ReadOptions): Buffer | null {
  try {
    return readOwnFile(file, how).bytes;
  } catch (error) {
    if (!(error instanceof OwnFileError)) throw error;
    if (error.reason === "missing") return null;
    return refuseFile(file, words[error.reason] ?? error.message);
  }
}

export function decodeUtf8(file: string, bytes: Buffer, bom?: "keep the byte order mark"): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: bom !== undefined }).decode(bytes);
  } catch {
    return refuseFile(file, "This file is not UTF-8 text. Save it as UTF-8.");
  }
}

export function refuseFile(file: string, message: string): never {
  throw new ConfigError([{ file, message }]);
}

const indent = (block: string) => block.replace(/^(?=.)/gm, "    ");

/** `[tools.permissions.bash]` followed by `[[tools.permissions.bash]]` was printed in documents and is not TOML. */
function hint({ around, line }: TomlMistake): string {
  const wrong = around.split("\n").find((text) => text.startsWith(`${line} `) || text.startsWith(`${line}:`));
  const tool = /\[\s*tools\s*\.\s*permissions\s*\.\s*("[^"]*"|'[^']*'|[\w-]+)/.exec(wrong ?? "")?.[1];
  return tool ? `\n${RULES_FORM(tool)}` : "";
}
