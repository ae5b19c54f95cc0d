import { type BigIntStats, fstatSync } from "node:fs";
import { type ProtectedPart, protectedEntry } from "../../core/protected.ts";
import { entryIdentity, entryKind, statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { type EntryName, type Pinned, pinDirectory, pinInside, unlock, whileOpen } from "../files/pin.ts";
import { childPath, entryName, type FolderEntry, type ListedFolder, listHeld, recall, type Steps } from "./folders.ts";

/** A file or folder of the list in `core/protected.ts`, where it lies. */
export interface ProtectedSpot {
  readonly path: string;
  readonly part: ProtectedPart;
  readonly kind: FolderEntry["kind"];
}

/** A folder that was not looked into. */
export interface Unseen {
  readonly path: string;
  /** In words that follow its name. */
  readonly why: string;
  /** Which folder it is and when it was last changed; null where nobody can tell. */
  readonly mark: string | null;
}

/** Everything of a workspace that something outside the walls runs or obeys. */
export interface Sweep {
  /** Frozen and watched files and folders, in every folder. What lies inside such a folder is not listed. */
  readonly spots: readonly ProtectedSpot[];
  /** Each `.git`: a folder, a file that names one, or a link. */
  readonly gits: readonly string[];
  /** Folders that are a repository without being called `.git`. */
  readonly bare: readonly string[];
  /** Folders whose owner closed them, or that are not ours. */
  readonly shut: readonly string[];
  /** These, and all others that were not looked into. */
  readonly unseen: readonly Unseen[];
  /** Folders that were found, looked into or not. */
  readonly folders: ReadonlySet<string>;
  /** Folders whose name is no text, by the path that is shown of them. */
  readonly byteNames: ReadonlyMap<string, Buffer>;
  /** False when there are more folders than are looked into. */
  readonly isComplete: boolean;
}

export interface Look extends Sweep {
  /** Whether no folder was seen to move meanwhile. One that does may be met twice, or not at all. */
  readonly isSteady: boolean;
}

export interface SweepOptions {
  /**
   * What was found before a command. Then what it left is looked for: a folder that is closed to us and ours is opened for as long as it is looked
   * into, and only folders that are new count for the bound.
   */
  readonly before?: Pick<Sweep, "folders" | "unseen" | "isComplete">;
  /** Tests put their own here. */
  readonly most?: number;
}

/** Beyond this a look at each folder takes longer than most commands. */
export const MOST_SWEPT_FOLDERS = 20_000;
/** What a command made is looked through further: nobody looked before, and what is left out is moved away or named. */
const MOST_NEW_FOLDERS = 100_000;
/** Each level holds a descriptor. */
export const MOST_DEEP = 200;
/** What a system takes as a path. */
const MOST_PATH = 4096;
/** Installed packages: nobody opens an editor or a shell in there, and installing replaces them. */
const INSTALLED: ReadonlySet<string> = new Set(["node_modules", "site-packages", "__pycache__"]);

/** One folder on the way from a root to the one that is looked into. */
interface Level {
  readonly dir: Pinned;
  readonly path: string;
  readonly segments: readonly string[];
  /** What is still to be looked into. */
  readonly pending: FolderEntry[];
  /** Closes it as it was, where it had to be opened. */
  readonly shut: (() => void) | null;
}

/**
 * Every folder below the roots. Each is opened once, in the folder above it that is held open, and listed through its descriptor: no link is followed,
 * however often somebody exchanges one meanwhile.
 */
export function* sweepProtected(roots: readonly string[], options: SweepOptions = {}): Steps<Look> {
  const { before } = options;
  const isAfterAll = before?.isComplete === true;
  const most = options.most ?? (isAfterAll ? MOST_NEW_FOLDERS : MOST_SWEPT_FOLDERS);
  const found = {
    spots: [] as ProtectedSpot[],
    gits: [] as string[],
    bare: [] as string[],
    unseen: [] as Unseen[],
    folders: new Set<string>(),
    byteNames: new Map<string, Buffer>(),
  };
  const wasShut = new Map(before?.unseen.map(({ path, mark }) => [path, mark]));
  const levels: Level[] = [];
  let counted = 0;
  let isComplete = true;
  let isSteady = true;
  const identities = new Set<string>();
  const meet = (stats: Parameters<typeof entryIdentity>[0]) => {
    const identity = entryIdentity(stats);
    if (identities.has(identity)) isSteady = false;
    identities.add(identity);
  };
  const miss = (path: string, why: string, mark: string | null = null) => void found.unseen.push({ path, why, mark });
  const take = (folder: ListedFolder, segments: readonly string[]): Looked => {
    const looked = folder.derived(sweepProtected, (one) => lookThrough(one, segments));
    found.spots.push(...looked.spots);
    if (looked.hasGit) found.gits.push(childPath(folder.path, ".git"));
    if (looked.isBare) found.bare.push(folder.path);
    return looked.isBare && !roots.includes(folder.path) ? { ...looked, folders: [] } : looked;
  };
  const enter = (dir: Pinned, path: string, segments: readonly string[]) => {
    // Closed before, and the same since: it is held as a whole, and what is in it is nobody's to look at.
    const stats = fstatSync(dir.fd, { bigint: true });
    const mark = markOf(stats);
    meet(stats);
    const isKnown = wasShut.get(path) === mark;
    const shut = before && !isKnown ? unlock(dir, 0o500) : null;
    const folder = isKnown ? null : listHeld(dir, path);
    // Names alone say nothing of what they are.
    if (folder !== null && (folder.entries.length === 0 || statExact(dir.at(".")) !== null))
      return void levels.push({ dir, path, segments, pending: [...take(folder, segments).folders], shut });
    miss(path, MAY_NOT, mark);
    shut?.();
    dir.close();
  };
  try {
    for (const root of roots) {
      const dir = attempt(() => pinDirectory(root), null);
      found.folders.add(root);
      if (dir !== null) enter(dir, root, root.split("/"));
      // A root may be a file, or not be there yet.
      else if (["folder", "link"].includes(kindAt(root))) miss(root, MAY_NOT);
      for (let seen = 0; levels.length > 0; seen++) {
        if (seen % 64 === 63) yield;
        const level = levels.at(-1)!;
        const entry = level.pending.pop();
        if (entry === undefined) {
          levels.pop();
          level.shut?.();
          level.dir.close();
          continue;
        }
        const path = childPath(level.path, entry.name);
        if (roots.includes(path)) continue;
        const segments = [...level.segments, entry.name];
        const stats = statExact(level.dir.at(entryName(entry)));
        if (!stats?.isDirectory()) {
          isSteady = false;
          continue;
        }
        const isOld = isAfterAll && before.folders.has(path);
        if (entry.bytes) {
          if (found.folders.has(path)) {
            miss(path, "has a name that is no text, and is shown like another's");
            continue;
          }
          found.byteNames.set(path, entry.bytes);
        }
        found.folders.add(path);
        if (!isOld && counted++ >= most) {
          isComplete = false;
          if (isAfterAll) miss(path, `is one of more than ${most} new folders`);
          // Without a whole look before the command nobody can tell what is new: a warning says that there are too many.
          else for (const { pending } of levels) pending.length = 0;
          continue;
        }
        // One that did not change and holds no other need not be opened.
        const same = recall(path, stats);
        if (same && same.derived(sweepProtected, (one) => lookThrough(one, segments)).folders.length === 0) {
          meet(stats);
          take(same, segments);
          continue;
        }
        if (levels.length > MOST_DEEP) {
          miss(path, `lies deeper than ${MOST_DEEP} folders`);
          continue;
        }
        const inner = whileOpen(level.dir, before ? 0o100 : 0, () => open(level.dir, entryName(entry)));
        if (inner === "refused") miss(path, MAY_NOT);
        else if (inner === null) isSteady = false;
        else enter(inner, path, segments);
      }
    }
  } finally {
    for (const { dir, shut } of levels.reverse()) {
      shut?.();
      dir.close();
    }
  }
  const shut = found.unseen.filter(({ why, path }) => why === MAY_NOT && Buffer.byteLength(path) < MOST_PATH).map(({ path }) => path);
  return { ...found, shut, isComplete, isSteady };
}

const kindAt = (path: string) => {
  const stats = statExact(path);
  return stats === null ? "other" : entryKind(stats);
};

export const MAY_NOT = "may not be listed by Zeph";

/** Null when it is gone, or something else is in its place. To have run out of descriptors is not an answer. */
function open(dir: Pinned, name: EntryName): Pinned | "refused" | null {
  try {
    return pinInside(dir, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === undefined || ["ENOENT", "ENOTDIR", "ELOOP"].includes(code) ? null : "refused";
  }
}

/** Which folder it is, and when anything of it was last changed: nobody can set that time. */
export const markOf = (stats: BigIntStats): string => `${entryIdentity(stats)} ${stats.ctimeNs}`;

/** The names that lead to a path of a sweep from the root it lies in. */
export function wayTo({ byteNames }: Pick<Sweep, "byteNames">, roots: readonly string[], path: string): Way | null {
  const root = roots.filter((one) => isWithin(one, path)).sort((a, b) => b.length - a.length)[0];
  if (root === undefined) return null;
  const names: EntryName[] = [];
  for (let at = path; at !== root; at = parentOf(at)) names.unshift(byteNames.get(at) ?? nameOf(at));
  return { root, names };
}

export interface Way {
  readonly root: string;
  readonly names: readonly EntryName[];
}

interface Looked {
  readonly spots: readonly ProtectedSpot[];
  readonly hasGit: boolean;
  readonly isBare: boolean;
  readonly folders: readonly FolderEntry[];
}

function lookThrough({ path, entries }: ListedFolder, segments: readonly string[]): Looked {
  const spots: ProtectedSpot[] = [];
  const folders: FolderEntry[] = [];
  let hasGit = false;
  for (const entry of entries) {
    const { name, kind } = entry;
    const part = protectedEntry(segments, name);
    if (name === ".git") hasGit = true;
    else if (part !== null) spots.push({ path: childPath(path, name), part, kind });
    else if (kind === "folder" && !INSTALLED.has(name)) folders.push(entry);
  }
  return { spots, hasGit, isBare: isGitFolder(entries), folders };
}

/** As git itself tells one. */
export const isGitFolder = (entries: readonly FolderEntry[]): boolean =>
  ["HEAD", "objects", "refs"].every((wanted) => entries.some(({ name }) => name === wanted)) ||
  ["HEAD", "commondir"].every((wanted) => entries.some(({ name }) => name === wanted));
