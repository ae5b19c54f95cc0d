import { isWithin, parentOf } from "../../text/path.ts";
import { childPath, readFolder } from "../protected/folders.ts";
import { createSnapshot, realDisk } from "../sandbox/disk.ts";
import { realOrParent } from "../sandbox/listed-paths.ts";
import { placeRefusal } from "../workday/private-places.ts";
import type { FoundSkill } from "./find-skills.ts";

/** A folder outside of the workspace that tools may read and commands may read and run from. */
export interface OpenedFolder {
  readonly folder: string;
  /** Each name it is known by, itself among them. */
  readonly names: readonly string[];
}

export interface OpenedSkillsOptions {
  /** Those that are trusted as they are now. */
  readonly trusted: () => readonly FoundSkill[];
  readonly home: string;
  /** Zeph's own files and the person's keys. */
  readonly own: readonly string[];
}

/** One call asks several times. */
const SAME_MS = 20;

/** The folders of trusted skills that are the person's own, or that their settings list. Nothing beside them is opened. */
export function createOpenedSkills({ trusted, home, own }: OpenedSkillsOptions): () => readonly OpenedFolder[] {
  let last: { readonly at: number; readonly found: readonly OpenedFolder[] } | undefined;
  return () => {
    if (last && performance.now() - last.at < SAME_MS) return last.found;
    const disk = createSnapshot(realDisk);
    const places = { homes: [disk.real(home) ?? home], own: own.map((path) => realOrParent(path, disk)) };
    const found = trusted()
      .filter(({ origin, isLoose }) => origin !== "workspace" && !isLoose)
      .filter((skill) => isPlain(skill, places))
      .map(({ folder, paths }) => ({ folder, names: [...new Set([folder, ...paths])] }));
    last = { at: performance.now(), found: [...wholeFolders(found), ...found] };
    return last.found;
  };
}

/** Folders in which nothing lies but opened ones: shown at once, a hundred skills cost a command no more than one. */
function wholeFolders(opened: readonly OpenedFolder[]): OpenedFolder[] {
  const known = new Set(opened.map(({ folder }) => folder));
  return [...new Set(opened.map(({ folder }) => parentOf(folder)))].flatMap((folder) => {
    const listed = readFolder(folder);
    if (listed === null || listed === "shut") return [];
    // A link leads only to what is shown besides.
    const isAll = listed.entries.every(({ name, kind }) => kind === "link" || known.has(childPath(folder, name)));
    const names = opened.flatMap((one) => (parentOf(one.folder) === folder ? one.names.map(parentOf) : []));
    return isAll ? [{ folder, names: [...new Set(names)].filter((name) => realDisk.real(name) === folder) }] : [];
  });
}

/**
 * A folder that lies where skills are looked for is one. One that a link leads to may be anything: it is opened as the folder of a program would
 * be, so never the home, a folder of keys, or what holds one.
 */
function isPlain({ folder, paths }: FoundSkill, places: Parameters<typeof placeRefusal>[1]): boolean {
  const isThere = paths.some((path) => realDisk.real(parentOf(path)) === parentOf(folder));
  if (!isThere) return placeRefusal(folder, places) === null;
  return ![...places.homes, ...places.own].some((place) => isWithin(folder, place));
}
