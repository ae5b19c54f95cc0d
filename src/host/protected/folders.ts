import { type BigIntStats, fstatSync, readdirSync } from "node:fs";
import { type EntryKind, entryIdentity, entryKind, statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { createPace } from "../../text/pace.ts";
import { type EntryName, Moved, type Pinned, pinDirectory, withPinned } from "../files/pin.ts";

export interface FolderEntry {
  readonly name: string;
  /** Where the name is no text: what it is made of. */
  readonly bytes?: Buffer;
  readonly kind: EntryKind;
}

/** A folder as it was when it was last read. */
export interface ListedFolder {
  readonly path: string;
  /** Which folder it is. */
  readonly identity: string;
  /** The same, and when its entries were changed last: nobody can set that time. */
  readonly mark: string;
  readonly entries: readonly FolderEntry[];
  /** What somebody made of the entries; made again only when they changed. */
  derived<T>(by: object, make: (folder: ListedFolder) => T): T;
}

/** Reading every folder of a workspace at each command would be slow: one that did not change since is not read again. */
interface Known {
  readonly folder: ListedFolder;
  /** Its last change was long enough ago that another one would show in its times. */
  readonly isSettled: boolean;
}

/** Times of files are counted in steps of up to 10 ms. */
const STEP_MS = 100;
/** Names that are kept, of all folders together. */
const MOST_NAMES = 400_000;
const TRIES = 5;

const known = new Map<string, Known>();
let names = 0;

/** "shut" when it is there and cannot be listed, or keeps being moved; null when there is no such folder. A link is none, nor is a path behind one. */
export function readFolder(path: string): ListedFolder | "shut" | null {
  const stats = statExact(path);
  if (!stats?.isDirectory()) return null;
  const before = recall(path, stats);
  if (before) return before;
  for (let tries = 1; ; tries++) {
    try {
      return withPinned(pinDirectory(path), (dir) => listHeld(dir, path)) ?? "shut";
    } catch (error) {
      if (!(error instanceof Moved)) return ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "") ? null : "shut";
      if (tries === TRIES) return "shut";
    }
  }
}

/** What is in a folder that is held open. `path` is what it is called. Null when it cannot be listed. */
export function listHeld(dir: Pinned, path: string): ListedFolder | null {
  const stats = fstatSync(dir.fd, { bigint: true });
  const before = recall(path, stats);
  if (before) return before;
  const now = Date.now();
  const entries = listEntries(dir);
  if (entries === null) return null;
  const folder = newFolder(path, stats, entries);
  if (names + entries.length > MOST_NAMES) {
    known.clear();
    names = 0;
  }
  names += entries.length - (known.get(path)?.folder.entries.length ?? 0);
  known.set(path, { folder, isSettled: Number(stats.ctimeNs / 1_000_000n) < now - STEP_MS });
  return folder;
}

/** The folder as it was read before, if it is that one and did not change. */
export function recall(path: string, stats: BigIntStats): ListedFolder | null {
  const before = known.get(path);
  return before?.isSettled && before.folder.mark === markOf(stats) ? before.folder : null;
}

/** The time of the last change of its entries cannot be set back; the other one can. */
export const markOf = (stats: BigIntStats): string => `${entryIdentity(stats)} ${stats.ctimeNs}`;

function newFolder(path: string, stats: BigIntStats, entries: readonly FolderEntry[]): ListedFolder {
  const made = new Map<object, unknown>();
  const folder: ListedFolder = {
    path,
    identity: entryIdentity(stats),
    mark: markOf(stats),
    entries,
    derived<T>(by: object, make: (folder: ListedFolder) => T): T {
      if (!made.has(by)) made.set(by, make(folder));
      return made.get(by) as T;
    },
  };
  return folder;
}

function listEntries({ here }: Pinned): FolderEntry[] | null {
  return attempt(() => {
    const entries = readdirSync(here, { withFileTypes: true });
    if (!entries.some(({ name }) => name.includes("\ufffd"))) return entries.map((entry) => ({ name: entry.name, kind: entryKind(entry) }));
    return readdirSync(here, { withFileTypes: true, encoding: "buffer" }).map((entry) => {
      const name = entry.name.toString();
      return { name, kind: entryKind(entry), ...(!Buffer.from(name).equals(entry.name) && { bytes: entry.name }) };
    });
  }, null);
}

/** The name by which an entry is looked up in its folder. */
export const entryName = ({ name, bytes }: FolderEntry): EntryName => bytes ?? name;

export const childPath = (folder: string, name: string): string => (folder === "/" ? `/${name}` : `${folder}/${name}`);

/** A long look around, in steps: other work may come between two of them. */
export type Steps<T> = Generator<void, T>;

export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export async function finishInTurns<T>(steps: Steps<T>): Promise<T> {
  const pace = createPace();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pace.step();
  }
}
