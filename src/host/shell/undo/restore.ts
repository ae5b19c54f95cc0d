import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  futimesSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { copyFile, readdir } from "node:fs/promises";
import type { Matcher } from "../../../text/glob.ts";
import { createPace } from "../../../text/pace.ts";
import { discardEntry } from "../../files/discard.ts";
import { descriptorPath, Moved, type Pinned, pinInside, whereIs, withPinnedAsync } from "../../files/pin.ts";
import type { Saved, SavedFolder, SavedRoot } from "./snapshot.ts";

export interface Restored {
  readonly restored: readonly string[];
  readonly removed: readonly string[];
  /** Folders that were moved meanwhile; what they held was put back where they are now. */
  readonly moved: readonly string[];
}

/**
 * Puts back what was saved. Every step names one entry of a folder that is held open, so that a folder somebody moved away, or a link in its
 * place, never leads to another place.
 */
export async function restoreRoots(roots: readonly SavedRoot[], inScope: Matcher): Promise<Restored> {
  const work = new Restoring(inScope);
  for (const root of roots) await work.restoreRoot(root);
  if (work.failed.length > 0) throw new Error(`only a part could be put back; by hand: ${work.failed.slice(0, 10).join("; ")}`);
  const moved = roots.flatMap(({ held, from }) =>
    whereIs(held) === from || whereIs(held) === held.here ? [] : [`${from} to ${whereIs(held)}`],
  );
  return { restored: work.restored, removed: work.removed, moved: [...new Set(moved)] };
}

class Restoring {
  readonly removed: string[] = [];
  readonly restored: string[] = [];
  readonly failed: string[] = [];
  readonly #inScope: Matcher;
  readonly #pace = createPace();

  constructor(inScope: Matcher) {
    this.#inScope = inScope;
  }

  async restoreRoot({ path, held, way, was }: SavedRoot): Promise<void> {
    if (way.length > 1) return this.#restoreBelow(held, way, path);
    await this.#attempt(path, async () => {
      if (way.length === 1) await this.#restoreEntry(held, Buffer.from(way[0]!), was, path);
      else if (was?.kind === "folder") await this.#restoreFolder(held, was, path);
    });
  }

  /** There was nothing, not even the folder around it: what is there now is new, unless a link leads to it. */
  async #restoreBelow(held: Pinned, [name, ...rest]: readonly string[], path: string): Promise<void> {
    await this.#attempt(path, async () => {
      if (rest.length === 0) return this.#restoreEntry(held, Buffer.from(name!), null, path);
      if (!look(held, Buffer.from(name!))?.isDirectory()) return;
      await withPinnedAsync(pinInside(held, name!), (dir) => this.#restoreBelow(dir, rest, path));
    });
  }

  async #restoreEntry(parent: Pinned, name: Buffer, was: Saved | null, path: string): Promise<void> {
    await this.#pace.step();
    const now = look(parent, name);
    if (now && this.#isNew(now, was, path)) {
      discardEntry(parent, name);
      this.removed.push(path);
    }
    if (was === null) return;
    const left = look(parent, name);
    if (was.kind === "folder") return this.#restoreFolderAt(parent, name, was, left, path);
    if (left && isSame(left, was.stats)) return;
    await putBack(parent, name, was, left);
    this.restored.push(path);
  }

  async #restoreFolderAt(parent: Pinned, name: Buffer, was: SavedFolder, now: Stats | null, path: string): Promise<void> {
    if (!now) mkdirSync(parent.at(name), 0o700);
    await withPinnedAsync(pinInside(parent, name), (dir) => this.#restoreFolder(dir, was, path));
  }

  async #restoreFolder(dir: Pinned, { stats, children }: SavedFolder, path: string): Promise<void> {
    const before = fstatSync(dir.fd);
    // What a command locked must be open before anything in it can be seen.
    if ((before.mode & 0o700) !== 0o700) chmodSync(dir.here, 0o700);
    const names = new Set([...children.keys(), ...(await readdir(dir.here, { encoding: "latin1" }))]);
    for (const key of names) {
      const name = Buffer.from(key, "latin1");
      const below = `${path === "/" ? "" : path}/${name}`;
      await this.#attempt(below, () => this.#restoreEntry(dir, name, children.get(key) ?? null, below));
    }
    // Last of all: a folder that was closed stays open for as long as something is put into it.
    const mode = stats.mode & 0o7777;
    if ((fstatSync(dir.fd).mode & 0o7777) !== mode) chmodSync(dir.here, mode);
    if ((before.mode & 0o7777) !== mode) this.restored.push(path);
  }

  /** What exists now and did not before. A new folder stands for everything in it. */
  #isNew(now: Stats, was: Saved | null, path: string): boolean {
    if (was === null) return now.isDirectory() || this.#inScope(path);
    return now.isDirectory() !== (was.kind === "folder");
  }

  async #attempt(path: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failed.push(`${path}: ${error instanceof Moved ? "it is moved about or replaced by a link" : (error as Error).message}`);
    }
  }
}

function look(parent: Pinned, name: Buffer): Stats | null {
  return lstatSync(parent.at(name), { throwIfNoEntry: false }) ?? null;
}

/** By rename, so that nobody ever sees half a file. */
async function putBack(parent: Pinned, name: Buffer, was: Exclude<Saved, SavedFolder>, now: Stats | null): Promise<void> {
  if (was.kind === "other") {
    if (now === null) throw new Error("it was a socket, a pipe or a device, and cannot be made again");
    return;
  }
  const temporary = Buffer.from(`.zeph-${randomUUID()}.tmp`);
  try {
    if (was.kind === "link") {
      symlinkSync(was.target, parent.at(temporary));
      // Only root can give a file back to its owner, and only root can have taken it.
      if (process.getuid?.() === 0) lchownSync(parent.at(temporary), was.stats.uid, was.stats.gid);
    } else await copyBack(parent, temporary, was.copy, was.stats);
    renameSync(parent.at(temporary), parent.at(name));
  } catch (error) {
    discardEntry(parent, temporary);
    throw error;
  }
}

/** Through the open file alone: its name may lead elsewhere a moment later. */
async function copyBack(parent: Pinned, temporary: Buffer, copy: string, { mode, uid, gid, atime, mtime }: Stats): Promise<void> {
  const fd = openSync(parent.at(temporary), "wx", 0o600);
  try {
    await copyFile(copy, descriptorPath(fd, parent.at(temporary)), constants.COPYFILE_FICLONE);
    if (process.getuid?.() === 0) fchownSync(fd, uid, gid);
    fchmodSync(fd, mode & 0o7777);
    futimesSync(fd, atime, mtime);
  } finally {
    closeSync(fd);
  }
}

/** Only what the command changed is put back. The time of the last change of any kind: unlike the time of writing, no command can set it back. */
const isSame = (now: Stats, was: Stats): boolean =>
  now.ino === was.ino && now.size === was.size && now.ctimeMs === was.ctimeMs && now.mode === was.mode;
