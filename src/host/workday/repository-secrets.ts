import { createHash } from "node:crypto";
import { readOwnFile } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import { childPath, readFolder } from "../protected/folders.ts";
import type { HiddenFile } from "../protected/hidden-files.ts";
import { readIndex } from "./git-index.ts";
import { isSecretName } from "./private-places.ts";

export interface RepositorySecretSources {
  readonly top: string;
  readonly workspace: string;
}

const MOST_FOLDERS = 2000;
const MOST_DEEP = 4;
const MOST_SECRETS = 50;
const INSTALLED: ReadonlySet<string> = new Set(["node_modules", ".git", "site-packages", "target", "dist", ".venv"]);

export interface RepositorySecrets {
  readonly masked: readonly HiddenFile[];
  /** Shown all the same: git has that very text. */
  readonly shown: readonly string[];
}

/**
 * Files of a repository around the workspace that are named like a credential: the rest of it is shown for git's sake, and they are not. What git
 * keeps is in its folder anyway, and without it git would take the file for deleted. But commands write that folder, so what its index says of a
 * file counts only with the hash of what is in it: whoever can say that knows it already.
 */
export function findRepositorySecrets({ top, workspace }: RepositorySecretSources): RepositorySecrets {
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
  const kept = readIndex(top, new Set(found.map((path) => path.slice(top.length + 1))));
  const shown = found.filter((path) => {
    const name = kept.get(path.slice(top.length + 1));
    return name !== undefined && isText(path, name);
  });
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
