import { posix } from "node:path";
import { followLinks } from "../../files/follow-links.ts";
import { readOwnText } from "../../files/own-file.ts";
import { statEntry } from "../../files/stat.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { MAX_GIT_FILE, OUTER_GIT_PARTS } from "../protected/git-folders.ts";
import { type PrivatePlaces, placeRefusal } from "./private-places.ts";

/** The repository that the workspace belongs to, where its git folder lies outside. */
export interface OuterRepository {
  /** The folder whose `.git` it is, when the workspace lies below it: commands see it, since git takes what it cannot see for deleted. */
  readonly top: string | null;
  /** Git folders that commands write. What makes git run something is read-only in them. */
  readonly folders: readonly string[];
  /** The worktree's own folder: writable, although its siblings are not. */
  readonly thawed: readonly string[];
}

export interface RepositorySources extends PrivatePlaces {
  /** The workspace, as it really lies. */
  readonly cwd: string;
  readonly writable: readonly string[];
  /** The user that has to own the files. */
  readonly uid: number;
  /** The folder that the search begins at, in place of the workspace: what lies between may be the commands'. */
  readonly from?: string;
}

/** More folders above each other are no path that anybody works in. */
const MOST_ABOVE = 64;

/** What a file in the workspace says counts only where something outside says the same: everything else opens nothing. */
export function findOuterRepository(sources: RepositorySources): OuterRepository | null {
  const { cwd, homes, writable, from = cwd } = sources;
  if (!writable.some((root) => isWithin(root, cwd))) return null;
  for (let [at, seen] = [from, 0]; seen < MOST_ABOVE; at = parentOf(at), seen++) {
    const isAbove = at !== cwd;
    if (at === "/" || homes.some((home) => isWithin(at, home)) || !isOwned(at, sources)) return null;
    const git = `${at}/.git`;
    const kind = statEntry(git);
    if (kind === null) continue;
    if (writable.some((root) => isWithin(root, at)) && (isAbove || !kind.isFile())) return null;
    if (isAbove && placeRefusal(at, sources) !== null) return null;
    const found = kind.isFile()
      ? pointedTo(git, at, sources)
      : kind.isDirectory() && isSound(git, sources)
        ? { folders: [git], thawed: [] }
        : null;
    return found && { top: isAbove ? at : null, ...found };
  }
  return null;
}

type Folders = Pick<OuterRepository, "folders" | "thawed">;

/** A `.git` that is a file: of a worktree, or of a submodule. */
function pointedTo(file: string, tree: string, sources: RepositorySources): Folders | null {
  const own = target(/^gitdir: (.+)$/m.exec(textOf(file))?.[1], tree, sources);
  if (own === null || !isOwned(own, sources)) return null;
  const shared = statEntry(`${own}/commondir`);
  return shared === null ? submodule(own, tree, sources) : worktree(own, tree, sources);
}

/** Its folder names this tree, and lies where its repository keeps those of worktrees. */
function worktree(own: string, tree: string, sources: RepositorySources): Folders | null {
  const common = target(textOf(`${own}/commondir`).trim(), own, sources);
  const back = textOf(`${own}/gitdir`).trim();
  if (common === null || back === "" || nameOf(back) !== ".git" || parentOf(own) !== `${common}/worktrees`) return null;
  // The tree itself is the workspace or lies above it, and is looked at as it is.
  const named = followLinks(parentOf(back.startsWith("/") ? back : `${own}/${back}`), [])?.path;
  if (named !== tree || !isSound(common, sources) || hasLinks(own)) return null;
  return { folders: [common], thawed: [own] };
}

/** Its folder lies in that of a repository around this tree, and its settings name the tree. */
function submodule(own: string, tree: string, sources: RepositorySources): Folders | null {
  const top = /^(.+?)\/\.git\/modules\/./.exec(own)?.[1];
  if (top === undefined || !isWithin(top, tree) || top === tree || !isSound(own, sources)) return null;
  const named = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(`${own}/config`))?.[1]?.replace(/^"(.*)"$/, "$1");
  if (named === undefined || followLinks(named.startsWith("/") ? named : `${own}/${named}`, [])?.path !== tree) return null;
  return { folders: [own], thawed: [] };
}

/** Where a name in one of git's files leads; null when that is nowhere, or its way leads through what commands can write. */
function target(named: string | undefined, base: string, { writable }: RepositorySources): string | null {
  if (!named) return null;
  const from = named.trim();
  // The name begins in the workspace; from there it has to lead out by itself.
  // `..` of a name in a file are meant as they stand.
  const found = followLinks(from.startsWith("/") ? from : posix.resolve(`${base}/${from}`), writable);
  return found && !found.isSteered ? found.path : null;
}

/** A git folder of the person's, whole, in no private place, in which nothing that is held read-only is a link or leads elsewhere. */
function isSound(folder: string, sources: RepositorySources): boolean {
  if (!isOwned(folder, sources) || placeRefusal(folder, sources) !== null) return false;
  const isFolder = (name: string) => statEntry(`${folder}/${name}`)?.isDirectory() === true;
  const isFile = (name: string) => statEntry(`${folder}/${name}`)?.isFile() === true;
  if (!isFolder("objects") || !isFolder("refs") || !isFile("HEAD") || !isFile("config")) return false;
  // A folder that shares another's is no repository of its own, whoever made it one.
  return statEntry(`${folder}/commondir`) === null && !hasLinks(folder);
}

const hasLinks = (folder: string): boolean =>
  ["info", ...OUTER_GIT_PARTS].some((part) => statEntry(`${folder}/${part}`)?.isSymbolicLink() === true);

const isOwned = (path: string, { uid }: RepositorySources): boolean => statEntry(path)?.uid === uid;

const textOf = (file: string): string => readOwnText(file, { maxBytes: MAX_GIT_FILE, links: "refuse" })?.slice(0, 65_536) ?? "";
