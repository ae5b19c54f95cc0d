import { createHash } from "node:crypto";
import { readOwnFile } from "../../files/own-file.ts";
import { runProgramNow } from "../../files/programs.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import { childPath, readFolder } from "../protected/folders.ts";
import type { HiddenFile } from "../protected/hidden-files.ts";
import { isSecretName } from "./private-places.ts";

export interface RepositorySecretSources {
  /** The program. */
  readonly git: string | null;
  readonly top: string;
  readonly workspace: string;
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

const MOST_FOLDERS = 2000;
const MOST_DEEP = 4;
const MOST_SECRETS = 50;
const TIMEOUT_MS = 2000;
const INSTALLED: ReadonlySet<string> = new Set(["node_modules", ".git", "site-packages", "target", "dist", ".venv"]);

export interface RepositorySecrets {
  readonly masked: readonly HiddenFile[];
  /** Shown all the same: git has that very text. */
  readonly shown: readonly string[];
}

/**
 * Files of a repository around the workspace that are named like a credential: the rest of it is shown for git's sake, and they are not. What git
 * keeps is in its folder anyway, and without it git would take the file for deleted. But commands write that folder, so git's word that it keeps a
 * file counts only with the hash of what is in it: whoever can say that knows it already.
 */
export function findRepositorySecrets({ git, top, workspace, user }: RepositorySecretSources): RepositorySecrets {
  const found: string[] = [];
  const open = [{ path: top, depth: 0 }];
  for (let seen = 0; open.length > 0 && seen < MOST_FOLDERS && found.length < MOST_SECRETS; seen++) {
    const { path, depth } = open.shift()!;
    const folder = readFolder(path);
    if (folder === null || folder === "shut" || isWithin(workspace, path)) continue;
    for (const { name, kind } of folder.entries) {
      if (kind === "file" && isSecretName(name)) found.push(childPath(path, name));
      if (kind === "folder" && depth < MOST_DEEP && !INSTALLED.has(name)) open.push({ path: childPath(path, name), depth: depth + 1 });
    }
  }
  if (found.length === 0) return { masked: [], shown: [] };
  const kept = git === null ? new Map<string, string>() : keptByGit(git, top, found, user);
  const shown = found.filter((path) => kept.has(path) && isText(path, kept.get(path)!));
  return { masked: found.filter((path) => !shown.includes(path)).map((path) => ({ path, kind: "file" })), shown };
}

const LARGEST = 1024 * 1024;

/** Whether the file is the blob of that name. */
function isText(path: string, name: string): boolean {
  const bytes = attempt(() => readOwnFile(path, { maxBytes: LARGEST, links: "refuse" }).bytes, null);
  if (bytes === null) return false;
  const hash = createHash(name.length === 64 ? "sha256" : "sha1")
    .update(`blob ${bytes.length}\0`)
    .update(bytes);
  return hash.digest("hex") === name;
}

/** The name of what git has of each. Nothing that the repository's settings name is run for it. */
function keptByGit(git: string, top: string, paths: readonly string[], user: RepositorySecretSources["user"]): Map<string, string> {
  const quiet = ["--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
  const names = paths.map((path) => path.slice(top.length + 1));
  const said = attempt(
    () =>
      runProgramNow(git, [...quiet, "ls-files", "--stage", "-z", "--", ...names], {
        cwd: top,
        timeout: TIMEOUT_MS,
        stdio: ["ignore", "pipe", "ignore"],
        env: { PATH: "/usr/bin:/bin", GIT_OPTIONAL_LOCKS: "0", GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
        ...(user && { uid: user.uid, gid: user.gid }),
      }),
    "",
  );
  const lines = [...said.matchAll(/\d+ ([0-9a-f]{40,64}) 0\t([^\0]+)\0/g)];
  return new Map(lines.map(([, hash, name]) => [`${top}/${name}`, hash!]));
}
