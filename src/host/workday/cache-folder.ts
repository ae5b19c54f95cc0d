import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { followLinks } from "../../files/follow-links.ts";
import { workspaceSlug } from "../../files/known-workspaces.ts";
import { statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { discardTree } from "../files/discard.ts";

/** The cache of one workspace: folders that are mounted each by itself, since what lies in one is the commands' to exchange. */
export interface CacheFolders {
  readonly cache: string;
  /** What pnpm keeps, which it looks for elsewhere. */
  readonly pnpm: string;
}

/** Makes it where it is not there. Null where no folder can be made that is ours and that no command can exchange. */
export function makeCache(root: string, workspace: string, writable: readonly string[]): CacheFolders | null {
  return attempt(() => {
    const place = ownPlace(root, writable);
    if (place === null || writable.some((folder) => isWithin(folder, place))) return null;
    const own = `${place}/${workspaceSlug(workspace)}`;
    const made = { cache: `${own}/cache`, pnpm: `${own}/pnpm` };
    for (const folder of [own, made.cache, made.pnpm]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stats = statEntry(folder);
      if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) return null;
    }
    if (statEntry(`${own}/workspace`) === null) writeFileSync(`${own}/workspace`, workspace, { mode: 0o600 });
    return made;
  }, null);
}

/** Where it leads as far as it is there, and the rest. Null when a command decides about it. */
export function ownPlace(path: string, writable: readonly string[]): string | null {
  if (statEntry(path) === null && path !== "/") {
    const parent = ownPlace(parentOf(path), writable);
    return parent === null ? null : `${parent}/${nameOf(path)}`;
  }
  const found = followLinks(path, writable);
  return found === null || found.isSteered ? null : found.path;
}

/** Removes the caches of all workspaces, and says how many there were. */
export function emptyCaches(root: string): number {
  const names = attempt(() => readdirSync(root), []);
  for (const name of names) discardTree(`${root}/${name}`);
  return names.length;
}
