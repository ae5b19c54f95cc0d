import { type BigIntStats, lstatSync } from "node:fs";
import type { Sight } from "../../core/ports/facts.ts";

/** What lies at a path itself. It only looks; what cannot be looked at is not there. */
export function sightOf(path: string): Sight | null {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : { kind: kindOf(stats), stamp: stampOf(stats) };
  } catch {
    return null;
  }
}

const kindOf = (stats: BigIntStats): Sight["kind"] =>
  stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other";

/** A folder changes with everything in it, and stays the same folder. */
function stampOf(stats: BigIntStats): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = stats;
  return stats.isDirectory() ? `${dev}:${ino}` : `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;
}
