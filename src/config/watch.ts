import { type FSWatcher, lstatSync, realpathSync, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../text/attempt.ts";

export interface WatchParts {
  /** Whether they exist or not. Asked again and again: which files count may change with what is in them. */
  files(): readonly string[];
  /** A file is not what it was, is there now, or is gone. Several changes at once are told once. */
  changed(): Promise<unknown>;
}

/** A file may be written in pieces, or several files one after the other: a change is over when nothing has moved for so long, at the latest after `LONGEST_MS`. */
const QUIET_MS = 100;
const LONGEST_MS = 1000;
const POLL_MS = 1000;
const MOST_FOLDERS = 16;

/**
 * Watches files for change. What the system tells about the folders around them only wakes it; a file has changed when it looks different.
 * That way it is all the same how an editor writes. It keeps no process alive.
 */
export function watchFiles({ files, changed }: WatchParts): { close(): void } {
  const folders = watchedFolders(() => wake());
  let isOpen = true;
  let seen = looks(files());
  let timer: NodeJS.Timeout | undefined;
  let woken: number | null = null;
  let looking: Promise<void> = Promise.resolve();

  const wake = () => {
    if (!isOpen) return;
    const now = performance.now();
    woken ??= now;
    clearTimeout(timer);
    timer = setTimeout(
      () => {
        woken = null;
        looking = looking.then(look).catch(() => {});
      },
      Math.min(QUIET_MS, Math.max(0, woken + LONGEST_MS - now)),
    );
    timer.unref();
  };
  const look = async () => {
    if (!isOpen) return;
    const before = files();
    folders.keepTo(before);
    const now = looks(before);
    if (before.every((file) => now.get(file) === seen.get(file))) return;
    // Remembered before it is read: what changes meanwhile has changed again.
    seen = now;
    await changed();
    if (!isOpen) return;
    // Other files may count now. The next look begins with watching where they are.
    seen = new Map([...looks(files())].map(([file, look]) => [file, now.get(file) ?? look]));
    wake();
  };
  folders.keepTo(files());
  // Between the first look and the first watch something may have happened.
  wake();
  return {
    close() {
      isOpen = false;
      clearTimeout(timer);
      folders.close();
    },
  };
}

/** Wakes for whatever happens in the folders around some files; where the system cannot tell, every second. */
function watchedFolders(wake: () => void) {
  const open = new Map<string, { readonly watcher: FSWatcher; readonly id: string }>();
  let poll: NodeJS.Timeout | undefined;
  const drop = (folder: string) => {
    open.get(folder)?.watcher.close();
    open.delete(folder);
  };
  const begin = (folder: string, id: string): boolean => {
    try {
      const watcher = watch(folder, { persistent: false }, wake);
      open.set(folder, { watcher, id });
      // A folder that is gone, or a system that has no more to give. The next look finds out.
      watcher.on("error", () => {
        drop(folder);
        wake();
      });
      return true;
    } catch {
      return false;
    }
  };
  return {
    keepTo(files: readonly string[]) {
      const wanted = new Map([...new Set(files.flatMap(foldersAround))].map((folder) => [folder, identityOf(folder)]));
      for (const [folder, { id }] of [...open]) if (wanted.get(folder) !== id) drop(folder);
      let missing = wanted.size > MOST_FOLDERS;
      for (const [folder, id] of [...wanted].slice(0, MOST_FOLDERS)) missing = !(open.has(folder) || begin(folder, id)) || missing;
      clearInterval(poll);
      poll = missing ? setInterval(wake, POLL_MS).unref() : undefined;
    },
    close() {
      clearInterval(poll);
      for (const folder of [...open.keys()]) drop(folder);
    },
  };
}

/** An editor puts another file in the place of the old one, so folders are watched; that of a link, and that of what it leads to. */
const foldersAround = (file: string): string[] => [...new Set([file, realOf(file)].map((path) => nearestFolder(dirname(path))))];

/** Where a folder would have to appear that is not there yet. */
const nearestFolder = (folder: string): string =>
  isFolder(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder));

const isFolder = (path: string): boolean => attempt(() => statSync(path).isDirectory(), false);

const realOf = (path: string): string => attempt(() => realpathSync(path), path);

/** What some files look like now, in one word: another one when any of them was written, replaced, made or removed. Nothing is read. */
export const lookAt = (files: readonly string[]): string => files.map(lookOf).join("; ");

const looks = (files: readonly string[]): Map<string, string> => new Map(files.map((file) => [file, lookOf(file)]));

/** A link, and what it leads to. */
function lookOf(file: string): string {
  try {
    const own = lstatSync(file, { bigint: true, throwIfNoEntry: false });
    if (!own) return "gone";
    return [own, ...(own.isSymbolicLink() ? [statSync(file, { bigint: true })] : [])]
      .map(({ dev, ino, size, mtimeNs, ctimeNs }) => [dev, ino, size, mtimeNs, ctimeNs].join(" "))
      .join(", ");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unknown";
  }
}

/** Which folder it is, whatever is in it. */
function identityOf(folder: string): string {
  const { dev, ino } = attempt(() => statSync(folder, { bigint: true }), { dev: "gone", ino: "" });
  return `${dev} ${ino}`;
}
