import type { Anchors } from "../../core/ports/anchors.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { isLocked } from "../sqlite/error.ts";

/** Lines of calls that end in the same turn of the loop: one write for all of them, and nobody is answered before it. */
export interface LineGroup {
  /** Resolves when the line is written and its store was told. */
  readonly add: (entry: AuditEntry, anchors: Anchors) => Promise<void>;
  /** Writes what is waiting, now. */
  flush(): void;
}

interface GroupWrites {
  /** Throws when the line is not written, or its store cannot be told. */
  writeLine(entry: AuditEntry, anchors: Anchors): void;
  /** What kept each store from taking the new end. Where it throws, or says so, nothing is written, and each line is written by itself. */
  writeLines(entries: readonly AuditEntry[]): ReadonlyMap<Anchors, unknown> | "one by one";
}

interface Waiting {
  readonly entry: AuditEntry;
  readonly anchors: Anchors;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** A store is told the hashes of so many lines at once. */
const MOST_TOGETHER = 64;

export function createLineGroup({ writeLine, writeLines }: GroupWrites): LineGroup {
  let waiting: Waiting[] = [];
  let soon: NodeJS.Immediate | null = null;

  const writeEach = (group: readonly Waiting[]) => {
    for (const { entry, anchors, resolve, reject } of group) {
      try {
        writeLine(entry, anchors);
        resolve();
      } catch (error) {
        reject(error);
      }
    }
  };
  const writeTogether = (group: readonly Waiting[]): boolean => {
    try {
      const told = writeLines(group.map(({ entry }) => entry));
      if (told === "one by one") return false;
      for (const { anchors, resolve, reject } of group) {
        const error = told.get(anchors) ?? null;
        // The line is in the file. A store that is locked is told with the next line, or at the end.
        if (error !== null && !isLocked(error)) reject(error);
        else resolve();
      }
      return true;
    } catch {
      // A line that is too long or a disk that is full fails the calls it concerns, and no others.
      return false;
    }
  };
  const flush = () => {
    if (soon) clearImmediate(soon);
    soon = null;
    const all = waiting;
    waiting = [];
    for (let at = 0; at < all.length; at += MOST_TOGETHER) {
      const group = all.slice(at, at + MOST_TOGETHER);
      if (group.length === 1 || !writeTogether(group)) writeEach(group);
    }
  };
  return {
    add: (entry, anchors) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, anchors, resolve, reject });
        soon ??= setImmediate(flush);
      }),
    flush,
  };
}
