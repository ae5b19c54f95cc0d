import { join, relative } from "node:path";
import { ConfigError } from "../../config/problem.ts";
import { decodeUtf8 } from "../../config/read.ts";
import { listNames } from "../../files/list-names.ts";
import { OwnFileError, readOwnFile } from "../../files/own-file.ts";
import { isWithin } from "../../text/path.ts";
import type { Neighbour } from "../rules/client-rule.ts";
import type { SourceKind } from "./convert-source.ts";
import type { DocumentForm } from "./read-document.ts";

/** A file that is there. `project` is one that whoever made the project wrote. */
export interface FoundSource {
  readonly kind: SourceKind;
  readonly form: DocumentForm;
  readonly path: string;
  readonly scope: "own" | "project";
}

export interface SourcePlaces {
  readonly workspace: string;
  readonly home: string;
}

type Place = readonly [scope: "own" | "project", path: string, kind: SourceKind, form: DocumentForm];

/** A path that ends in a star stands for all files of the folder with that ending. */
const PLACES: Readonly<Record<Neighbour, readonly Place[]>> = {
  claude: [
    ["own", ".claude/settings.json", "claude settings", "json"],
    ["own", ".claude.json", "claude settings", "json"],
    ["project", ".claude/settings.json", "claude settings", "json"],
    ["project", ".claude/settings.local.json", "claude settings", "json"],
    ["project", ".mcp.json", "servers", "json"],
    ["own", ".claude/skills", "skills folder", "folder"],
    ["own", ".agents/skills", "skills folder", "folder"],
  ],
  codex: [
    ["own", ".codex/config.toml", "codex settings", "toml"],
    ["own", ".codex/rules/*.rules", "codex rules", "statements"],
    ["project", ".codex/config.toml", "codex settings", "toml"],
    ["project", ".codex/rules/*.rules", "codex rules", "statements"],
  ],
  gemini: [
    ["own", ".gemini/settings.json", "gemini settings", "jsonc"],
    ["own", ".gemini/policies/*.toml", "gemini policies", "toml"],
    ["project", ".gemini/settings.json", "gemini settings", "jsonc"],
    ["project", ".gemini/policies/*.toml", "gemini policies", "toml"],
  ],
  qwen: [
    ["own", ".qwen/settings.json", "qwen settings", "jsonc"],
    ["project", ".qwen/settings.json", "qwen settings", "jsonc"],
  ],
  opencode: [
    ["own", ".config/opencode/opencode.json", "opencode settings", "jsonc"],
    ["own", ".config/opencode/opencode.jsonc", "opencode settings", "jsonc"],
    ["project", "opencode.json", "opencode settings", "jsonc"],
    ["project", "opencode.jsonc", "opencode settings", "jsonc"],
  ],
  cursor: [
    ["own", ".cursor/cli-config.json", "cursor settings", "jsonc"],
    ["own", ".cursor/mcp.json", "servers", "jsonc"],
    ["project", ".cursor/cli.json", "cursor settings", "jsonc"],
    ["project", ".cursor/mcp.json", "servers", "jsonc"],
  ],
};

const MOST_FILES = 50;

/** Where the files of an agent would be. */
export const placesFor = (client: Neighbour): readonly string[] =>
  PLACES[client].map(([scope, path]) => (scope === "own" ? `~/${path}` : path));

/** All files of an agent that may be there; whether they are is known when they are read. */
export function findSources(client: Neighbour, { workspace, home }: SourcePlaces): readonly FoundSource[] {
  const found = PLACES[client].flatMap(([scope, path, kind, form]): FoundSource[] => {
    const whole = join(scope === "own" ? home : workspace, path);
    if (form === "folder" && listNames(whole, "", 1).length === 0) return [];
    if (!path.includes("*")) return [{ kind, form, path: whole, scope }];
    const [folder = "", ending = ""] = whole.split("/*");
    return listNames(folder, ending, MOST_FILES).map((name) => ({ kind, form, path: join(folder, name), scope }));
  });
  // In the home folder a project's file is the person's own.
  return found.filter((one, n) => found.findIndex(({ path }) => path === one.path) === n);
}

/** A file that a person names: what it is, by whose it is to be and by its ending. */
export function namedSource(client: Neighbour | "mcp", path: string, { workspace, home }: SourcePlaces): FoundSource {
  const isOwn = client !== "mcp" && findSources(client, { workspace: "/", home }).some((one) => one.scope === "own" && one.path === path);
  const scope = isOwn || !isWithin(workspace, path) || workspace === home ? "own" : "project";
  if (client === "mcp") return { kind: "servers", form: "jsonc", path, scope };
  if (client === "codex" && path.endsWith(".rules")) return { kind: "codex rules", form: "statements", path, scope };
  if (client === "gemini" && path.endsWith(".toml")) return { kind: "gemini policies", form: "toml", path, scope };
  const form = client === "codex" ? "toml" : client === "claude" ? "json" : "jsonc";
  return { kind: `${client} settings`, form, path, scope };
}

const MOST_BYTES = 16 * 1024 * 1024;

/** The text of such a file; null when there is none. A link of a project that leads out of it is refused. Throws a ConfigError. */
export function readSource({ path, scope }: FoundSource, workspace: string): string | null {
  try {
    const { bytes } = readOwnFile(path, { maxBytes: MOST_BYTES, ...(scope === "project" && { inside: workspace }) });
    return decodeUtf8(path, bytes);
  } catch (error) {
    if (!(error instanceof OwnFileError)) throw error;
    if (error.reason === "missing") return null;
    throw new ConfigError([{ file: path, message: error.message }]);
  }
}

/** `~/.claude/settings.json`, or a path of the project. Into the person's own file goes the whole path: there are many projects. */
export function sourceName({ path, scope }: FoundSource, { workspace, home }: SourcePlaces, into: "user" | "project"): string {
  if (scope === "project" && into === "project") return relative(workspace, path);
  return isWithin(home, path) && path !== home ? `~/${relative(home, path)}` : path;
}
