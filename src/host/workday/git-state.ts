import { createHash } from "node:crypto";
import { lstatSync, realpathSync, type Stats } from "node:fs";
import { join, resolve } from "node:path";
import { branchOf, findRepository, type GitRepository, readGitConfig } from "../../files/git-repository.ts";
import { readOwnFile, readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { lastSetting } from "../../text/git-config.ts";
import { type GitIndex, type IndexEntry, openIndex } from "./git-index.ts";

/** What git's files say about a folder, without asking git. */
export interface GitState {
  /** The branch, or the beginning of the commit that is checked out. Null where its name is not one that git gives. */
  readonly branch: string | null;
  /** How many tracked files differ from git's index. Null where that is not known, such as in a large repository. Files that git does not track are not counted. */
  readonly unstaged: number | null;
}

/** So many files are looked at before a conversation begins, and no more. */
const MOST_FILES = 5000;
const MOST_INDEX = 4 * 1024 * 1024;
/** Files with other times are compared by what is in them. */
const MOST_COMPARED = 500;
const LARGEST_COMPARED = 1024 * 1024;

/** The state of the repository around a folder; null where there is none. To count takes a look at every tracked file. */
export function readGitState(cwd: string, wanted: "branch" | "branch and count"): GitState | null {
  const repository = findRepository(cwd);
  const head = repository && readOwnHead(repository);
  if (!repository || head === null) return null;
  const branch = branchOf(head) ?? /^[\da-f]{7}/.exec(head)?.[0] ?? null;
  return {
    branch: branch !== null && GIVEN_NAME.test(branch) ? branch : null,
    unstaged: wanted === "branch" ? null : countUnstaged(repository.top),
  };
}

/**
 * HEAD of the repository that this work tree belongs to; null for another one's. A command can make `.git` a link, or a file, that leads to any
 * repository of the person, and a model reads the name of the branch. A linked worktree and a submodule name their work tree in their git folder.
 */
function readOwnHead({ top, folder }: GitRepository): string | null {
  const inside = readOwnText(join(folder, "HEAD"), { maxBytes: LARGEST_HEAD, inside: top });
  if (inside !== null) return inside;
  const real = (path: string) => attempt(() => realpathSync.native(path), null);
  const place = real(folder);
  if (place === null) return null;
  const named = readOwnText(join(place, "gitdir"), { maxBytes: LARGEST_HEAD, inside: place })?.trim();
  const workTree = lastSetting(readGitConfig(join(place, "config")) ?? [], "core.worktree");
  const namesThis =
    (named !== undefined && real(resolve(place, named, "..")) === real(top)) ||
    (workTree !== undefined && real(resolve(place, workTree)) === real(top));
  return namesThis ? readOwnText(join(place, "HEAD"), { maxBytes: LARGEST_HEAD, inside: place }) : null;
}

const LARGEST_HEAD = 4096;

/** A command may write anything into HEAD, and a model reads this. */
const GIVEN_NAME = /^[^\s\p{C}]{1,100}$/u;

function countUnstaged(top: string): number | null {
  const index = openIndex(top, MOST_INDEX);
  if (!index || index.count > MOST_FILES) return null;
  const changed = new Set<string>();
  let compared = 0;
  const entries = index.entries();
  for (let step = entries.next(); ; step = entries.next()) {
    if (step.done) return step.value === "whole" ? changed.size : null;
    const entry = step.value;
    if (!isLookedAt(entry)) continue;
    const state = entry.stage === 0 ? compareTimes(top, entry, index) : "changed";
    if (state === "unknown" && ++compared > MOST_COMPARED) return null;
    const isChanged = state === "unknown" ? compareContent(top, entry, index) : state === "changed";
    if (isChanged === null) return null;
    if (isChanged) changed.add(entry.name);
  }
}

const REGULAR = 0o100000;
const LINK = 0o120000;
const KIND = 0o170000;
const EXECUTABLE = 0o111;

/** Submodules, folders of a sparse index, and files that git was told not to look at are left out. */
const isLookedAt = ({ mode, isIgnored }: IndexEntry) => !isIgnored && ((mode & KIND) === REGULAR || (mode & KIND) === LINK);

const fileOf = (top: string, { name }: IndexEntry): string => join(top, Buffer.from(name, "latin1").toString());

function compareTimes(top: string, entry: IndexEntry, { writtenAt }: GitIndex): "same" | "changed" | "unknown" {
  // Git writes no such name; whoever did wants another folder looked at.
  if (/(?:^|\/)\.{0,2}(?:\/|$)/.test(entry.name)) return "unknown";
  const stats = attempt(() => lstatSync(fileOf(top, entry)), null);
  if (!stats || !isSameKind(stats, entry)) return "changed";
  const changedAt = entry.seconds * 1000 + entry.nanoseconds / 1e6;
  // A file that was changed as the index was written may have the same time and size, and other content.
  const isOlder = changedAt < Math.floor(writtenAt / 1000) * 1000;
  const isSame = Math.abs(stats.mtimeMs - changedAt) < 1 && stats.size % 2 ** 32 === entry.size;
  return isSame && isOlder ? "same" : "unknown";
}

function isSameKind(stats: Stats, { mode }: IndexEntry): boolean {
  if ((mode & KIND) === LINK) return stats.isSymbolicLink();
  return stats.isFile() && ((stats.mode & EXECUTABLE) !== 0) === ((mode & EXECUTABLE) !== 0);
}

/** Whether the file has other content than the index; null where nobody can say without git, such as for links and for files that git converts. */
function compareContent(top: string, entry: IndexEntry, { algorithm }: GitIndex): boolean | null {
  if ((entry.mode & KIND) === LINK) return null;
  const bytes = attempt(() => readOwnFile(fileOf(top, entry), { maxBytes: LARGEST_COMPARED, inside: top }).bytes, null);
  if (bytes === null) return null;
  const hash = createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
  if (hash === entry.hash()) return false;
  return bytes.includes("\r\n") || hasFilters(top) ? null : true;
}

/** Whether git stores some files otherwise than they are in the folder. */
const hasFilters = (top: string): boolean =>
  /\b(?:filter|ident|working-tree-encoding)\b/.test(
    readOwnText(join(top, ".gitattributes"), { maxBytes: LARGEST_COMPARED, inside: top }) ?? "",
  );
