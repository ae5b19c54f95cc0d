import { closeSync, constants, fstatSync, lstatSync, readlinkSync, type Stats } from "node:fs";
import { copyFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { compileGlob, type Matcher } from "../../../text/glob.ts";
import { createPace } from "../../../text/pace.ts";
import { isWithin, parentOf } from "../../../text/path.ts";
import { descriptorPath, Moved, openFileInside, type Pinned, pinDirectory, pinInside, withPinnedAsync } from "../../files/pin.ts";
import { createTemporary } from "../../temporary.ts";
import { type Restored, restoreRoots } from "./restore.ts";

/** What a command may change, saved before it runs. */
export interface Snapshot {
  /** Puts back what changed since and removes what is new. Throws when a part of it could not be put back. */
  restore(): Promise<Restored>;
  drop(): Promise<void>;
}

export interface SnapshotOptions {
  /** Canonical paths the command touches: everything at and below them is saved. */
  readonly paths: readonly string[];
  /** Folders no command can move. What is to be put back is named from inside of them. */
  readonly fixed: readonly string[];
  /** Only what matches, relative to `base`, is saved. */
  readonly scope: readonly string[];
  readonly base: string;
  /** 0 means no cap. */
  readonly maxBytes: number;
}

/** One saved path. The folder is held open from the snapshot to its end: whatever its name leads to later, this is what is put right. */
export interface SavedRoot {
  readonly path: string;
  readonly held: Pinned;
  /** Where the held folder was. */
  readonly from: string;
  /** The names from the held folder to the path; none when the path is that folder. */
  readonly way: readonly string[];
  /** Null when there was nothing. */
  readonly was: Saved | null;
}

export type Saved = SavedFolder | SavedFile | SavedLink | SavedOther;
export interface SavedFolder {
  readonly kind: "folder";
  readonly stats: Stats;
  /** By the bytes of the name, each a character: not every name is text. */
  readonly children: ReadonlyMap<string, Saved>;
}
interface SavedFile {
  readonly kind: "file";
  readonly stats: Stats;
  /** Where the content is kept. */
  readonly copy: string;
}
interface SavedLink {
  readonly kind: "link";
  readonly stats: Stats;
  readonly target: Buffer;
}
/** A socket or a pipe has no content to save; it is known, so that it is not taken for new. */
interface SavedOther {
  readonly kind: "other";
  readonly stats: Stats;
}

export async function takeSnapshot({ paths, fixed, scope, base, maxBytes }: SnapshotOptions): Promise<Snapshot> {
  const inScope = scopeMatcher(scope, base);
  const folder = createTemporary({ kind: "snapshot" });
  const saver = new Saver(folder.path, inScope, maxBytes);
  const roots: SavedRoot[] = [];
  const drop = async () => {
    for (const { held } of roots.splice(0)) held.close();
    folder.remove();
  };
  try {
    for (const path of outermost(paths)) roots.push(await saver.saveRoot(path, fixed.includes(path)));
  } catch (error) {
    await drop();
    throw error instanceof Moved ? new Error("a folder was moved or replaced by a link while it was saved") : error;
  }
  return { restore: () => restoreRoots(roots, inScope), drop };
}

const MAX_DEPTH = 200;

class Saver {
  readonly #folder: string;
  readonly #inScope: Matcher;
  readonly #maxBytes: number;
  readonly #pace = createPace();
  #bytes = 0;
  #copies = 0;

  constructor(folder: string, inScope: Matcher, maxBytes: number) {
    this.#folder = folder;
    this.#inScope = inScope;
    this.#maxBytes = maxBytes;
  }

  async saveRoot(path: string, isFixed: boolean): Promise<SavedRoot> {
    const from = isFixed || path === "/" ? path : nearestFolder(parentOf(path));
    const held = pinDirectory(from);
    try {
      const way = path === from ? [] : path.slice(from === "/" ? 1 : from.length + 1).split("/");
      return { path, held, from, way, was: await this.#saveAt(held, way, path) };
    } catch (error) {
      held.close();
      throw error;
    }
  }

  async #saveAt(held: Pinned, way: readonly string[], path: string): Promise<Saved | null> {
    if (way.length === 0) return this.#saveFolder(held, path, 0);
    // More than one name: the first of them is not there.
    return way.length > 1 ? null : this.#save(held, Buffer.from(way[0]!), path, 0);
  }

  async #save(parent: Pinned, name: Buffer, path: string, depth: number): Promise<Saved | null> {
    await this.#pace.step();
    const stats = lstatSync(parent.at(name), { throwIfNoEntry: false });
    if (!stats || !(stats.isDirectory() || this.#inScope(path))) return null;
    if (stats.isDirectory()) return withPinnedAsync(pinInside(parent, name), (dir) => this.#saveFolder(dir, path, depth));
    if (stats.isSymbolicLink()) return { kind: "link", stats, target: readlinkSync(parent.at(name), { encoding: "buffer" }) };
    return stats.isFile() ? this.#saveFile(parent, name) : { kind: "other", stats };
  }

  async #saveFolder(dir: Pinned, path: string, depth: number): Promise<SavedFolder> {
    if (depth > MAX_DEPTH) throw new Error(`${path}: folders nested deeper than ${MAX_DEPTH} levels are not saved`);
    const stats = fstatSync(dir.fd);
    const children = new Map<string, Saved>();
    for (const name of await readdir(dir.here, { encoding: "buffer" })) {
      const saved = await this.#save(dir, name, `${path === "/" ? "" : path}/${name}`, depth + 1);
      if (saved) children.set(name.toString("latin1"), saved);
    }
    return { kind: "folder", stats, children };
  }

  async #saveFile(parent: Pinned, name: Buffer): Promise<SavedFile> {
    const { fd, stats } = openFileInside(parent, name);
    try {
      this.#bytes += stats.size;
      if (this.#maxBytes > 0 && this.#bytes > this.#maxBytes)
        throw new Error(`more than ${this.#maxBytes} bytes would have to be saved (tools.shell.max_snapshot_bytes)`);
      const copy = join(this.#folder, String(this.#copies++));
      // A clone costs nothing where the file system can make one.
      await copyFile(descriptorPath(fd, parent.at(name)), copy, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      return { kind: "file", stats, copy };
    } finally {
      closeSync(fd);
    }
  }
}

/** What does not exist yet may be made by the command, with folders before it. */
function nearestFolder(path: string): string {
  const isFolder = path === "/" || lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
  return isFolder ? path : nearestFolder(parentOf(path));
}

const outermost = (paths: readonly string[]): string[] => {
  const all = [...new Set(paths)].sort();
  return all.filter((path) => !all.some((other) => other !== path && isWithin(other, path)));
};

function scopeMatcher(scope: readonly string[], base: string): Matcher {
  const globs = scope.map((glob) => compileGlob(glob.startsWith("/") ? glob : `${base}/${glob}`, { flavour: "path", letters: "exact" }));
  return (path) => globs.some((matches) => matches(path));
}
