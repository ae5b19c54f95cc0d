import { GIT_PARTS } from "../../core/protected.ts";
import { readOwnText } from "../../files/own-file.ts";
import type { Disk } from "../sandbox/disk.ts";
import { childPath, readFolder } from "./folders.ts";
import { isGitFolder } from "./sweep.ts";

/** What git itself writes is far smaller; a command can make it any size. */
export const MAX_GIT_FILE = 1024 * 1024;

/** The folder behind `.git`, and the one it shares with other worktrees. Never mounted because of what is written here, only protected. */
export function gitFolders(git: string, disk: Disk): string[] {
  const own = disk.kind(git) === "file" ? pointedTo(git, /^gitdir: (.+)$/m, disk) : disk.real(git);
  if (own === null || !disk.isFolder(own)) return [];
  const shared = disk.kind(`${own}/commondir`) === "file" ? pointedTo(`${own}/commondir`, /^(.+)$/m, disk) : null;
  return shared === null || !disk.isFolder(shared) ? [own] : [own, shared];
}

/** Of a git folder outside the workspace, what is read-only to commands: also whatever belongs to other work trees. */
export const OUTER_GIT_PARTS: readonly string[] = [...GIT_PARTS, "gitdir", "modules", "worktrees"];

/** More submodules than this are held in place all together. */
const MOST_INNER = 64;

/** The git folders inside one: of submodules, however deep their names make them lie, and of worktrees. Null when they are too many. */
export function innerGitFolders(folder: string): string[] | null {
  const found: string[] = [];
  const open = [`${folder}/modules`, `${folder}/worktrees`];
  for (let seen = 0; open.length > 0; ) {
    if (++seen > MOST_INNER * 8 || found.length > MOST_INNER) return null;
    const path = open.pop()!;
    const inner = readFolder(path);
    if (inner === null || inner === "shut") continue;
    const isOne = isGitFolder(inner.entries);
    if (isOne) found.push(path);
    // A git folder has submodules of its own; any other is a part of a name.
    const names = inner.entries.filter(({ name, kind }) => kind === "folder" && (!isOne || name === "modules"));
    open.push(...names.map(({ name }) => childPath(path, name)));
  }
  return found;
}

function pointedTo(file: string, line: RegExp, disk: Disk): string | null {
  const target = line.exec(readOwnText(file, { maxBytes: MAX_GIT_FILE })?.slice(0, 4096) ?? "")?.[1]?.trim();
  if (!target) return null;
  return disk.real(target.startsWith("/") ? target : `${file.slice(0, file.lastIndexOf("/"))}/${target}`);
}

/** What a git folder's settings make git read or run besides: `core.hooksPath`, and files they include. Often they lie in the workspace. */
export function namedInConfig(gitFolder: string, root: string): string[] {
  const found: string[] = [];
  let section = "";
  for (const line of (readOwnText(`${gitFolder}/config`, { maxBytes: MAX_GIT_FILE })?.slice(0, 65_536) ?? "").split("\n")) {
    section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const [, key, written] = /(?:^|\])\s*(\w+)\s*=\s*"?([^"\n#;]+)/.exec(line) ?? [];
    const wanted = NAMING[section];
    if (key === undefined || wanted === undefined || !wanted.includes(key.toLowerCase())) continue;
    const path = written!.trim();
    if (path === "" || path.startsWith("~")) continue;
    // Included files are looked for beside the settings, everything else from the work tree.
    const base = section.startsWith("include") ? gitFolder : root;
    found.push(path.startsWith("/") ? path : `${base}/${path}`);
  }
  return found;
}

const NAMING: Record<string, readonly string[]> = {
  core: ["hookspath", "attributesfile", "fsmonitor", "sshcommand"],
  include: ["path"],
  includeif: ["path"],
};
