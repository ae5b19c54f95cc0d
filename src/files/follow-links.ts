import { readlinkSync } from "node:fs";
import { attempt } from "../text/attempt.ts";
import { isWithin, parentOf } from "../text/path.ts";
import { lastingIdentity, statEntry } from "./stat.ts";

/** Where a path leads. */
export interface FollowedPath {
  readonly path: string;
  /** Its way enters a folder that commands can write, so whatever lies there says nothing: `path` is how far it was followed, and the rest. */
  readonly isSteered: boolean;
}

/** As many as the system follows itself. */
const MOST_LINKS = 40;
const NO_MARKS: ReadonlySet<string> = new Set();

/**
 * Follows each link of a path by itself, and stops where a step lies in a folder that commands can write: what they put there must not decide
 * what is opened to the next one. `marks` are such folders by what `lastingIdentity` says, for one that has several names. Null when it leads nowhere.
 */
export function followLinks(path: string, writable: readonly string[], marks: ReadonlySet<string> = NO_MARKS): FollowedPath | null {
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
    const steered = { path: [next, ...left].join("/"), isSteered: true };
    if (writable.some((root) => isWithin(root, next))) return steered;
    const stats = statEntry(next);
    if (stats === null) return null;
    if (marks.size > 0 && marks.has(lastingIdentity(stats))) return steered;
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
