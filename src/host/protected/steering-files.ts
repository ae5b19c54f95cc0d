import { holdsSteering, steeringIn, steersClient } from "../../core/protected.ts";
import { statEntry } from "../../files/stat.ts";
import { isWithin, parentOf } from "../../text/path.ts";
import { childPath, readFolder } from "./folders.ts";
import type { ProtectedSpot } from "./sweep.ts";

/**
 * The files and folders that steer other agents or Zeph, as far as they are there. Their names are asked for one by one, so that no number of other
 * files hides one.
 */
export function steeringAmong(spots: readonly ProtectedSpot[], roots: readonly string[]): readonly string[] {
  const inside = (path: string) => path.slice(roots.find((root) => isWithin(root, path))?.length ?? 0);
  const found = spots.flatMap(({ path, kind }) => {
    if (steersClient(inside(path))) return [path, ...(kind === "folder" ? entriesOf(path) : [])];
    if (!holdsSteering(path)) return [];
    // A link in the place of such a folder brings a folder of any other name.
    if (kind !== "folder") return [path];
    return steeringIn(parentOf(path)).filter((one) => isWithin(path, one) && statEntry(one) !== null);
  });
  // A folder that is no such place may be a link to one that was named otherwise.
  const behindLinks = roots.flatMap((root) =>
    steeringIn(root).filter((path) => isBelowLink(root, path) && statEntry(path) !== null && steersClient(inside(path))),
  );
  return [...new Set([...found, ...behindLinks])];
}

const entriesOf = (folder: string): readonly string[] => {
  const read = readFolder(folder);
  return read === null || read === "shut" ? [] : read.entries.map(({ name }) => childPath(folder, name));
};

const isBelowLink = (root: string, path: string): boolean => {
  const [first = "", ...rest] = path.slice(root.length + 1).split("/");
  return rest.length > 0 && statEntry(childPath(root, first))?.isSymbolicLink() === true;
};
