import { holdsSteering, steeringIn, steersClient } from "../../core/protected.ts";
import { entryIdentity, statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
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

/**
 * The files and folders that steer other agents or Zeph, as far as they are there. Their names are asked for one by one, so that no number of other
 * files hides one.
 */
export function steeringAmong(sweep: Sweep, roots: readonly string[]): readonly SteeringFile[] {
  const inside = (path: string) => path.slice(roots.find((root) => isWithin(root, path))?.length ?? 0);
  const found = new Map<string, SteeringFile>();
  const note = (path: string, way: Way | null) => {
    const one = way && lookAt(path, way);
    if (one) found.set(path, one);
  };
  for (const spot of sweep.spots) {
    const steers = steersClient(inside(spot.path));
    if (!steers && !holdsSteering(spot.path)) continue;
    const way = wayTo(sweep, roots, spot.path);
    // A link in the place of such a folder brings a folder of any other name.
    if (steers || spot.kind !== "folder") note(spot.path, way);
    if (way === null || spot.kind !== "folder") continue;
    for (const entry of entriesOf(spot, way)) {
      const path = childPath(spot.path, entry.name);
      if (steersClient(inside(path))) note(path, { ...way, names: [...way.names, entryName(entry)] });
    }
  }
  // A folder that is no such place may be a link to one that was named otherwise: there is what it leads to.
  for (const root of roots)
    for (const path of steeringIn(root)) {
      if (!isBelowLink(root, path) || !steersClient(inside(path))) continue;
      const parent = realDisk.real(parentOf(path));
      note(path, parent === null ? null : wayTo(sweep, roots, childPath(parent, nameOf(path))));
    }
  return [...found.values()];
}

/** Through held folders; one that is ours is opened for it, whatever its mode. */
const lookAt = (path: string, way: Way): SteeringFile | null =>
  attempt(
    () =>
      withPinned(pinBelow(way.root, way.names.slice(0, -1), 0o100), (dir) => {
        const stats = statEntry(dir.at(way.names.at(-1)!));
        return stats && { path, way, identity: entryIdentity(stats), changedMs: stats.ctimeMs };
      }),
    null,
  );

const entriesOf = ({ path }: ProtectedSpot, { root, names }: Way): readonly FolderEntry[] =>
  attempt(() => withPinned(pinBelow(root, names, 0o500), (dir) => listHeld(dir, path)?.entries ?? []), []);

const isBelowLink = (root: string, path: string): boolean => {
  const [first = "", ...rest] = path.slice(root.length + 1).split("/");
  return rest.length > 0 && statEntry(childPath(root, first))?.isSymbolicLink() === true;
};
