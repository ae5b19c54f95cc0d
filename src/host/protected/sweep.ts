import { type BigIntStats, fstatSync } from "node:fs";
import { type ProtectedPart, protectedEntry } from "../../core/protected.ts";
import { entryIdentity, statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { type EntryName, type Pinned, pinDirectory, pinInside, unlock, whileOpen } from "../files/pin.ts";
import { childPath, entryName, type FolderEntry, type ListedFolder, listHeld, markOf, recall, type Steps } from "./folders.ts";

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
/** A text as long as this is no longer than that in bytes. */
const SURE_PATH = 1000;
/** Installed packages: nobody opens an editor or a shell in there, and installing replaces them. */
const INSTALLED: ReadonlySet<string> = new Set(["node_modules", "site-packages", "__pycache__"]);

/** One folder on the way from a root to the one that is looked into. */
interface Level {
  readonly entry: FolderEntry;
  readonly path: string;
  /** What is still to be looked into. */
  pending: FolderEntry[];
  /** Which folder it is, and when it was changed last. */
  mark: string;
  /** Null while nothing in it had to be opened. */
  dir: Pinned | null;
  /** Closes it as it was, where it had to be opened. */
  shut: (() => void) | null;
  /** Whether the system finds it by its path. */
  readonly hasPath: boolean;
}

/**
 * Every folder below the roots. Each is opened once, in the folder above it that is held open, and listed through its descriptor: no link is followed,
 * however often somebody exchanges one meanwhile. One that was listed before and did not change is known by its number and the time of its last change,
 * whatever leads to it, and is not opened.
 */
export function* sweepProtected(roots: readonly string[], options: SweepOptions = {}): Steps<Look> {
  return yield* new Sweeping(roots, options).look();
}

class Sweeping {
  readonly #roots: readonly string[];
  readonly #before: SweepOptions["before"];
  readonly #wasShut: ReadonlyMap<string, string | null>;
  /** Whether it is known which folders are new. */
  readonly #knowsNew: boolean;
  readonly #most: number;
  readonly #found = {
    spots: [] as ProtectedSpot[],
    gits: [] as string[],
    bare: [] as string[],
    unseen: [] as Unseen[],
    folders: new Set<string>(),
    byteNames: new Map<string, Buffer>(),
  };
  readonly #levels: Level[] = [];
  readonly #identities = new Set<string>();
  #counted = 0;
  #isComplete = true;
  #isSteady = true;

  constructor(roots: readonly string[], { before, most }: SweepOptions) {
    this.#roots = roots;
    this.#before = before;
    this.#wasShut = new Map(before?.unseen.map(({ path, mark }) => [path, mark]));
    this.#knowsNew = before?.isComplete === true;
    this.#most = most ?? (this.#knowsNew ? MOST_NEW_FOLDERS : MOST_SWEPT_FOLDERS);
  }

  *look(): Steps<Look> {
    try {
      for (const root of this.#roots) {
        this.#enterRoot(root);
        for (let seen = 0; this.#levels.length > 0; seen++) {
          if (seen % 64 === 63) yield;
          const level = this.#levels.at(-1)!;
          const entry = level.pending.pop();
          if (entry) this.#lookAt(level, entry);
          else leave(this.#levels.pop()!);
        }
      }
    } finally {
      for (const level of this.#levels.reverse()) leave(level);
    }
    const { unseen } = this.#found;
    const shut = unseen.filter(({ why, path }) => why === MAY_NOT && Buffer.byteLength(path) < MOST_PATH).map(({ path }) => path);
    return { ...this.#found, shut, isComplete: this.#isComplete, isSteady: this.#isSteady };
  }

  #enterRoot(path: string): void {
    this.#found.folders.add(path);
    const stats = statExact(path);
    const level = newLevel({ name: path, kind: "folder" }, path, true);
    const known = stats?.isDirectory() ? recall(path, stats) : null;
    const dir = known ? null : attempt(() => pinDirectory(path), null);
    if (known) this.#enterKnown(level, known);
    else if (dir !== null) this.#enterHeld(level, dir);
    // A root may be a file, or not be there yet.
    else if (stats?.isDirectory() || stats?.isSymbolicLink()) this.#miss(path, MAY_NOT);
  }

  #lookAt(level: Level, entry: FolderEntry): void {
    const path = childPath(level.path, entry.name);
    if (this.#roots.includes(path)) return;
    const hasPath = level.hasPath && !entry.bytes && path.length < SURE_PATH;
    const named = hasPath ? statExact(path) : null;
    const known = named?.isDirectory() ? recall(path, named) : null;
    const stats = known ? named : this.#statHeld(level, entry);
    if (!stats?.isDirectory()) return;
    if (!this.#isNext(entry, path)) return;
    const inner = newLevel(entry, path, hasPath);
    const dir = known ? null : level.dir && whileOpen(level.dir, this.#before ? 0o100 : 0, () => open(level.dir!, entryName(entry)));
    if (known) this.#enterKnown(inner, known);
    else if (dir === "refused") this.#miss(path, MAY_NOT);
    else if (dir === null) this.#isSteady = false;
    else this.#enterHeld(inner, dir);
  }

  /** Writes down that it was found, and tells whether it is to be looked into. */
  #isNext(entry: FolderEntry, path: string): boolean {
    const isAlike = entry.bytes !== undefined && this.#found.folders.has(path);
    if (isAlike) this.#miss(path, "has a name that is no text, and is shown like another's");
    else if (entry.bytes) this.#found.byteNames.set(path, entry.bytes);
    this.#found.folders.add(path);
    return !isAlike && !this.#isBeyond(path);
  }

  /** Asked where it is held. Null when it is gone, or the folder it lies in is. */
  #statHeld(level: Level, entry: FolderEntry): BigIntStats | null {
    const dir = this.#hold(this.#levels.length - 1);
    const stats = dir && statExact(dir.at(entryName(entry)));
    if (dir && stats === null && statExact(dir.at(".")) === null) {
      this.#miss(level.path, MAY_NOT, level.mark);
      level.pending = [];
    } else if (!stats?.isDirectory()) this.#isSteady = false;
    return stats;
  }

  /** Opens a level in the one above it. If it is another folder by then, or was changed, that is what is looked into. */
  #hold(n: number): Pinned | null {
    const level = this.#levels[n]!;
    if (level.dir !== null) return level.dir;
    const above = n === 0 ? null : this.#hold(n - 1);
    const dir = n === 0 ? attempt(() => pinDirectory(level.path), null) : above && open(above, entryName(level.entry));
    if (dir === null || dir === "refused") {
      this.#isSteady = false;
      level.pending = [];
      return null;
    }
    level.dir = dir;
    const mark = markOf(fstatSync(dir.fd, { bigint: true }));
    if (mark === level.mark) return dir;
    this.#isSteady = false;
    level.mark = mark;
    const folder = listHeld(dir, level.path);
    if (folder === null) this.#miss(level.path, MAY_NOT, mark);
    level.pending = folder === null ? [] : [...this.#take(folder)];
    return dir;
  }

  /** Listed before, and not changed since. */
  #enterKnown(level: Level, folder: ListedFolder): void {
    this.#meet(folder.identity);
    const folders = this.#take(folder);
    if (folders.length === 0) return;
    level.mark = folder.mark;
    this.#push(level, folders);
  }

  #enterHeld(level: Level, dir: Pinned): void {
    const stats = fstatSync(dir.fd, { bigint: true });
    this.#meet(entryIdentity(stats));
    level.dir = dir;
    level.mark = markOf(stats);
    // Closed before, and the same since: it is held as a whole, and what is in it is nobody's to look at.
    const isKnown = this.#wasShut.get(level.path) === level.mark;
    level.shut = this.#before && !isKnown ? unlock(dir, 0o500) : null;
    // Names alone say nothing of what they are.
    const folder = isKnown || statExact(dir.at(".")) === null ? null : listHeld(dir, level.path);
    if (folder !== null) {
      this.#push(level, this.#take(folder));
      return;
    }
    this.#miss(level.path, MAY_NOT, level.mark);
    leave(level);
  }

  #push(level: Level, folders: readonly FolderEntry[]): void {
    if (folders.length === 0 || this.#levels.length < MOST_DEEP) {
      level.pending = [...folders];
      this.#levels.push(level);
      return;
    }
    for (const { name } of folders) this.#miss(childPath(level.path, name), `lies deeper than ${MOST_DEEP} folders`);
    leave(level);
  }

  /** The folders in it that are looked into. */
  #take(folder: ListedFolder): readonly FolderEntry[] {
    const { spots, hasGit, isBare, folders } = folder.derived(sweepProtected, lookThrough);
    this.#found.spots.push(...spots);
    if (hasGit) this.#found.gits.push(childPath(folder.path, ".git"));
    if (isBare) this.#found.bare.push(folder.path);
    return isBare && !this.#roots.includes(folder.path) ? [] : folders;
  }

  #isBeyond(path: string): boolean {
    const isOld = this.#knowsNew && this.#before!.folders.has(path);
    if (isOld || this.#counted++ < this.#most) return false;
    this.#isComplete = false;
    if (this.#knowsNew) this.#miss(path, `is one of more than ${this.#most} new folders`);
    // Without a whole look before the command nobody can tell what is new: a warning says that there are too many.
    else for (const level of this.#levels) level.pending = [];
    return true;
  }

  #meet(identity: string): void {
    if (!this.#before) return;
    if (this.#identities.has(identity)) this.#isSteady = false;
    this.#identities.add(identity);
  }

  #miss(path: string, why: string, mark: string | null = null): void {
    this.#found.unseen.push({ path, why, mark });
  }
}

const newLevel = (entry: FolderEntry, path: string, hasPath: boolean): Level => ({
  entry,
  path,
  hasPath,
  pending: [],
  mark: "",
  dir: null,
  shut: null,
});

function leave({ dir, shut }: Level): void {
  shut?.();
  dir?.close();
}

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

function lookThrough({ path, entries }: ListedFolder): Looked {
  const segments = path.split("/");
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
