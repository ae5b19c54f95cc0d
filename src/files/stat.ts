import { type BigIntStats, lstatSync, type PathLike, type Stats } from "node:fs";
import { attempt } from "../text/attempt.ts";

export type EntryKind = "file" | "folder" | "link" | "other";

/** The entry itself, wherever a link leads. Null for an entry that is not there or cannot be looked at. */
export const statEntry = (path: PathLike): Stats | null => attempt(() => lstatSync(path, { throwIfNoEntry: false }) ?? null, null);

/** As `statEntry`, with times in nanoseconds. `stat` may be one that follows links. */
export const statExact = (path: PathLike, stat: typeof lstatSync = lstatSync): BigIntStats | null =>
  attempt(() => stat(path, { bigint: true, throwIfNoEntry: false }) ?? null, null);

/** Of what `stat` says, or of an entry of a listing. */
export function entryKind(entry: Pick<Stats, "isDirectory" | "isFile" | "isSymbolicLink">): EntryKind {
  if (entry.isSymbolicLink()) return "link";
  if (entry.isDirectory()) return "folder";
  return entry.isFile() ? "file" : "other";
}

/** The same with the moment it was made: the number of an entry that is gone is given to another one. */
export const lastingIdentity = ({ dev, ino, birthtimeMs }: Pick<Stats, "dev" | "ino" | "birthtimeMs">): string =>
  `${dev}:${ino}:${birthtimeMs}`;

/** Device and number: what is the same file, whatever it is called. */
export const entryIdentity = ({ dev, ino }: Pick<Stats, "dev" | "ino"> | Pick<BigIntStats, "dev" | "ino">): string => `${dev}:${ino}`;
