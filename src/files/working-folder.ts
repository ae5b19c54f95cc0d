import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { attempt } from "../text/attempt.ts";

/** The folder that was named, or that of the process. Throws a TypeError, in words, for what is no folder. */
export function workingFolder(named: string | undefined, option = "cwd"): string {
  if (named === undefined) return processFolder(option);
  if (typeof named !== "string" || named === "") throw new TypeError(`${option} must be the path of a folder.`);
  const kind = kindOf(named);
  if (kind !== "a folder") throw new TypeError(`${option} must be a folder that is there: ${named} is ${kind}.`);
  return named;
}

function processFolder(option: string): string {
  const gone = new TypeError(`The folder this process was started in is gone. Change to one that is there, or name one with ${option}.`);
  try {
    // Node remembers where it was, also after that is gone.
    const folder = process.cwd();
    if (kindOf(folder) === "not") throw gone;
    return folder;
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ENOENT" ? gone : error;
  }
}

function kindOf(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? "not" : found.isDirectory() ? "a folder" : "no folder";
  } catch (error) {
    return `not one that can be looked at (${(error as NodeJS.ErrnoException).code})`;
  }
}

/** Where a path leads once every link on the way is followed; what is not there yet is named behind what is. Null where that cannot be told. */
export function realPlace(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // A link that leads to nothing may lead to something when it is written to.
    const isNew = code === "ENOENT" && attempt(() => lstatSync(path, { throwIfNoEntry: false }) === undefined, false);
    const above = dirname(path);
    if (!isNew || above === path) return null;
    const parent = realPlace(above);
    return parent === null ? null : join(parent, basename(path));
  }
}

/** Where a folder lies once every link is resolved; as it is written where that cannot be told. */
export const realFolder = (path: string): string => attempt(() => realpathSync.native(path), path);
