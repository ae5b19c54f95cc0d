import { existsSync, statSync } from "node:fs";
import { followLinks } from "../../files/follow-links.ts";
import { readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import { readFolder } from "../protected/folders.ts";
import { openingRefusal, type PrivatePlaces } from "./private-places.ts";
import { BESIDE, INTERPRETERS, programRoot, toolchainOf } from "./toolchains.ts";

/** The person's programs, as commands see them. */
export interface ProgramsOnPath {
  /** The person's PATH, in its order, as far as it is visible to commands. */
  readonly path: readonly string[];
  /** What is opened for it, read-only. */
  readonly read: readonly string[];
  readonly refused: readonly RefusedFolder[];
}

/** A folder on PATH that commands do not see, with the words that follow its name. */
export interface RefusedFolder {
  readonly folder: string;
  readonly why: string;
}

export interface ProgramSources extends PrivatePlaces {
  /** The person's PATH. */
  readonly path: string;
  readonly cwd: string;
  /** Folders that commands can write: nothing in them decides what is opened. */
  readonly writable: readonly string[];
  /** Folders that commands of other sessions could write: links are not followed through them either. */
  readonly elsewhere: readonly string[];
  /** Why the one who runs the commands cannot enter a place; null when they can. */
  readonly shut: (path: string) => string | null;
}

/** Links of a folder that are followed. */
const MOST_LINKS = 512;
/** Each is a mount at every command. */
const MOST_OPENED = 64;
const MOST_FOLDERS = 128;

export function findProgramsOnPath(sources: ProgramSources): ProgramsOnPath {
  const { homes, writable } = sources;
  const steering = [...writable, ...sources.elsewhere];
  const opened = new Set<string>();
  const refused: RefusedFolder[] = [];
  const path: string[] = [];
  const isSeen = (place: string) => [...SYSTEM, ...opened].some((root) => isWithin(root, place));
  const open = (place: string): string | null => {
    if (isSeen(place)) return null;
    const why = openingRefusal(place, sources) ?? sources.shut(place);
    if (why !== null) return why;
    if (opened.size >= MOST_OPENED) return `is one too many: ${MOST_OPENED} folders are opened at most`;
    opened.add(place);
    return null;
  };
  const openFollowed = (place: string): void => {
    const found = followLinks(place, steering);
    if (found && !found.isSteered) open(found.path);
  };

  for (const entry of entriesOf(sources.path)) {
    const found = followLinks(entry, writable);
    if (found === null || !isFolder(found.path)) continue;
    // What lies in the workspace is seen there as it is.
    if (found.isSteered || isSystem(found.path)) {
      path.push(found.isSteered ? found.path : entry);
      continue;
    }
    const why = openNarrowly(found.path, homes, open);
    if (why !== null) {
      refused.push({ folder: entry, why });
      continue;
    }
    path.push(found.path);
    for (const home of homes) for (const beside of BESIDE[found.path.slice(home.length + 1)] ?? []) openFollowed(`${home}/${beside}`);
    for (const target of linksIn(found.path, steering)) if (!isSeen(target)) openProgram(target, homes, open);
  }
  for (const home of homes) for (const named of interpretersOf(sources, home)) open(named);
  // An environment outside the workspace is the person's own, and so is what it names.
  for (const root of [...opened]) for (const home of environmentHome(root)) openFollowed(toolchainOf(home, homes));
  return { path: [...new Set(path)], read: withoutInner([...opened]), refused };
}

/** Visible to commands in any case. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const isSystem = (path: string): boolean => SYSTEM.some((root) => isWithin(root, path));

/** A relative one means another folder at each step. On Windows' disks lie programs for Windows. */
const entriesOf = (path: string): string[] =>
  [...new Set(path.split(":"))].filter((entry) => entry.startsWith("/") && !/^\/mnt\/[a-z]\//.test(entry)).slice(0, MOST_FOLDERS);

type Open = (place: string) => string | null;

/** The toolchain; where that may not be, the folder of programs alone. */
function openNarrowly(folder: string, homes: readonly string[], open: Open): string | null {
  const root = toolchainOf(folder, homes);
  const why = open(root);
  return why === null || root === folder ? why : open(folder) && why;
}

function openProgram(file: string, homes: readonly string[], open: Open): void {
  const root = programRoot(file, homes);
  if (open(root) !== null && root !== file) open(file);
}

function linksIn(path: string, writable: readonly string[]): string[] {
  const folder = readFolder(path);
  if (folder === null || folder === "shut") return [];
  return folder.entries
    .filter(({ kind }) => kind === "link")
    .slice(0, MOST_LINKS)
    .flatMap(({ name }) => {
      const found = followLinks(`${path}/${name}`, writable);
      return found && !found.isSteered && !isSystem(found.path) ? [found.path] : [];
    });
}

/** The workspace names it, so only a place from the fixed list counts, before links are followed and after. */
function interpretersOf({ cwd, homes, writable }: ProgramSources, home: string): string[] {
  const isKnown = (path: string) => INTERPRETERS.some((place) => isWithin(`${home}/${place}`, path) && path !== `${home}/${place}`);
  return ENVIRONMENTS.flatMap((name) => environmentHome(`${cwd}/${name}`)).flatMap((named) => {
    if (named.includes("/..") || !isKnown(named)) return [];
    const found = followLinks(named, writable);
    const root = found && !found.isSteered ? toolchainOf(found.path, homes) : null;
    return root !== null && isKnown(root) ? [root] : [];
  });
}

const ENVIRONMENTS = [".venv", "venv", "env"];
const MAX_CFG = 64 * 1024;

/** The folder of the interpreter that a virtual environment of Python leans on. */
function environmentHome(folder: string): string[] {
  if (!existsSync(`${folder}/pyvenv.cfg`)) return [];
  const home = /^home\s*=\s*(\/.*?)\s*$/m.exec(readOwnText(`${folder}/pyvenv.cfg`, { maxBytes: MAX_CFG, links: "refuse" }) ?? "")?.[1];
  return home === undefined ? [] : [home];
}

const isFolder = (path: string): boolean => attempt(() => statSync(path).isDirectory(), false);

const withoutInner = (paths: readonly string[]): string[] =>
  paths.filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));
