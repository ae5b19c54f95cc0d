import { closeSync, readdirSync, type Stats, statSync } from "node:fs";
import { attempt } from "../../text/attempt.ts";
import { isWithin, parentOf } from "../../text/path.ts";
import type { PathRules } from "../files/paths.ts";
import { openFile } from "../files/pin.ts";
import { readWholeText } from "../files/reading.ts";

/** One folder of a project, as far as it tells which programs the project uses. */
export interface Folder {
  readonly path: string;
  has(name: string): boolean;
  /** The text of a short file; null when it is not there, may not be read or is no text. */
  text(name: string): string | null;
}

/** Where a call looks: the file or folder it is about, and the folders from there up to the workspace, nearest first. */
export interface ProjectPlace {
  readonly target: string;
  readonly folders: readonly Folder[];
}

export function findProjectPlace(rules: PathRules, target: string): ProjectPlace {
  const root = [rules.cwd, ...rules.roots].find((folder) => isWithin(folder, target)) ?? target;
  const start = isFolder(target) ? target : parentOf(target);
  const paths = [start];
  // A file may itself be what is allowed: then its folder is all there is.
  while (isWithin(root, paths.at(-1)!) && paths.at(-1) !== root) paths.push(parentOf(paths.at(-1)!));
  return { target, folders: paths.map((path) => folderAt(rules, path)) };
}

/** Folders directly below that `is` recognises. Only the first few hundred are looked at. */
export function foldersBelow(rules: PathRules, path: string, is: (folder: Folder) => boolean): string[] {
  const look = () =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
      .slice(0, 300)
      .map(({ name }) => folderAt(rules, `${path === "/" ? "" : path}/${name}`))
      .filter(is)
      .map((folder) => folder.path);
  return attempt(look, []);
}

function folderAt(rules: PathRules, path: string): Folder {
  const inside = (name: string) => `${path === "/" ? "" : path}/${name}`;
  return {
    path,
    has: (name) => isFile(inside(name)),
    text: (name) =>
      attempt(() => {
        const file = rules.canonical(inside(name));
        const isOpen = rules.judge({ kind: "path", access: "read", path: file }, file) === null;
        return isOpen ? shortText(file) : null;
      }, null),
  };
}

const MOST_TEXT = 16 * 1024 * 1024;

function shortText(path: string): string | null {
  const file = openFile(path);
  if (file.stats.size <= MOST_TEXT) return readWholeText(file, path);
  closeSync(file.fd);
  return null;
}

export const isFile = (path: string): boolean => look(path)?.isFile() ?? false;
const isFolder = (path: string): boolean => look(path)?.isDirectory() ?? false;

/** undefined for what is not there or may not be looked at. */
const look = (path: string): Stats | undefined => attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);
