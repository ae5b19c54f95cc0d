import { isUtf8 } from "node:buffer";
import {
  closeSync,
  fchmodSync,
  lstatSync,
  mkdirSync,
  openSync,
  read as readCallback,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  write as writeCallback,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { promisify } from "node:util";
import { ToolError } from "../../core/error.ts";
import type { Refusal } from "../../core/ports/facts.ts";
import { closeAfter } from "../../files/descriptor.ts";
import { isWithin } from "../../text/path.ts";
import type { PathRules } from "./paths.ts";
import { type EntryName, type OpenFile, openFileInside, type Pinned, pinDirectory, pinInside, withPinnedAsync } from "./pin.ts";

const readChunk = promisify(readCallback);
const writeChunk = promisify(writeCallback);
const CHUNK = 256 * 1024;
const MAX_DEPTH = 200;

/** Removes one entry and all below it. Each step goes through a directory that is held open, so a link put in its place is not followed. */
export async function removeTreeEntry(parent: Pinned, name: EntryName, signal: AbortSignal, depth = 0): Promise<number> {
  if (depth > MAX_DEPTH) throw tooDeep(name.toString());
  signal.throwIfAborted();
  const stats = lstatSync(parent.at(name));
  if (!stats.isDirectory()) {
    unlinkSync(parent.at(name));
    return 1;
  }
  const inside = await withPinnedAsync(pinInside(parent, name), async (dir) => {
    let count = 0;
    for (const child of await readdir(dir.here, { encoding: "buffer" }))
      count += await removeTreeEntry(dir, child, signal, depth + 1).catch(goneAlready);
    return count;
  });
  rmdirSync(parent.at(name));
  return inside + 1;
}

/** The entry that is shown under this name. A name that is no text is shown with replacement characters, and found by them when only one looks like it. */
export async function findShownEntry(parent: Pinned, name: string): Promise<EntryName> {
  if (!name.includes("\ufffd") || lstatSync(parent.at(name), { throwIfNoEntry: false })) return name;
  const alike = (await readdir(parent.here, { encoding: "buffer" })).filter((entry) => entry.toString() === name);
  if (alike.length > 1)
    throw new ToolError("permanent_failure", `${alike.length} entries are shown as ${name}. Rename one of them with a command first.`);
  return alike[0] ?? name;
}

/** An entry that another program removed between listing and removing is gone, as was wanted. */
function goneAlready(error: unknown): number {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
  throw error;
}

export interface CopyJob {
  readonly rules: PathRules;
  readonly signal: AbortSignal;
  /** Where the copied tree begins, to judge where links in it lead. */
  readonly source: string;
  readonly skipped: string[];
}

/** Copies one entry. Links that stay inside the allowed folders are copied as links, others left out; so are pipes, sockets and devices. */
export async function copyEntry(
  from: Pinned,
  name: EntryName,
  to: Pinned,
  as: EntryName,
  path: string,
  job: CopyJob,
  depth = 0,
): Promise<number> {
  if (depth > MAX_DEPTH) throw tooDeep(path);
  job.signal.throwIfAborted();
  const stats = lstatSync(from.at(name));
  if (stats.isSymbolicLink()) {
    const target = readlinkSync(from.at(name), { encoding: "buffer" });
    // Where it leads is looked up by its path, and there is none for a name that is no text.
    if (!isText(path) || !isUtf8(target)) return skip(job, path, "a link with a name that is not text");
    if (!staysInside(job, path)) return skip(job, path, "a link that leads outside");
    symlinkSync(target, to.at(as));
    return 1;
  }
  if (stats.isFile()) {
    const refusal = await job.rules.mayReadOpen(path, stats);
    if (refusal) throw new ToolError("policy_blocked", refusal.why);
    await copyBytes(openFileInside(from, name), to, as, job.signal);
    return 1;
  }
  if (!stats.isDirectory()) return skip(job, path, "neither a file nor a folder");
  mkdirSync(to.at(as), 0o700);
  return withPinnedAsync(pinInside(from, name), (source) =>
    withPinnedAsync(pinInside(to, as), async (target) => {
      let count = 1;
      for (const child of await readdir(source.here, { encoding: "buffer" }))
        count += await copyEntry(source, child, target, child, `${path}/${child}`, job, depth + 1);
      chmodPinned(target, stats.mode);
      return count;
    }),
  );
}

/** The first file below a path that may not be read; null when all may. */
export async function unreadableBelow(rules: PathRules, canonical: string): Promise<Refusal | null> {
  if (!rules.limitsReads) return null;
  const stats = lstatSync(canonical, { throwIfNoEntry: false });
  if (stats?.isFile()) return rules.mayReadOpen(canonical, stats);
  if (!stats?.isDirectory()) return null;
  return withPinnedAsync(pinDirectory(canonical), (dir) => firstUnreadable(rules, dir, canonical, 0));
}

async function firstUnreadable(rules: PathRules, dir: Pinned, path: string, depth: number): Promise<Refusal | null> {
  if (depth > MAX_DEPTH) throw tooDeep(path);
  for (const child of await readdir(dir.here, { withFileTypes: true, encoding: "buffer" })) {
    const below = `${path}/${child.name}`;
    const refusal = child.isDirectory()
      ? await withPinnedAsync(pinInside(dir, child.name), (inner) => firstUnreadable(rules, inner, below, depth + 1))
      : child.isFile()
        ? await rules.mayReadOpen(below, lstatSync(dir.at(child.name)))
        : null;
    if (refusal) return refusal;
  }
  return null;
}

function staysInside({ rules, source }: CopyJob, path: string): boolean {
  const target = rules.canonical(path);
  return isWithin(source, target) || rules.roots.some((root) => isWithin(root, target));
}

/** Whether a path made of names as they were listed is the path itself: a name that is no text was shown with replacement characters. */
const isText = (path: string): boolean => !path.includes("\ufffd");

function skip({ skipped }: CopyJob, path: string, why: string): number {
  skipped.push(`${path} (${why})`);
  return 0;
}

async function copyBytes({ fd, stats }: OpenFile, to: Pinned, as: EntryName, signal: AbortSignal): Promise<void> {
  try {
    const target = openSync(to.at(as), "wx", 0o600);
    try {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(stats.size, 4096)));
      for (;;) {
        signal.throwIfAborted();
        const { bytesRead } = await readChunk(fd, chunk, 0, chunk.length, null);
        if (bytesRead === 0) break;
        for (let at = 0; at < bytesRead; ) at += (await writeChunk(target, chunk, at, bytesRead - at, null)).bytesWritten;
      }
      fchmodSync(target, stats.mode & 0o777);
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(fd);
  }
}

/** A pinned directory cannot be changed through its descriptor (it is opened for its path only), so a second one is opened through it. */
function chmodPinned(dir: Pinned, mode: number): void {
  closeAfter(openSync(`${dir.here}/.`, "r"), (fd) => fchmodSync(fd, mode & 0o777));
}

const tooDeep = (path: string) =>
  new ToolError("permanent_failure", `${path}: folders nested deeper than ${MAX_DEPTH} levels are not walked.`);
