import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readlinkSync } from "node:fs";
import { type EntryKind, entryIdentity, entryKind } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { nameOf, parentOf } from "../../text/path.ts";
import { Moved, openFileInside, type Pinned, pinDirectory, withPinned } from "../files/pin.ts";
import { readWithin } from "../files/reading.ts";

/** What a path was at one moment: which file, with what rights and what content. */
export interface FileState {
  readonly kind: EntryKind;
  readonly identity: string;
  readonly mode: bigint;
  /** Of a folder nothing: its entries have marks of their own. */
  readonly content: string;
}

const TRIES = 5;

/** Through the folder that is held: no link on the way is followed. Null when there is nothing, or it cannot be reached, or it keeps being moved. */
export function fileState(path: string): FileState | null {
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      return withPinned(pinDirectory(parentOf(path)), (dir) => stateIn(dir, nameOf(path), path));
    } catch (error) {
      if (!(error instanceof Moved)) return null;
    }
  }
  return null;
}

function stateIn(dir: Pinned, name: string, path: string): FileState | null {
  const stats = lstatSync(dir.at(name), { bigint: true, throwIfNoEntry: false });
  if (!stats) return null;
  const kind = entryKind(stats);
  return { kind, identity: entryIdentity(stats), mode: stats.mode, content: contentOf(dir, name, path, kind, stats) };
}

export const isSameState = (a: FileState, b: FileState): boolean =>
  a.kind === b.kind && a.identity === b.identity && (a.kind === "folder" || a.mode === b.mode) && a.content === b.content;

/** The change time cannot be set by anybody, so a file with the same one is not read again. Its size and its other time can be faked. */
const hashes = new Map<string, { readonly stamp: string; readonly hash: string }>();
const MOST_HASHES = 20_000;
const MOST_BYTES = 1024 * 1024;
/** Times of files are counted in steps of up to 10 ms. */
const STEP_MS = 100;

function contentOf(dir: Pinned, name: string, path: string, kind: FileState["kind"], stats: BigIntStats): string {
  if (kind === "folder") return "";
  const stamp = `${entryIdentity(stats)} ${stats.size} ${stats.ctimeNs}`;
  if (kind === "other") return stamp;
  const before = hashes.get(path);
  if (before?.stamp === stamp) return before.hash;
  const now = Date.now();
  const hash = kind === "link" ? attempt(() => readlinkSync(dir.at(name)), "") : hashOf(dir, name, stamp);
  if (hashes.size >= MOST_HASHES) hashes.clear();
  if (Number(stats.ctimeNs / 1_000_000n) < now - STEP_MS) hashes.set(path, { stamp, hash });
  else hashes.delete(path);
  return hash;
}

/** Of a file too long to be read each time, its size and times count; so they do where the file is not the one that was looked at. */
const hashOf = (dir: Pinned, name: string, stamp: string): string =>
  attempt(() => {
    const file = openFileInside(dir, name);
    const bytes = readWithin(file, MOST_BYTES);
    const isIt = bytes !== null && stamp.startsWith(`${entryIdentity(file.stats)} `);
    return isIt ? createHash("sha256").update(bytes).digest("hex") : stamp;
  }, stamp);
