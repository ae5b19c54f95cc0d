import { holdsSteering, steeringIn, steersClient } from "../../core/protected.ts";
import { entryIdentity, statEntry } from "../../files/stat.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { pinBelow, withPinned } from "../files/pin.ts";
import { realDisk } from "../sandbox/disk.ts";
import { childPath, entryName, type FolderEntry, listHeld } from "./folders.ts";
import { type ProtectedSpot, type Sweep, type Way, wayTo } from "./sweep.ts";

/** A file or folder that steers another agent or Zeph. */
export interface SteeringFile {
  readonly path: string;
  /** How to come to it without following a link. */
  readonly way: Way;
  /** Which file it was when it was looked at. */
  readonly identity: string;
  readonly changedMs: number;
}

export interface SteeringFound {
  readonly files: readonly SteeringFile[];
  /** Nothing that the sweep saw had another folder above it by the time it was looked at. */
  readonly isSteady: boolean;
}

/**
 * The files and folders that steer other agents or Zeph, as far as they are there. Their names are asked for one by one, so that no number of other
 * files hides one.
 */
export function steeringAmong(sweep: Sweep, roots: readonly string[]): SteeringFound {
  const inside = (path: string) => path.slice(roots.find((root) => isWithin(root, path))?.length ?? 0);
  const found = new Map<string, SteeringFile>();
  let isSteady = true;
  const note = (path: string, way: Way | null) => {
    const one = way === null ? "refused" : lookAt(path, way);
    if (one !== "refused" && one !== null) found.set(path, one);
    return one;
  };
  const noteSeen = (path: string, way: Way | null) => {
    if (note(path, way) === null) isSteady = false;
  };
  for (const spot of sweep.spots) {
    const steers = steersClient(inside(spot.path));
    if (!steers && !holdsSteering(spot.path)) continue;
    const way = wayTo(sweep, roots, spot.path);
    // A link in the place of such a folder brings a folder of any other name.
    if (steers || spot.kind !== "folder") noteSeen(spot.path, way);
    if (way === null || spot.kind !== "folder") continue;
    const entries = entriesOf(spot, way);
    if (entries === null) isSteady = false;
    for (const entry of entries ?? []) {
      const path = childPath(spot.path, entry.name);
      if (steersClient(inside(path))) noteSeen(path, { ...way, names: [...way.names, entryName(entry)] });
    }
  }
  // A folder that is no such place may be a link to one that was named otherwise: there is what it leads to.
  for (const root of roots)
    for (const path of steeringIn(root)) {
      if (!isBelowLink(root, path) || !steersClient(inside(path))) continue;
      const parent = realDisk.real(parentOf(path));
      note(path, parent === null ? null : wayTo(sweep, roots, childPath(parent, nameOf(path))));
    }
  return { files: [...found.values()], isSteady };
}

/** Through held folders; one that is ours is opened for it, whatever its mode. Null where its way leads elsewhere by now, or it is gone. */
const lookAt = (path: string, way: Way): SteeringFile | "refused" | null =>
  unlessMoved(() =>
    withPinned(pinBelow(way.root, way.names.slice(0, -1), 0o100), (dir) => {
      const stats = statEntry(dir.at(way.names.at(-1)!));
      return stats && { path, way, identity: entryIdentity(stats), changedMs: stats.ctimeMs };
    }),
  );

/** What may not be listed stays so, and is told by the sweep. */
function entriesOf({ path }: ProtectedSpot, { root, names }: Way): readonly FolderEntry[] | null {
  const found = unlessMoved(() => withPinned(pinBelow(root, names, 0o500), (dir) => listHeld(dir, path)?.entries ?? []));
  return found === "refused" ? [] : found;
}

function unlessMoved<T>(act: () => T): T | "refused" | null {
  try {
    return act();
  } catch (error) {
    return ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "") ? "refused" : null;
  }
}

const isBelowLink = (root: string, path: string): boolean => {
  const [first = "", ...rest] = path.slice(root.length + 1).split("/");
  return rest.length > 0 && statEntry(childPath(root, first))?.isSymbolicLink() === true;
};
