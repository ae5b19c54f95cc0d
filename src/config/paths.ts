import { lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { TrustRecords } from "../core/ports/store.ts";
import { attempt } from "../text/attempt.ts";
import { ConfigError } from "./problem.ts";

export interface ConfigEnvironment {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The user's own file, whether it exists or not. */
export function userConfigPath({ home, env }: Pick<ConfigEnvironment, "home" | "env">): string {
  const base = env.XDG_CONFIG_HOME;
  // A relative $XDG_CONFIG_HOME is invalid by the rules of XDG; obeying it would let the working directory choose the user's file.
  return join(base && isAbsolute(base) ? base : join(home, ".config"), "zeph", "config.toml");
}

export const projectConfigPath = (folder: string): string => join(folder, ".zeph", "config.toml");

/**
 * The project's file: in the working directory or the nearest folder above it, not looking beyond a repository's top.
 * The home folder counts only when it is the working directory, and the user's own file is never a project's.
 */
export function findProjectConfig(where: Pick<ConfigEnvironment, "cwd" | "home">, userFile: string): string | null {
  for (const file of projectPlaces(where)) if (isThere(file) && canonical(file) !== canonical(userFile)) return file;
  return null;
}

/** Where a project's file is looked for, nearest first. */
export function* projectPlaces({ cwd, home }: Pick<ConfigEnvironment, "cwd" | "home">): Generator<string, void> {
  const start = canonical(cwd);
  const stop = canonical(home);
  for (let folder = start; ; folder = dirname(folder)) {
    if (folder === stop && folder !== start) return;
    yield projectConfigPath(folder);
    if (isThere(join(folder, ".git")) || folder === dirname(folder)) return;
  }
}

/**
 * The folders from a repository's top to the working directory, the top first; the working directory alone where it lies in no repository. A repository
 * reaches no further than folders of this user, and home is never one: whoever can write above a folder does not speak for it.
 */
export function foldersFromTop({ cwd, home }: Pick<ConfigEnvironment, "cwd" | "home">): readonly string[] {
  const start = canonical(cwd);
  const stop = canonical(home);
  const folders: string[] = [];
  for (let folder = start; folder === start || (folder !== stop && isOurs(folder)); folder = dirname(folder)) {
    folders.unshift(folder);
    if (isThere(join(folder, ".git"))) return folders;
    if (folder === dirname(folder)) break;
  }
  return [start];
}

const isOurs = (folder: string): boolean => attempt(() => lstatSync(folder).uid === process.getuid?.(), false);

/** The folder a project's file speaks for. It is what trust is recorded for. */
export const projectFolder = (file: string): string => dirname(dirname(file));

/** Trust is in one content of the file: whatever changes it ends it. */
export const trustedBy =
  (records: Pick<TrustRecords, "get">) =>
  (folder: string, hash: string): boolean =>
    records.get(folder) === hash;

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return false;
    // Going on as if it were absent would drop what it forbids.
    throw new ConfigError([{ file: path, message: `This may be a configuration file, but it cannot be looked at (${code}).` }]);
  }
}

const canonical = (path: string): string => attempt(() => realpathSync(path), path);
