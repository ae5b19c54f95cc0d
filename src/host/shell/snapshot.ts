import { constants, type Stats } from "node:fs";
import { chmod, copyFile, lchown, lstat, mkdir, readdir, readlink, rename, rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { compileGlob, type Matcher } from "../../core/glob.ts";
import { isWithin, nameOf, parentOf } from "../../core/path.ts";
import { createTemporary } from "../temporary.ts";

/** What a command may change, saved before it runs. */
export interface Snapshot {
  /** Puts back what changed since and removes what is new. Throws when a part of it could not be put back. */
  restore(): Promise<Restored>;
  drop(): Promise<void>;
}
export interface Restored {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
}

export interface SnapshotOptions {
  /** Canonical paths the command touches: everything at and below them is saved. */
  readonly paths: readonly string[];
  /** Only what matches, relative to `base`, is saved. */
  readonly scope: readonly string[];
  readonly base: string;
  /** 0 means no cap. */
  readonly maxBytes: number;
}

interface Saved {
  readonly stats: Stats;
  /** Where the content is kept; null for a folder. */
  readonly copy: string | null;
  readonly target?: string;
}

export async function takeSnapshot({ paths, scope, base, maxBytes }: SnapshotOptions): Promise<Snapshot> {
  const roots = outermost(paths);
  const inScope = scopeMatcher(scope, base);
  const folder = createTemporary({ kind: "snapshot" });
  const saved = new Map<string, Saved>();
  let bytes = 0;

  const save = async (path: string): Promise<void> => {
    const stats = await lstatOrNull(path);
    if (!stats || !(stats.isDirectory() || inScope(path))) return;
    if (stats.isDirectory()) {
      saved.set(path, { stats, copy: null });
      for (const name of await readdir(path)) await save(join(path, name));
    } else if (stats.isSymbolicLink()) saved.set(path, { stats, copy: null, target: await readlink(path) });
    else if (stats.isFile()) {
      bytes += stats.size;
      if (maxBytes > 0 && bytes > maxBytes)
        throw new Error(`more than ${maxBytes} bytes would have to be saved (tools.shell.max_snapshot_bytes)`);
      const copy = join(folder.path, String(saved.size));
      // A clone costs nothing where the file system can make one.
      await copyFile(path, copy, constants.COPYFILE_FICLONE);
      saved.set(path, { stats, copy });
    }
    // A socket or a pipe has no content to save; it is known, so that it is not taken for new.
    else saved.set(path, { stats, copy: null });
  };
  const drop = async () => folder.remove();
  try {
    for (const root of roots) await save(root);
  } catch (error) {
    await drop();
    throw error;
  }
  return { restore: () => restore(roots, saved, inScope), drop };
}

async function restore(roots: readonly string[], saved: ReadonlyMap<string, Saved>, inScope: Matcher): Promise<Restored> {
  const removed: string[] = [];
  const restored: string[] = [];
  const failed: string[] = [];
  const attempt = async (path: string, work: () => Promise<void>, done: string[]) => {
    try {
      await work();
      done.push(path);
    } catch (error) {
      failed.push(`${path}: ${(error as Error).message}`);
    }
  };

  // First of all the folders: what a command locked must be open before anything in it can be seen.
  for (const [path, { stats }] of saved) if (stats.isDirectory()) await unlock(path, stats);
  for (const root of roots) for (const path of await newBelow(root, saved, inScope)) await attempt(path, () => removeAll(path), removed);
  // Folders come before what is in them: a map keeps the order in which it was filled.
  for (const [path, was] of saved) {
    const now = await lstatOrNull(path);
    if (now && isSame(now, was.stats)) continue;
    await attempt(path, () => putBack(path, was, now), restored);
  }
  if (failed.length > 0) throw new Error(`only a part could be put back; by hand: ${failed.slice(0, 10).join("; ")}`);
  return { restored, removed };
}

/** Its owner may go into it again; the saved mode is put back at the end. */
async function unlock(path: string, { mode }: Stats): Promise<void> {
  const now = await lstatOrNull(path).catch(() => null);
  if (now?.isDirectory() && (now.mode & 0o700) !== 0o700) await chmod(path, (mode & 0o7777) | 0o700).catch(() => {});
}

async function removeAll(path: string): Promise<void> {
  const stats = await lstatOrNull(path);
  if (stats?.isDirectory()) {
    await unlock(path, stats);
    for (const name of await readdir(path)) await removeAll(join(path, name));
  }
  await rm(path, { recursive: true, force: true });
}

/** What exists now and did not before. A new folder stands for everything in it. */
async function newBelow(path: string, saved: ReadonlyMap<string, Saved>, inScope: Matcher): Promise<string[]> {
  const now = await lstatOrNull(path);
  if (!now) return [];
  const was = saved.get(path);
  if (was && was.stats.isDirectory() !== now.isDirectory()) return [path];
  if (!was) return now.isDirectory() || inScope(path) ? [path] : [];
  if (!now.isDirectory()) return [];
  const found: string[] = [];
  for (const name of await readdir(path)) found.push(...(await newBelow(join(path, name), saved, inScope)));
  return found;
}

/** By rename, so that nobody ever sees half a file. */
async function putBack(path: string, { stats, copy, target }: Saved, now: Stats | null): Promise<void> {
  if (copy === null && target === undefined && !stats.isDirectory()) {
    if (now === null) throw new Error("it was a socket, a pipe or a device, and cannot be made again");
    return;
  }
  if (stats.isDirectory()) {
    if (!now?.isDirectory()) await mkdir(path, { recursive: true });
    await chmod(path, stats.mode & 0o7777);
    return;
  }
  const temporary = join(parentOf(path), `.${nameOf(path)}.zeph-restore`);
  await rm(temporary, { force: true });
  if (target !== undefined) await symlink(target, temporary);
  else {
    await copyFile(copy!, temporary, constants.COPYFILE_FICLONE);
    await chmod(temporary, stats.mode & 0o7777);
    await utimes(temporary, stats.atime, stats.mtime);
  }
  // Only root can give a file back to its owner, and only root can have taken it.
  if (process.getuid?.() === 0) await lchown(temporary, stats.uid, stats.gid);
  if (now?.isDirectory()) await rm(path, { recursive: true });
  await rename(temporary, path);
}

/** Only what the command changed is put back. A folder's times change with its content, so for it the mode counts alone. */
function isSame(now: Stats, was: Stats): boolean {
  if (was.isDirectory()) return now.isDirectory() && now.mode === was.mode;
  // The time of the last change of any kind: unlike the time of writing, no command can set it back.
  return now.ino === was.ino && now.size === was.size && now.ctimeMs === was.ctimeMs && now.mode === was.mode;
}

const outermost = (paths: readonly string[]): string[] => {
  const all = [...new Set(paths)].sort();
  return all.filter((path) => !all.some((other) => other !== path && isWithin(other, path)));
};

function scopeMatcher(scope: readonly string[], base: string): Matcher {
  const globs = scope.map((glob) => compileGlob(glob.startsWith("/") ? glob : `${base}/${glob}`, { flavour: "path", letters: "exact" }));
  return (path) => globs.some((matches) => matches(path));
}

async function lstatOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}
