import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";

/** What the walls need to know of the file system. Golden tests hand in one of their own. */
export interface Disk {
  /** A link counts, wherever it leads. */
  kind(path: string): "file" | "folder" | "link" | "other" | null;
  link(path: string): string;
  /** Every link followed; null when it leads nowhere. */
  real(path: string): string | null;
  /** Follows links. */
  isFolder(path: string): boolean;
}

export const realDisk: Disk = {
  kind: (path) => {
    const stats = quietly(() => lstatSync(path, { throwIfNoEntry: false }));
    if (!stats) return null;
    if (stats.isSymbolicLink()) return "link";
    return stats.isDirectory() ? "folder" : stats.isFile() ? "file" : "other";
  },
  link: (path) => readlinkSync(path),
  real: (path) => quietly(() => realpathSync.native(path)) ?? null,
  isFolder: (path) => quietly(() => statSync(path, { throwIfNoEntry: false }))?.isDirectory() ?? false,
};

/** A folder on the way that may not be entered is like a path that is not there. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
