import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import type { ServedProgram } from "../../core/ports/served.ts";
import { cacheHome } from "../../files/known-workspaces.ts";
import { statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, parentOf } from "../../text/path.ts";
import { discardTree } from "../files/discard.ts";
import { ownPlace } from "../workday/cache-folder.ts";

/** Where the folders of all served programs lie. */
export interface KeptRoots {
  readonly data: string;
  readonly cache: string;
}

/** What one served program keeps from start to start. It sees the two folders and nothing beside them; no other program sees either. */
export interface KeptFolders {
  /** Its home: what it was told to remember. */
  readonly data: string;
  /** The packages it is made of. They can be fetched again. */
  readonly cache: string;
  /** A file beside the cache: its packages are all there. */
  readonly fetched: string;
  /** A file beside the data: it has kept more than it may. */
  readonly large: string;
}

/** The folders that are kept for a program; null where there are none. */
export type FoldersFor = (program: ServedProgram) => KeptFolders | null;
export const KEEPS_NOTHING: FoldersFor = () => null;

/** What is remembered lies beside the store. */
export const keptRoots = (store: string, home: string, env: Readonly<Record<string, string | undefined>>): KeptRoots => ({
  data: `${parentOf(store)}/mcp`,
  cache: `${cacheHome(home, env)}/zeph/mcp`,
});

/** A name of ours: it becomes the name of a folder. */
const isPlainName = (name: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(name);

const foldersAt = (data: string, cache: string): KeptFolders => ({
  data: `${data}/data`,
  cache: `${cache}/cache`,
  fetched: `${cache}/fetched`,
  large: `${data}/large`,
});

/** Makes them where they are not there. Null where no folder can be made that is ours and that no command can exchange. */
export function makeKept(roots: KeptRoots, name: string, writable: readonly string[]): KeptFolders | null {
  if (!isPlainName(name)) return null;
  return attempt(() => {
    const places = [roots.data, roots.cache].map((root) => ownPlace(root, writable));
    const [data, cache] = places;
    if (!data || !cache || places.some((place) => writable.some((folder) => isWithin(folder, place!)))) return null;
    const made = foldersAt(`${data}/${name}`, `${cache}/${name}`);
    if (statEntry(made.data) === null && makeRoom(data) + makeRoom(cache) > 2 * MOST_SERVERS) return null;
    for (const folder of [`${data}/${name}`, `${cache}/${name}`, made.data, made.cache]) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const stats = statEntry(folder);
      if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) return null;
    }
    return made;
  }, null);
}

const MOST_SERVERS = 500;
const DAY_MS = 24 * 3600 * 1000;

/** Removes the folders of servers that kept nothing and were not started lately, and says how many there are then. An editor may bring others each time. */
function makeRoom(root: string): number {
  const names = attempt(() => readdirSync(root), []);
  const isOld = (folder: string) => (statEntry(folder)?.mtimeMs ?? Number.POSITIVE_INFINITY) < Date.now() - DAY_MS;
  const isGone = (name: string) =>
    ["data", "cache"].some(
      (inner) => isOld(`${root}/${name}/${inner}`) && attempt(() => rmdirSync(`${root}/${name}/${inner}`) ?? true, false),
    ) && attempt(() => rmdirSync(`${root}/${name}`) ?? true, false);
  return names.filter((name) => !isGone(name)).length;
}

export const isFetched = ({ fetched }: KeptFolders): boolean => statEntry(fetched) !== null;

export const markFetched = ({ fetched }: KeptFolders): void => attempt(() => writeFileSync(fetched, "", { mode: 0o600 }), undefined);

/**
 * What fetches begins with an empty folder: a program that could reach a registry must find nothing there that it left when it could read the
 * person's files. What was there is kept beside it until the next time.
 */
export function emptyPackages({ cache, fetched }: KeptFolders): void {
  rmSync(fetched, { force: true });
  discardTree(`${cache}.before`);
  renameSync(cache, `${cache}.before`);
  mkdirSync(cache, { mode: 0o700 });
}

/** The next start fetches its packages anew. */
export function forgetFetched(roots: KeptRoots, name: string): void {
  if (isPlainName(name)) rmSync(foldersAt(`${roots.data}/${name}`, `${roots.cache}/${name}`).fetched, { force: true });
}

/** All that is kept under the name of a server, whatever its program was. */
export const findKept = (roots: KeptRoots, server: string): readonly string[] =>
  [roots.data, roots.cache].flatMap((root) =>
    attempt(() => readdirSync(root), [])
      .filter((name) => name.slice(0, -17) === server && /^-[0-9a-f]{16}$/.test(name.slice(-17)))
      .map((name) => `${root}/${name}`),
  );

export const removeKept = (roots: KeptRoots, server: string): void => {
  for (const folder of findKept(roots, server)) discardTree(folder);
};

/** What tells a program of its folders, and package managers of theirs. Where nothing can be fetched, they say so at once and do not wait. */
export const keptVariables = (
  { data, cache }: Pick<KeptFolders, "data" | "cache">,
  network: "open" | "closed",
): Record<string, string> => ({
  HOME: data,
  ...packageVariables(cache, network),
});

export const packageVariables = (cache: string, network: "open" | "closed"): Record<string, string> => ({
  XDG_CACHE_HOME: cache,
  npm_config_cache: `${cache}/npm`,
  npm_config_audit: "false",
  npm_config_fund: "false",
  npm_config_update_notifier: "false",
  npm_config_prefer_offline: "true",
  UV_CACHE_DIR: `${cache}/uv`,
  UV_TOOL_DIR: `${cache}/uv-tools`,
  UV_PYTHON_INSTALL_DIR: `${cache}/uv-python`,
  PIP_CACHE_DIR: `${cache}/pip`,
  PIPX_HOME: `${cache}/pipx`,
  YARN_CACHE_FOLDER: `${cache}/yarn`,
  YARN_GLOBAL_FOLDER: `${cache}/yarn-berry`,
  DENO_DIR: `${cache}/deno`,
  BUN_INSTALL_CACHE_DIR: `${cache}/bun`,
  ...(network === "closed" && { npm_config_offline: "true", UV_OFFLINE: "1", PIP_NO_INDEX: "1" }),
});
