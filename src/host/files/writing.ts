import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  write as writeCallback,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";
import { fromErrno, ToolError } from "../../core/error.ts";
import type { Written } from "../../core/ports/host.ts";
import { nameOf, parentOf } from "../../text/path.ts";
import { partByName } from "../protected/changed-files.ts";
import type { EditorBuffers } from "./editor-buffers.ts";
import type { Leftovers } from "./leftovers.ts";
import type { PathRules } from "./paths.ts";
import { assertRegular, openFile, openFileInside, type Pinned, pinOrMake, withPinnedAsync } from "./pin.ts";
import { isDiffable, readForDiff, readWholeText } from "./reading.ts";

const writeChunk = promisify(writeCallback);
const CHUNK = 1024 * 1024;

/** Replaces or creates a file in one step: readers see the old text or the new one, never a part. What an editor lends comes first. */
export async function writeFile(
  rules: PathRules,
  leftovers: Leftovers,
  canonical: string,
  text: string,
  lent?: EditorBuffers,
): Promise<Written> {
  const bytes = Buffer.from(text, "utf8");
  return withPinnedAsync(pinOrMake(parentOf(canonical)), async (parent) => {
    const name = nameOf(canonical);
    const existing = lstatSync(parent.at(name), { throwIfNoEntry: false });
    if (existing) assertWritable(existing, parent.at(name), canonical);
    // A diff shows the old text, so it is a read.
    const before = !existing
      ? null
      : (await rules.mayReadOpen(canonical, existing))
        ? undefined
        : await forDiff(parent, name, canonical, lent);
    if (await lent?.write(canonical, text)) return { path: canonical, before, bytes: bytes.length };
    await swapIn(rules, parent, canonical, leftovers, (fd) => fill(fd, bytes, existing));
    return { path: canonical, before, bytes: bytes.length };
  });
}

async function forDiff(parent: Pinned, name: string, canonical: string, lent: EditorBuffers | undefined): Promise<string | undefined> {
  const shown = await lent?.read(canonical);
  if (shown === undefined) return readForDiff(openFileInside(parent, name));
  return isDiffable(shown) ? shown : undefined;
}

/** As writeFile, for a change made from `before`: refused when that is no longer what the file says, or the editor shows. */
export async function replaceFileText(
  rules: PathRules,
  leftovers: Leftovers,
  canonical: string,
  before: string,
  after: string,
  lent?: EditorBuffers,
): Promise<Written> {
  return withPinnedAsync(pinOrMake(parentOf(canonical)), async (parent) => {
    const name = nameOf(canonical);
    const file = openFile(canonical);
    const { stats } = file;
    const onDisk = readWholeText(file, canonical);
    const shown = await lent?.read(canonical);
    if ((shown ?? onDisk) !== before) throw changedMeanwhile(canonical);
    assertWritable(stats, parent.at(name), canonical);
    const written = { path: canonical, before, bytes: Buffer.byteLength(after) };
    if (await lent?.write(canonical, after)) return written;
    const bytes = Buffer.from(shown === undefined ? after : withLineEnds(onDisk, after));
    await swapIn(rules, parent, canonical, leftovers, async (fd) => {
      await fill(fd, bytes, stats);
      // Writing a large file takes a while, and someone else may have been faster.
      if (!isSame(stats, lstatSync(parent.at(name), { throwIfNoEntry: false }))) throw changedMeanwhile(canonical);
    });
    return { ...written, bytes: bytes.length };
  });
}

/** Editors show every line end as `\n` and put the file's own back when they save. */
const withLineEnds = (onDisk: string, text: string) =>
  onDisk.includes("\r\n") && !/(^|[^\r])\n/.test(onDisk) ? text.replace(/\r?\n/g, "\r\n") : text;

const changedMeanwhile = (path: string) =>
  new ToolError("permanent_failure", `${path} changed while it was being edited. Read it again, then edit.`);

const isSame = (was: Stats, now: Stats | undefined) =>
  now !== undefined && now.ino === was.ino && now.dev === was.dev && now.size === was.size && now.mtimeMs === was.mtimeMs;

/** A rename needs no right to the file itself, so a file its owner made read-only is asked about here. */
function assertWritable(stats: Stats, path: string, shown: string): void {
  assertRegular(stats, shown);
  try {
    accessSync(path, constants.W_OK);
  } catch (error) {
    throw fromErrno(error, shown) ?? error;
  }
}

/**
 * Fills a temporary file beside the target and renames it, or writes its content into a file that walls may hold. Whatever fails, the temporary file
 * goes; a target that is replaced stays as it was.
 */
export async function swapIn(
  rules: PathRules,
  parent: Pinned,
  path: string,
  leftovers: Leftovers,
  filling: (fd: number) => Promise<void>,
): Promise<void> {
  const temporary = leftovers.reserve(parentOf(path));
  const name = nameOf(path);
  try {
    const fd = openSync(parent.at(temporary.name), "wx", 0o666);
    try {
      await filling(fd);
    } finally {
      closeSync(fd);
    }
    if (!mayBeHeld(rules, path) || !overwrite(parent, name, temporary.name)) renameSync(parent.at(temporary.name), parent.at(name));
  } catch (error) {
    rmSync(parent.at(temporary.name), { force: true });
    throw error;
  } finally {
    temporary.release();
  }
}

/**
 * Whether it is a file that the walls of commands hold: they cannot write it, or not read it. Such a wall is a mount on the file, and it is gone when
 * somebody outside of the walls renames another file to that name.
 */
const mayBeHeld = (rules: PathRules, path: string): boolean => partByName(rules, path) === "frozen" || rules.mayRead(path) !== null;

/** Writes into the file that is there, and removes the one that was filled. False where there is none, or where it has other names that would change too. */
function overwrite(parent: Pinned, name: string, filled: string): boolean {
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  const stats = lstatSync(parent.at(name), { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.nlink > 1) return false;
  const bytes = readFileSync(parent.at(filled));
  const { mode } = lstatSync(parent.at(filled));
  const fd = openSync(parent.at(name), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { ino, dev, nlink } = fstatSync(fd);
    if (ino !== stats.ino || dev !== stats.dev || nlink > 1) return false;
    // What is left of a longer text is cut off at the end: a full disk fails before that.
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
    ftruncateSync(fd, bytes.length);
    fchmodSync(fd, mode & 0o7777);
  } finally {
    closeSync(fd);
  }
  rmSync(parent.at(filled), { force: true });
  return true;
}

async function fill(fd: number, bytes: Buffer, like: Stats | undefined): Promise<void> {
  if (like) keepOwner(fd, like);
  if (bytes.length <= CHUNK) {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, null);
    return;
  }
  for (let at = 0; at < bytes.length; ) at += (await writeChunk(fd, bytes, at, Math.min(CHUNK, bytes.length - at), null)).bytesWritten;
}

/** Mode always; owner where we may set it. */
function keepOwner(fd: number, like: Stats): void {
  if (process.geteuid?.() === 0) fchownSync(fd, like.uid, like.gid);
  fchmodSync(fd, like.mode & 0o7777);
}
