import { lstatSync, readdirSync, type Stats } from "node:fs";
import { attempt } from "../../text/attempt.ts";

export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** A folder as it was when it was last read. */
export interface Folder {
  readonly path: string;
  readonly entries: readonly FolderEntry[];
  /** What somebody made of the entries; made again only when they changed. */
  derived<T>(by: object, make: (folder: Folder) => T): T;
}

/** Reading every folder of a workspace at each command would be slow: one that did not change since is not read again. */
interface Known {
  readonly folder: Folder;
  readonly mark: string;
  /** Its last change was long enough ago that another one would show in its times. */
  readonly isSettled: boolean;
}

/** Times of files are counted in steps of up to 10 ms. */
const STEP_MS = 100;
/** Names that are kept, of all folders together. */
const MOST_NAMES = 400_000;

const known = new Map<string, Known>();
let names = 0;

/** "shut" when it is there and cannot be listed; null when there is no such folder. A link is none. */
export function readFolder(path: string): Folder | "shut" | null {
  const stats = statsOf(path);
  if (!stats?.isDirectory()) return null;
  // The time of the last change of its entries cannot be set back; the other one can.
  const mark = `${stats.dev}:${stats.ino} ${stats.ctimeNs}`;
  const before = known.get(path);
  if (before?.isSettled && before.mark === mark) return before.folder;
  const now = Date.now();
  const entries = listed(path);
  if (entries === null) return "shut";
  const folder = newFolder(path, entries);
  if (names + entries.length > MOST_NAMES) {
    known.clear();
    names = 0;
  }
  names += entries.length - (before?.folder.entries.length ?? 0);
  known.set(path, { folder, mark, isSettled: Number(stats.ctimeNs / 1_000_000n) < now - STEP_MS });
  return folder;
}

/** Null for what is not there or cannot be looked at. A link counts, wherever it leads. */
export const statEntry = (path: string): Stats | null => attempt(() => lstatSync(path, { throwIfNoEntry: false }) ?? null, null);

function newFolder(path: string, entries: readonly FolderEntry[]): Folder {
  const made = new Map<object, unknown>();
  const folder: Folder = {
    path,
    entries,
    derived<T>(by: object, make: (folder: Folder) => T): T {
      if (!made.has(by)) made.set(by, make(folder));
      return made.get(by) as T;
    },
  };
  return folder;
}

const statsOf = (path: string) => attempt(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }), undefined);

const listed = (path: string): FolderEntry[] | null =>
  attempt(
    () =>
      readdirSync(path, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        kind: entry.isDirectory() ? "folder" : entry.isFile() ? "file" : entry.isSymbolicLink() ? "link" : "other",
      })),
    null,
  );

export const childPath = (folder: string, name: string): string => (folder === "/" ? `/${name}` : `${folder}/${name}`);

/** A long look around, in steps that somebody else may come between. */
export type Steps<T> = Generator<void, T>;

export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Nobody waits longer than this for a look around. */
const TURN_MS = 8;

export async function finishInTurns<T>(steps: Steps<T>): Promise<T> {
  for (let since = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - since < TURN_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    since = performance.now();
  }
}
