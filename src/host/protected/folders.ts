import { readdirSync } from "node:fs";
import { type EntryKind, entryIdentity, entryKind, statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { createPace } from "../../text/pace.ts";

export interface FolderEntry {
  readonly name: string;
  readonly kind: EntryKind;
}

/** A folder as it was when it was last read. */
export interface ListedFolder {
  readonly path: string;
  readonly entries: readonly FolderEntry[];
  /** What somebody made of the entries; made again only when they changed. */
  derived<T>(by: object, make: (folder: ListedFolder) => T): T;
}

/** Reading every folder of a workspace at each command would be slow: one that did not change since is not read again. */
interface Known {
  readonly folder: ListedFolder;
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
export function readFolder(path: string): ListedFolder | "shut" | null {
  const stats = statExact(path);
  if (!stats?.isDirectory()) return null;
  // The time of the last change of its entries cannot be set back; the other one can.
  const mark = `${entryIdentity(stats)} ${stats.ctimeNs}`;
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

function newFolder(path: string, entries: readonly FolderEntry[]): ListedFolder {
  const made = new Map<object, unknown>();
  const folder: ListedFolder = {
    path,
    entries,
    derived<T>(by: object, make: (folder: ListedFolder) => T): T {
      if (!made.has(by)) made.set(by, make(folder));
      return made.get(by) as T;
    },
  };
  return folder;
}

const listed = (path: string): FolderEntry[] | null =>
  attempt(
    () =>
      readdirSync(path, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        kind: entryKind(entry),
      })),
    null,
  );

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
