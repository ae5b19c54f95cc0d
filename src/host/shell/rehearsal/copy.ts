import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  type Stats,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { copyFile, readdir } from "node:fs/promises";
import { ToolError } from "../../../core/error.ts";
import { readOwnText } from "../../../files/own-file.ts";
import { entryIdentity } from "../../../files/stat.ts";
import { createPace } from "../../../text/pace.ts";
import { descriptorPath, openFileInside, type Pinned, pinInside, withPinnedAsync } from "../../files/pin.ts";
import { entryMark } from "./changes.ts";

const MOST_FILES = 50_000;
const MOST_BYTES = 2 * 1024 ** 3;
const MOST_DEEP = 200;

export interface CopyOptions {
  /** Folders that are left out, by their bytes from the root on. */
  readonly isSkipped: (path: string) => boolean;
  readonly signal: AbortSignal;
}

export interface CopiedTree {
  /** What each entry of the copy was when it was made. */
  readonly marks: ReadonlyMap<string, string>;
  /** Folders that were left out, with their device and number. */
  readonly skipped: ReadonlyMap<string, string>;
}

/** How many entries there are, by their names alone: a folder that is too large is refused before anything of it is copied. */
export async function refuseTooLarge(from: Pinned, options: CopyOptions): Promise<void> {
  let count = 0;
  const walk = async (dir: Pinned, at: string, depth: number): Promise<void> => {
    options.signal.throwIfAborted();
    if (depth > MOST_DEEP) throw tooLarge(`folders nested deeper than ${MOST_DEEP} levels`);
    for (const entry of await readdir(dir.here, { withFileTypes: true, encoding: "buffer" })) {
      if (++count > MOST_FILES) throw tooLarge(`more than ${MOST_FILES.toLocaleString("en")} files`);
      const path = `${at}/${entry.name.toString("latin1")}`;
      if (!entry.isDirectory() || options.isSkipped(path)) continue;
      await withPinnedAsync(pinInside(dir, entry.name), (inner) => walk(inner, path, depth + 1));
    }
  };
  await walk(from, "", 0);
}

/** Copies what is below one held folder into another. Clones where the file system can. Links are copied as links, and nothing is followed. */
export async function copyBelow(from: Pinned, to: Pinned, options: CopyOptions): Promise<CopiedTree> {
  const marks = new Map<string, string>();
  const skipped = new Map<string, string>();
  const pace = createPace(options.signal);
  let bytes = 0;
  let count = 0;
  const walk = async (source: Pinned, target: Pinned, at: string): Promise<void> => {
    for (const name of await readdir(source.here, { encoding: "buffer" })) {
      options.signal.throwIfAborted();
      if (++count > MOST_FILES) throw tooLarge(`more than ${MOST_FILES.toLocaleString("en")} files`);
      await pace.step();
      const path = `${at}/${name.toString("latin1")}`;
      const stats = lstatSync(source.at(name));
      if (stats.isSymbolicLink()) symlinkSync(readlinkSync(source.at(name), "buffer"), target.at(name));
      else if (stats.isDirectory()) {
        mkdirSync(target.at(name), 0o700);
        if (options.isSkipped(path)) skipped.set(path, entryIdentity(stats));
        else
          await withPinnedAsync(pinInside(source, name), (inner) =>
            withPinnedAsync(pinInside(target, name), (copy) => walk(inner, copy, path)),
          );
      } else if (stats.isFile()) {
        bytes += stats.size;
        if (bytes > MOST_BYTES) throw tooLarge(`more than ${MOST_BYTES / 1024 ** 3} GiB`);
        await copyOne(source, target, name);
      } else continue;
      settle(target, name, stats);
      marks.set(path, entryMark(lstatSync(target.at(name))));
    }
  };
  await walk(from, to, "");
  const { mode, uid, gid } = fstatSync(from.fd);
  if (process.getuid?.() === 0) chownSync(to.here, uid, gid);
  chmodSync(to.here, mode & 0o1777);
  return { marks, skipped };
}

async function copyOne(source: Pinned, target: Pinned, name: Buffer): Promise<void> {
  const { fd } = openFileInside(source, name);
  try {
    await copyFile(descriptorPath(fd, source.at(name)), target.at(name), constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  } finally {
    closeSync(fd);
  }
}

function settle(target: Pinned, name: Buffer, stats: Stats): void {
  // Only root can give a file to its owner.
  if (process.getuid?.() === 0) lchownSync(target.at(name), stats.uid, stats.gid);
  if (stats.isSymbolicLink()) return;
  chmodSync(target.at(name), stats.mode & 0o7777);
  utimesSync(target.at(name), stats.atime, stats.mtime);
}

const tooLarge = (what: string) =>
  new ToolError(
    "permanent_failure",
    `The workspace holds ${what}, which is too much to try a command on a copy, and no overlay can be mounted here. Start in a smaller folder.`,
  );

const MOST_IGNORED = 65_536;

/** Folders that `.gitignore` leaves out by their plain names. Patterns are not read: what is not understood is copied. */
export function ignoredFolders(root: Pinned): (path: string) => boolean {
  const lines = (readOwnText(root.at(".gitignore"), { maxBytes: MOST_IGNORED, links: "refuse" }) ?? "")
    .split("\n")
    .map((line) => line.trim());
  if (lines.some((line) => line.startsWith("!"))) return () => false;
  const plain = lines.filter((line) => /^\/?[\w.@+-]+\/?$/.test(line)).map((line) => line.replace(/\/$/, ""));
  const [anchored, anywhere] = [
    new Set(plain.filter((line) => line.startsWith("/"))),
    new Set(plain.filter((line) => !line.startsWith("/"))),
  ];
  return (path) => anchored.has(path) || anywhere.has(path.slice(path.lastIndexOf("/") + 1));
}

/** The same for a root that is a single file. */
export async function copyFileRoot(parent: Pinned, name: string, to: Pinned): Promise<void> {
  const bytes = Buffer.from(name);
  await copyOne(parent, to, bytes);
  settle(to, bytes, lstatSync(parent.at(bytes)));
}
