import { randomUUID } from "node:crypto";
import { chmodSync, constants, fstatSync, lstatSync, openSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { closeAfter } from "../../files/descriptor.ts";
import { nameOf, parentOf } from "../../text/path.ts";
import { canPin, type Pinned, pinDirectory, withPinned } from "./pin.ts";

const O_PATH = 0o10000000;
const FLAGS = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Deeper folders are moved up first: each level holds a descriptor. */
const MOST_DEEP = 64;
const MOST_ROUNDS = 10_000;
const MOST_REFILLED = 100;

interface Discarding {
  readonly top: number;
  /** How often a folder had something in it again when it was to be removed. */
  refilled: number;
}

/**
 * Removes a folder of ours with everything a command left in it: folders that are closed to their owner, names that are no text, any depth.
 * Each step goes through a directory that is held open, so no link is followed. What is not there is removed already.
 */
export function discardTree(path: string): void {
  if (!canPin) {
    withPinned(pinDirectory(parentOf(path)), (parent) => discardEntry(parent, Buffer.from(nameOf(path))));
    return;
  }
  const parent = held(null, Buffer.from(parentOf(path)));
  if (parent !== null) closeAfter(parent, () => discardFrom(parent, Buffer.from(nameOf(path))));
}

/** The same for one entry of a folder that is held open. */
export function discardEntry(parent: Pinned, name: Buffer): void {
  if (canPin) discardFrom(parent.fd, name);
  else rmSync(parent.at(name).toString(), { recursive: true, force: true });
}

function discardFrom(parent: number, name: Buffer): void {
  const top = held(parent, name);
  if (top === null) return void ignoreMissing(() => unlinkSync(entry(parent, name)));
  closeAfter(top, () => removeFolder({ dir: parent, name, inner: top }, { top, refilled: 0 }, 0));
}

/** A command that is just being ended may still write: a folder that is not empty any more is emptied again. */
function removeFolder({ dir, name, inner }: { dir: number; name: Buffer; inner: number }, discarding: Discarding, depth: number): void {
  for (;;) {
    empty(inner, discarding, depth);
    try {
      ignoreMissing(() => rmdirSync(entry(dir, name)));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY" || discarding.refilled++ >= MOST_REFILLED) throw error;
    }
  }
}

function empty(dir: number, discarding: Discarding, depth: number): void {
  unlock(dir);
  // What was moved up shows only when the folder is listed again. Somebody may still be writing, so it is not tried for ever.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const names = readdirSync(entry(dir, HERE), { encoding: "buffer" });
    if (names.length === 0) return;
    for (const name of names) removeEntry(dir, name, discarding, depth);
  }
  discarding.refilled = MOST_REFILLED;
}

function removeEntry(dir: number, name: Buffer, discarding: Discarding, depth: number): void {
  const stats = lstatSync(entry(dir, name), { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isDirectory()) return void ignoreMissing(() => unlinkSync(entry(dir, name)));
  if (depth >= MOST_DEEP) return void renameSync(entry(dir, name), entry(discarding.top, Buffer.from(`deep-${randomUUID()}`)));
  const inner = held(dir, name);
  if (inner === null) return;
  closeAfter(inner, () => removeFolder({ dir, name, inner }, discarding, depth + 1));
}

/** Null when there is no such folder, or a link in its place. Only where it begins is a folder named by a path. */
function held(dir: number | null, name: Buffer): number | null {
  try {
    return openSync(dir === null ? name : entry(dir, name), FLAGS);
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw error;
  }
}

/** A folder that its owner may not enter is opened to them. */
function unlock(fd: number): void {
  if ((fstatSync(fd).mode & 0o700) !== 0o700) chmodSync(`/proc/self/fd/${fd}`, 0o700);
}

const HERE = Buffer.from(".");
const entry = (dir: number, name: Buffer): Buffer => Buffer.concat([Buffer.from(`/proc/self/fd/${dir}/`), name]);

function ignoreMissing(act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
