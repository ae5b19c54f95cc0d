import { GIT_PARTS } from "../../core/protected.ts";
import { isWithin, parentOf } from "../../text/path.ts";
import type { Disk, Rights } from "../sandbox/disk.ts";
import { childPath, readFolder } from "./folders.ts";
import { gitFolders, innerGitFolders, namedInConfig, OUTER_GIT_PARTS } from "./git-folders.ts";
import { MOST_SWEPT_FOLDERS, type Sweep } from "./sweep.ts";

/** What stays as it is inside the writable folders. Only what exists: a mount needs its target, and would leave an empty file behind. */
export interface Protection {
  /** Mounted onto themselves: a mount point cannot be renamed away and replaced. */
  readonly pinned: readonly string[];
  readonly frozen: readonly string[];
  /** Inside frozen ones: folders that are writable all the same, and what is frozen in those. */
  readonly thawed?: { readonly folders: readonly string[]; readonly frozen: readonly string[] };
  readonly warnings: readonly string[];
}

/** The user that runs the command. */
export type CommandRunner = Pick<Rights, "uid" | "gid">;

export interface ProtectionOptions {
  readonly rules?: readonly string[];
  readonly runner?: CommandRunner | undefined;
  readonly sweep?: Sweep;
  /** Git folders among the roots that lie outside the workspace, and folders in them that this workspace has for itself. */
  readonly outer?: { readonly folders: readonly string[]; readonly thawed: readonly string[] } | undefined;
  /** Frozen files that this command may write, because somebody said yes to that. */
  readonly lifted?: readonly string[];
  /** Zeph's own builder makes the walls. */
  readonly isOwnBuilder?: boolean | undefined;
}

/** Each is a mount at every command. The ones nearest to the top come first; all the others are looked at after the command. */
const MOST_FROZEN = 1000;
/** Where bubblewrap builds, whose time grows with the square of their number. */
const MOST_FROZEN_SLOWLY = 200;

export function protectionFor(
  roots: readonly string[],
  disk: Disk,
  { rules = [], runner, sweep = disk.sweep(roots), lifted = [], outer = NO_OUTER, isOwnBuilder = false }: ProtectionOptions = {},
): Protection {
  const pinned: string[] = [];
  const frozen: string[] = [];
  const warnings: string[] = [];
  const inside = (path: string) => roots.some((root) => isWithin(root, path));
  // A link to the workspace itself would make all of it read-only.
  const holdsRoot = (path: string) => roots.some((root) => isWithin(path, root));
  const add = (list: string[], path: string) => {
    const shut = firstShutFolder(path, roots, disk, runner);
    if (shut === null) list.push(path);
    else if (shut.isTheirs) frozen.push(shut.path);
  };
  const freeze = (path: string) => {
    const real = disk.real(path);
    if (real !== null && inside(real) && !holdsRoot(real)) add(frozen, real);
  };
  const holdFolder = (folder: string, root: string) => {
    if (!inside(folder)) return;
    const links = GIT_PARTS.filter((part) => disk.kind(`${folder}/${part}`) === "link");
    // A link cannot be pinned, only what it leads to; so nothing in this folder may change.
    if (!holdsRoot(folder)) add(links.length > 0 ? frozen : pinned, folder);
    if (links.length > 0) warnings.push(`${folder} is read-only to commands, because ${links.join(" and ")} in it is a link.`);
    for (const part of GIT_PARTS) freeze(`${folder}/${part}`);
    for (const path of namedInConfig(folder, root)) freeze(path);
    const inner = innerGitFolders(folder);
    if (inner === null) freeze(`${folder}/modules`);
    for (const one of inner ?? []) holdFolder(one, root);
  };
  const holdRepository = (git: string) => {
    const kind = disk.kind(git);
    if (kind === "file") add(frozen, git);
    if (kind === "link") warnings.push(`${git} is a link, which no mount can hold in place: a command could replace it.`);
    for (const folder of gitFolders(git, disk)) if (!holdsRoot(folder)) holdFolder(folder, parentOf(git));
  };
  for (const file of rules) freeze(file);
  for (const { path, part } of sweep.spots) if (part === "frozen") for (const one of without(lifted, path)) freeze(one);
  for (const git of sweep.gits) holdRepository(git);
  for (const folder of sweep.bare) holdFolder(folder, folder);
  // The owner of a folder can open it again, and what is in it is not known here.
  for (const path of sweep.shut) if (!holdsRoot(path) && isOwn(disk.rights(path), runner)) add(frozen, path);
  const held = outer.folders.flatMap((folder) => outerParts(folder, disk));
  const thawed = { folders: outer.thawed, frozen: outer.thawed.flatMap((folder) => outerParts(folder, disk)) };
  for (const folder of outer.folders) for (const path of namedInConfig(folder, parentOf(folder))) freeze(path);
  const twins = disk.twins([...new Set([...frozen, ...held, ...thawed.frozen])], roots);
  for (const path of twins.paths) add(frozen, path);
  if (!sweep.isComplete || !twins.isComplete)
    warnings.push(`There are more than ${MOST_SWEPT_FOLDERS} folders here: files that run later are only looked for in so many of them.`);
  const all = unique(frozen);
  const most = isOwnBuilder ? MOST_FROZEN : MOST_FROZEN_SLOWLY;
  if (all.length > most) warnings.push(`Of ${all.length} files that run later ${most} are read-only; a change of the others is reported.`);
  return {
    pinned: unique(pinned).slice(0, most),
    frozen: unique([...held, ...all.slice(0, most)]),
    ...(outer.thawed.length > 0 && { thawed }),
    warnings,
  };
}

const NO_OUTER = { folders: [], thawed: [] };

/** The parts of an outer git folder that are there. The search for the folder made sure that none of them is a link. */
const outerParts = (folder: string, disk: Disk): string[] =>
  OUTER_GIT_PARTS.map((part) => `${folder}/${part}`).filter((path) => ["file", "folder"].includes(disk.kind(path) ?? ""));

/** A folder that holds such a file is written to, so what else is in it is held one by one. */
function without(lifted: readonly string[], path: string): string[] {
  if (lifted.includes(path)) return [];
  if (!lifted.some((one) => isWithin(path, one))) return [path];
  const folder = readFolder(path);
  return folder === null || folder === "shut" ? [] : folder.entries.flatMap(({ name }) => without(lifted, childPath(path, name)));
}

/** The first folder on the way that the walls could not be built through. Whoever owns it could open it again: then it is held as a whole. */
export function firstShutFolder(path: string, roots: readonly string[], disk: Disk, runner: CommandRunner | undefined) {
  const root = roots.filter((one) => isWithin(one, path)).sort((a, b) => b.length - a.length)[0];
  if (root === undefined || path === root) return null;
  for (let end = path.indexOf("/", root.length + 1); end !== -1; end = path.indexOf("/", end + 1)) {
    const folder = path.slice(0, end);
    const rights = disk.rights(folder);
    if (rights && !canEnter(rights, runner)) return { path: folder, isTheirs: isOwn(rights, runner) };
  }
  return null;
}

/** Inside its own user namespace a program may enter whatever is its user's and its group's, whatever the mode says. */
function canEnter({ uid, gid, mode }: Rights, runner = ourselves()): boolean {
  if (runner.uid === uid) return runner.gid === gid || (mode & 0o100) !== 0;
  return (mode & (runner.gid === gid ? 0o010 : 0o001)) !== 0;
}

const isOwn = (rights: Rights | null, runner = ourselves()): boolean => rights?.uid === runner.uid;
const ourselves = (): CommandRunner => ({ uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });

const unique = (paths: readonly string[]) => [...new Set(paths)].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
