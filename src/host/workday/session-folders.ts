import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { cacheRoot } from "../../files/known-workspaces.ts";
import { isWithin } from "../../text/path.ts";
import { realDisk } from "../sandbox/disk.ts";
import type { OtherUser } from "../sandbox/user.ts";
import { createTemporary, type Temporary } from "../temporary.ts";
import { type CacheFolders, makeCache } from "./cache-folder.ts";

/** What the commands of a session keep between them. */
export interface SessionFolders {
  /** Null where there is none: then it lasts as long as the command. */
  cache(writable: readonly string[]): CacheFolders | null;
  /** The folder that is /tmp to commands. `holes` are places in /tmp where something of the machine is shown. */
  temp(writable: readonly string[], holes: readonly string[]): string | null;
  close(): void;
}

export interface SessionFolderOptions {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly user?: OtherUser | undefined;
}

export function openSessionFolders({ cwd, home, env, user }: SessionFolderOptions): SessionFolders {
  const opened: Temporary[] = [];
  const openTemp = (writable: readonly string[], holes: readonly string[]): string | null => {
    const base = BASES.map((path) => realDisk.real(path)).find((path) => path !== null && !writable.some((root) => isWithin(root, path)));
    if (!base) return null;
    const made = createTemporary({ kind: "temp", base, owner: user });
    opened.push(made);
    // Before any command can write there: the walls are mounted on what exists and create nothing in a folder of commands.
    for (const hole of holes) mkdirSync(placeInside(made.path, hole), { mode: 0o755 });
    return made.path;
  };
  let temp: { readonly path: string | null; readonly holes: ReadonlySet<string> } | undefined;
  const caches = new Map<string, CacheFolders | null>();
  return {
    cache(writable) {
      const key = writable.join("\0");
      // Another user's home is not ours to make folders in.
      if (!caches.has(key)) caches.set(key, user ? null : makeCache(cacheRoot(home, env), cwd, writable));
      const found = caches.get(key) ?? null;
      if (found === null || (realDisk.isFolder(found.cache) && realDisk.isFolder(found.pnpm))) return found;
      caches.delete(key);
      return makeCache(cacheRoot(home, env), cwd, writable);
    },
    temp(writable, holes) {
      if (temp?.path && !realDisk.isFolder(temp.path)) temp = undefined;
      temp ??= { path: openTemp(writable, holes), holes: new Set(holes) };
      // A command that was there before could have put a link where the walls of the next would need a hole.
      if (holes.some((hole) => !temp!.holes.has(hole) || realDisk.kind(placeInside(temp!.path ?? "", hole)) !== "folder")) return null;
      return temp.path !== null && !writable.some((root) => isWithin(root, temp!.path!)) ? temp.path : null;
    },
    close() {
      for (const { remove } of opened) remove();
    },
  };
}

/** A place in /tmp, where it lies in the folder that stands for /tmp. */
const placeInside = (folder: string, hole: string): string => folder + hole.slice("/tmp".length);

const BASES = [tmpdir(), "/tmp", "/var/tmp"];
