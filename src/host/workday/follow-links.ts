import { readlinkSync } from "node:fs";
import { statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, parentOf } from "../../text/path.ts";

/** Where a path leads. */
export interface FollowedPath {
  readonly path: string;
  /** Its way enters a folder that commands can write, so whatever lies there says nothing: `path` is how far it was followed, and the rest. */
  readonly isSteered: boolean;
}

/** As many as the system follows itself. */
const MOST_LINKS = 40;

/**
 * Follows each link of a path by itself, and stops where a step lies in a folder that commands can write: what they put there must not decide
 * what is opened to the next one. Null when it leads nowhere.
 */
export function followLinks(path: string, writable: readonly string[]): FollowedPath | null {
  let left = path.split("/");
  let here = "/";
  for (let links = 0; left.length > 0; ) {
    const [name, ...rest] = left as [string, ...string[]];
    left = rest;
    if (name === "" || name === ".") continue;
    if (name === "..") {
      here = parentOf(here);
      continue;
    }
    const next = here === "/" ? `/${name}` : `${here}/${name}`;
    if (writable.some((root) => isWithin(root, next))) return { path: [next, ...left].join("/"), isSteered: true };
    const stats = statEntry(next);
    if (stats === null) return null;
    if (!stats.isSymbolicLink()) here = next;
    else {
      const target = attempt(() => readlinkSync(next), null);
      if (target === null || ++links > MOST_LINKS) return null;
      if (target.startsWith("/")) here = "/";
      left = [...target.split("/"), ...left];
    }
  }
  return { path: here, isSteered: false };
}
