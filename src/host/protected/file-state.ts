import { createHash } from "node:crypto";
import { type BigIntStats, readlinkSync } from "node:fs";
import { type EntryKind, entryIdentity, entryKind, statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { type EntryName, openFileInside, type Pinned } from "../files/pin.ts";
import { readWithin } from "../files/reading.ts";

/** What a path was at one moment: which file, with what rights and what content. */
export interface FileState {
  readonly kind: EntryKind;
  readonly identity: string;
  readonly mode: bigint;
  /** Of a folder nothing: its entries have marks of their own. */
  readonly content: string;
}

/** An entry of a folder that is held open. `path` is what it is called. Null when there is none. */
export function fileState(dir: Pinned, name: EntryName, path: string): FileState | null {
  const stats = statExact(dir.at(name));
  if (stats === null) return null;
  const kind = entryKind(stats);
  return { kind, identity: entryIdentity(stats), mode: stats.mode, content: contentOf(dir, name, path, kind, stats) };
}

/**
 * By its name alone: a file that is the very one that was looked at before and did not change since, whatever leads to it by now. Null for any other,
 * which has to be looked at where it is held.
 */
export function recallState(path: string, stats = statExact(path)): FileState | null {
  const before = stats && hashes.get(path);
  if (!stats || before?.stamp !== stampOf(stats)) return null;
  return { kind: entryKind(stats), identity: entryIdentity(stats), mode: stats.mode, content: before.hash };
}

export const folderState = (stats: BigIntStats): FileState => ({
  kind: "folder",
  identity: entryIdentity(stats),
  mode: stats.mode,
  content: "",
});

export const isSameState = (a: FileState, b: FileState): boolean =>
  a.kind === b.kind && a.identity === b.identity && (a.kind === "folder" || a.mode === b.mode) && a.content === b.content;

/** The change time cannot be set by anybody, so a file with the same one is not read again. Its size and its other time can be faked. */
const hashes = new Map<string, { readonly stamp: string; readonly hash: string }>();
const MOST_HASHES = 20_000;
const MOST_BYTES = 1024 * 1024;
/** Times of files are counted in steps of up to 10 ms. */
const STEP_MS = 100;

const stampOf = (stats: BigIntStats): string => `${entryIdentity(stats)} ${stats.size} ${stats.ctimeNs}`;

function contentOf(dir: Pinned, name: EntryName, path: string, kind: FileState["kind"], stats: BigIntStats): string {
  if (kind === "folder") return "";
  const stamp = stampOf(stats);
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
const hashOf = (dir: Pinned, name: EntryName, stamp: string): string =>
  attempt(() => {
    const file = openFileInside(dir, name);
    const bytes = readWithin(file, MOST_BYTES);
    const isIt = bytes !== null && stamp.startsWith(`${entryIdentity(file.stats)} `);
    return isIt ? createHash("sha256").update(bytes).digest("hex") : stamp;
  }, stamp);
