import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { attempt } from "../text/attempt.ts";
import { readOwnText } from "./own-file.ts";

/** Where the caches of all workspaces lie. Programs outside the walls never look there. */
export const cacheRoot = (home: string, env: Readonly<Record<string, string | undefined>>): string =>
  `${cacheHome(home, env)}/zeph/workspaces`;

export function cacheHome(home: string, env: Readonly<Record<string, string | undefined>>): string {
  const given = env.XDG_CACHE_HOME;
  return given?.startsWith("/") ? given : `${home}/.cache`;
}

/** What the folder of a workspace is called there. */
export const workspaceSlug = (workspace: string): string => createHash("sha256").update(workspace).digest("hex").slice(0, 16);

const LONGEST_PATH = 4096;
const MOST_WORKSPACES = 256;

/** Folders that commands of other sessions could write: links there were perhaps made by one. */
export function knownWorkspaces(root: string): string[] {
  const names = attempt(() => readdirSync(root).slice(0, MOST_WORKSPACES), []);
  return names.flatMap((name) => {
    const path = readOwnText(`${root}/${name}/workspace`, { maxBytes: LONGEST_PATH, links: "refuse" });
    return path?.startsWith("/") ? [path] : [];
  });
}
