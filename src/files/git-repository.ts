import { dirname, join, resolve } from "node:path";
import { type GitConfigEntry, parseGitConfig } from "../text/git-config.ts";
import { readOwnText } from "./own-file.ts";

/** A repository, as its files say. They may be a command's, so they are read as texts, and git is never asked in it. */
export interface GitRepository {
  /** The folder with the entry `.git`. */
  readonly top: string;
  /** Its git folder; of a worktree its own one. */
  readonly folder: string;
  /** The git folder with the settings and objects: of a worktree the one it shares, else the same. */
  readonly common: string;
  /** What is checked out: the text of HEAD. */
  readonly head: string;
}

const LIMIT = { maxBytes: 4096 };
const MOST_FOLDERS = 64;
const MOST_CONFIG = 1024 * 1024;

/** The repository around a folder; null where there is none. */
export function findRepository(cwd: string): GitRepository | null {
  for (let [top, n] = [cwd, 0]; n < MOST_FOLDERS; n++, top = dirname(top)) {
    const folder = gitFolderAt(top);
    const head = readOwnText(join(folder, "HEAD"), LIMIT);
    if (head !== null) return { top, folder, common: commonFolder(folder), head };
    if (top === dirname(top)) return null;
  }
  return null;
}

/** The branch of the repository around a folder, or the beginning of the commit that is checked out. */
export function currentBranch(cwd: string): string | undefined {
  const head = findRepository(cwd)?.head ?? "";
  return branchOf(head) ?? /^[\da-f]{7}/.exec(head)?.[0];
}

export const branchOf = (head: string): string | undefined => /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1];

/** The folder that `.git` is, or that the file of a worktree or a submodule names. */
export function gitFolderAt(top: string): string {
  const git = join(top, ".git");
  const elsewhere = /^gitdir: (.+)$/m.exec(readOwnText(git, LIMIT) ?? "")?.[1];
  return elsewhere === undefined ? git : resolve(top, elsewhere);
}

export function commonFolder(folder: string): string {
  const named = readOwnText(join(folder, "commondir"), LIMIT)?.trim();
  return named ? resolve(folder, named) : folder;
}

/** The settings in one file; empty where there is none that can be read, null where git would refuse it. Files that it includes are not read. */
export function readGitConfig(file: string): GitConfigEntry[] | null {
  const text = readOwnText(file, { maxBytes: MOST_CONFIG });
  return text === null ? [] : parseGitConfig(text);
}
