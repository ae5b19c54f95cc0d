import { isWithin } from "../../core/path.ts";
import { readOwnText } from "../../files/own-file.ts";
import type { Disk } from "./disk.ts";

/** What stays as it is inside the writable folders. Only what exists: a mount needs its target, and would leave an empty file behind. */
export interface Protection {
  /** Mounted onto themselves: a mount point cannot be renamed away and replaced. */
  readonly pinned: readonly string[];
  readonly frozen: readonly string[];
  readonly warnings: readonly string[];
}

/** Read by a program that runs outside the walls later: editors, agents, shells, direnv. */
export const READ_LATER = [
  ".zeph",
  ".mcp.json",
  ".vscode",
  ".idea",
  ".cursor",
  ".agents",
  ".claude",
  ".codex",
  ".gemini",
  ".zed",
  ".windsurf",
  ".continue",
  ".devcontainer",
  ".envrc",
  ".gitconfig",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
] as const;

/** What git itself writes is far smaller; a command can make it any size. */
const MAX_GIT_FILE = 1024 * 1024;

/** The parts of a git folder that make git run something, or read its settings from elsewhere. */
export const GIT_PARTS = ["hooks", "config", "config.worktree", "commondir", "info/attributes", "modules"] as const;

export function protectedIn(roots: readonly string[], disk: Disk, rules: readonly string[] = []): Protection {
  const pinned: string[] = [];
  const frozen: string[] = [];
  const warnings: string[] = [];
  const inside = (path: string) => roots.some((root) => isWithin(root, path));
  // A link to the workspace itself would make all of it read-only.
  const holdsRoot = (path: string) => roots.some((root) => isWithin(path, root));
  const freeze = (path: string) => {
    const real = disk.real(path);
    if (real !== null && inside(real) && !holdsRoot(real)) frozen.push(real);
  };
  const holdRepository = (root: string) => {
    const git = `${root}/.git`;
    if (disk.kind(git) === "file") frozen.push(git);
    if (disk.kind(git) === "link") warnings.push(`${git} is a link, which no mount can hold in place: a command could replace it.`);
    for (const folder of gitFolders(git, disk)) {
      if (!inside(folder) || holdsRoot(folder)) continue;
      const links = GIT_PARTS.filter((part) => disk.kind(`${folder}/${part}`) === "link");
      // A link cannot be pinned, only what it leads to; so nothing in this folder may change.
      (links.length > 0 ? frozen : pinned).push(folder);
      if (links.length > 0) warnings.push(`${folder} is read-only to commands, because ${links.join(" and ")} in it is a link.`);
      for (const part of GIT_PARTS) freeze(`${folder}/${part}`);
      const hooks = hooksElsewhere(folder, root);
      if (hooks !== null) freeze(hooks);
    }
  };
  for (const file of rules) freeze(file);
  for (const root of roots) {
    for (const name of READ_LATER) freeze(`${root}/${name}`);
    holdRepository(root);
    for (const child of disk.repositories(root)) holdRepository(child);
  }
  return { pinned: unique(pinned), frozen: unique(frozen), warnings };
}

/** The folder behind `.git`, and the one it shares with other worktrees. Never mounted because of what is written here, only protected. */
export function gitFolders(git: string, disk: Disk): string[] {
  const own = disk.kind(git) === "file" ? pointedTo(git, /^gitdir: (.+)$/m, disk) : disk.real(git);
  if (own === null || !disk.isFolder(own)) return [];
  const shared = disk.kind(`${own}/commondir`) === "file" ? pointedTo(`${own}/commondir`, /^(.+)$/m, disk) : null;
  return shared === null || !disk.isFolder(shared) ? [own] : [own, shared];
}

function pointedTo(file: string, line: RegExp, disk: Disk): string | null {
  const target = line.exec(readOwnText(file, { maxBytes: MAX_GIT_FILE })?.slice(0, 4096) ?? "")?.[1]?.trim();
  return target ? disk.real(target.startsWith("/") ? target : `${file.slice(0, file.lastIndexOf("/"))}/${target}`) : null;
}

/** `core.hooksPath`: where git looks instead of its own folder, often a folder of the workspace. */
export function hooksElsewhere(gitFolder: string, root: string): string | null {
  const text = readOwnText(`${gitFolder}/config`, { maxBytes: MAX_GIT_FILE })?.slice(0, 65_536) ?? "";
  const path = /^\s*hooksPath\s*=\s*"?([^"\n#;]+)/im.exec(text)?.[1]?.trim();
  if (!path || path.startsWith("~")) return null;
  return path.startsWith("/") ? path : `${root}/${path}`;
}

const unique = (paths: readonly string[]) => [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
