import { createHash } from "node:crypto";
import { lstatSync, type Stats } from "node:fs";
import { ToolError } from "../../core/error.ts";
import { isWithin } from "../../text/path.ts";

/** What each file looked like when the model last read or wrote it, so that an edit made from an old picture is refused. */
export interface KnownFiles {
  /** `text` where it did not come from the file itself: an editor may save it, or not, at any time. */
  note(canonical: string, stats: FileLook, text?: string): void;
  /** Throws when the file was seen and is not the same any more. A file never seen passes. */
  assertFresh(canonical: string, now: FileNow): void;
  /** Whether a file was seen here and is not the same any more. */
  isStale(canonical: string): boolean;
  /** Forgets a path and all below it: it is gone. */
  forget(canonical: string): void;
}

/** What a file is told by. */
export type FileLook = Pick<Stats, "dev" | "ino" | "size" | "mtimeMs">;

export interface FileNow {
  readonly stats: Stats;
  /** What is about to be changed. */
  readonly text: string;
  /** What the file says, where the text is not from there. */
  readonly onDisk?: () => string;
}

const MOST = 10_000;

export function createKnownFiles(): KnownFiles {
  const stamps = new Map<string, { readonly file: string; readonly text: string | null }>();
  return {
    note(canonical, stats, text) {
      stamps.delete(canonical);
      stamps.set(canonical, { file: stampOf(stats), text: text === undefined ? null : hashOf(text) });
      if (stamps.size > MOST) stamps.delete(stamps.keys().next().value!);
    },
    assertFresh(canonical, { stats, text, onDisk }) {
      const stamp = stamps.get(canonical);
      if (stamp === undefined) return;
      const isFresh = stamp.text === null ? stamp.file === stampOf(stats) && (!onDisk || onDisk() === text) : stamp.text === hashOf(text);
      if (isFresh) return;
      const where = onDisk || stamp.text !== null ? "" : " on disk";
      throw new ToolError("permanent_failure", `${canonical} changed${where} since it was last read here. Read it again, then edit.`);
    },
    isStale(canonical) {
      const stamp = stamps.get(canonical);
      // What an editor showed is compared with what it shows, when that is asked for.
      if (stamp === undefined || stamp.text !== null) return false;
      const stats = lstatSync(canonical, { throwIfNoEntry: false });
      return stats === undefined || stamp.file !== stampOf(stats);
    },
    forget(canonical) {
      for (const path of stamps.keys()) if (isWithin(canonical, path)) stamps.delete(path);
    },
  };
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64");
const stampOf = ({ dev, ino, size, mtimeMs }: FileLook) => `${dev}:${ino}:${size}:${mtimeMs}`;
