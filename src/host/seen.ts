import type { Stats } from "node:fs";
import { ToolError } from "../core/error.ts";
import { isWithin } from "../core/path.ts";

/** What each file looked like when the model last read or wrote it, so that an edit made from an old picture is refused. */
export interface Seen {
  note(canonical: string, stats: Stats): void;
  /** Throws when the file was seen and is not the same any more. A file never seen passes. */
  assertFresh(canonical: string, stats: Stats): void;
  /** Forgets a path and all below it: it is gone. */
  forget(canonical: string): void;
}

const MOST = 10_000;

export function seenFiles(): Seen {
  const stamps = new Map<string, string>();
  return {
    note(canonical, stats) {
      stamps.delete(canonical);
      stamps.set(canonical, stampOf(stats));
      if (stamps.size > MOST) stamps.delete(stamps.keys().next().value!);
    },
    assertFresh(canonical, stats) {
      const stamp = stamps.get(canonical);
      if (stamp === undefined || stamp === stampOf(stats)) return;
      throw new ToolError("permanent_failure", `${canonical} changed on disk since it was last read here. Read it again, then edit.`);
    },
    forget(canonical) {
      for (const path of stamps.keys()) if (isWithin(canonical, path)) stamps.delete(path);
    },
  };
}

const stampOf = ({ dev, ino, size, mtimeMs }: Stats) => `${dev}:${ino}:${size}:${mtimeMs}`;
