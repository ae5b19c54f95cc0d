import { lstatSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from "node:fs";

/** What the walls need to know of the file system. Golden tests hand in one of their own. */
export interface Disk {
  /** A link counts, wherever it leads. */
  kind(path: string): "file" | "folder" | "link" | "other" | null;
  link(path: string): string;
  /** Every link followed; null when it leads nowhere. */
  real(path: string): string | null;
  /** Follows links. */
  isFolder(path: string): boolean;
  /** Direct children that are repositories and can be entered by whoever can enter the folder. A bounded number. */
  repositories(folder: string): string[];
}

/** Each costs some mounts at every command. */
const MAX_REPOSITORIES = 64;
const MAX_CHILDREN = 4096;

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
  repositories: (folder) => {
    const outer = quietly(() => lstatSync(folder));
    if (!outer) return [];
    const found: string[] = [];
    for (const entry of (quietly(() => readdirSync(folder, { withFileTypes: true })) ?? []).slice(0, MAX_CHILDREN)) {
      if (found.length >= MAX_REPOSITORIES) break;
      if (!entry.isDirectory() || entry.name === ".git") continue;
      const child = `${folder}/${entry.name}`;
      const git = quietly(() => lstatSync(`${child}/.git`, { throwIfNoEntry: false }));
      const inner = git && quietly(() => lstatSync(child));
      if (inner && isAsOpen(inner, outer) && (!git.isDirectory() || isAsOpen(git, outer))) found.push(child);
    }
    return found;
  },
};

/** A mount in a folder the command's user cannot enter would fail, and every command with it. */
const isAsOpen = (inner: Stats, outer: Stats) =>
  (inner.mode & 0o555) === 0o555 ||
  (inner.uid === outer.uid && inner.gid === outer.gid && (inner.mode & outer.mode & 0o555) === (outer.mode & 0o555));

/** A folder on the way that may not be entered is like a path that is not there. */
function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
