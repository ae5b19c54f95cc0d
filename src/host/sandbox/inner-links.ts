import { isWithin, parentOf } from "../../text/path.ts";
import type { OpenedFolder } from "../skills/opened-skills.ts";

/** Where it leads, and the name that leads there. */
export type InnerLink = readonly [target: string, name: string];

export interface LinkSettings {
  readonly home: string;
  /** The home inside. */
  readonly inside: string;
  /** What is mounted, by its path: names in it are there already, and nothing can be added to it. */
  readonly mounts: readonly string[];
}

/** The names of shown folders that would be missing inside: those of links, and those that begin with `~`. */
export function innerLinks(folders: readonly OpenedFolder[], { home, inside, mounts }: LinkSettings): InnerLink[] {
  const links = folders.flatMap(({ folder, names }) =>
    names
      .flatMap((name) => [name, ...(isWithin(home, name) ? [inside + name.slice(home.length)] : [])])
      .filter((name) => !mounts.some((mount) => isWithin(mount, name)) && !KEPT.some((kept) => isWithin(inside + kept, name)))
      .map((name): InnerLink => [folder, name]),
  );
  // What lies below another link is reached through it.
  const names = new Set(links.map(([, name]) => name));
  const isBelow = (name: string): boolean => name !== "/" && (names.has(parentOf(name)) || isBelow(parentOf(name)));
  return links.filter(([, name], n) => !isBelow(name) && links.findIndex((other) => other[1] === name) === n);
}

/** What commands keep from one to the next: a link made there would stay. */
const KEPT = ["/.cache", "/.local/share/pnpm"];
