import { dirname, join } from "node:path";
import { type CachedFile, createCachedFiles } from "../../../files/cached-file.ts";
import { listNames } from "../../../files/list-names.ts";
import { type CodexStatement, readStatements } from "../../../neighbours/rules/codex.ts";
import { parseJsonText } from "../../../text/formats/jsonc.ts";
import { isRecord } from "../../../text/json.ts";
import { parseToml } from "../../../text/toml.ts";

type Data = Readonly<Record<string, unknown>>;

/** Files of other agents, read once and again when they change. A project's file that a link leads out of the project is not read. */
export interface ClientFiles {
  readonly json: (path: string, inside?: string) => CachedFile<Data>;
  readonly jsonc: (path: string, inside?: string) => CachedFile<Data>;
  readonly toml: (path: string, inside?: string) => CachedFile<Data>;
  readonly statements: (path: string, inside?: string) => CachedFile<readonly CodexStatement[]>;
  readonly text: (path: string, inside?: string) => CachedFile<string>;
  /** Whole paths of the files in a folder whose names end so. */
  list(folder: string, ending: string): readonly string[];
}

const MOST_FILES = 200;

export const createClientFiles = (): ClientFiles => ({
  json: createCachedFiles((_, text) => tableIn(text, "refused")),
  jsonc: createCachedFiles((_, text) => tableIn(text, "allowed")),
  toml: createCachedFiles((_, text) => parseToml(withoutMark(text), "settings")),
  statements: createCachedFiles((_, text) => readStatements(withoutMark(text))),
  text: createCachedFiles((_, text) => text),
  list: (folder, ending) => listNames(folder, ending, MOST_FILES).map((name) => join(folder, name)),
});

export function tableIn(text: string, comments: "allowed" | "refused"): Data {
  const plain = withoutMark(text);
  if (plain.trim() === "") return {};
  const { data } = parseJsonText(plain, comments);
  if (!isRecord(data)) throw new Error("it is no table of settings");
  return data;
}

const withoutMark = (text: string): string => text.replace(/^\ufeff/, "");

const DEEPEST = 100;

/** A folder and all above it, the nearest first. */
export function foldersAbove(folder: string): readonly string[] {
  const found = [folder];
  for (let at = folder; dirname(at) !== at && found.length < DEEPEST; at = dirname(at)) found.push(dirname(at));
  return found;
}
