import { parentOf } from "../../text/path.ts";
import type { Disk } from "./disk.ts";
import { expandGlob, isGlob } from "./expand-glob.ts";
import type { Setting } from "./policy.ts";

/** A path of a list in the settings: as it is written, and where it leads. */
export interface ListedPath {
  readonly written: string;
  readonly real: string;
}
export interface ListedPaths {
  readonly found: readonly ListedPath[];
  readonly warnings: readonly string[];
}

export const createPathFinder =
  ({ cwd, home }: Pick<Setting, "cwd" | "home">, disk: Disk) =>
  (key: string, list: readonly string[]): ListedPaths => {
    const found: ListedPath[] = [];
    const warnings: string[] = [];
    for (const written of list) {
      const path = absolute(written, cwd, home);
      const real = disk.real(path);
      // A path that exists is that path, whatever letters it is made of.
      if (real !== null) found.push({ written: path, real });
      else if (isGlob(path)) {
        const expanded = expandGlob(path, disk);
        found.push(...expanded.paths.map((match) => ({ written: match, real: match })));
        warnings.push(...expanded.warnings);
        if (expanded.paths.length === 0) warnings.push(`${key}: nothing matches "${written}".`);
      } else warnings.push(`${key}: ${written} does not exist.`);
    }
    return { found, warnings };
  };

const absolute = (written: string, cwd: string, home: string) => {
  const path = written.replace(/(?<=.)\/+$/, "");
  if (path.startsWith("/")) return path;
  return path === "~" || path.startsWith("~/") ? home + path.slice(1) : `${cwd}/${path.replace(/^\.(?:\/|$)/, "")}`.replace(/\/$/, "");
};

/** Zeph's files may not exist yet. */
export function realOrParent(path: string, disk: Disk): string {
  // To be told that nothing is there costs more than to look first.
  const real = disk.kind(path) === null ? null : disk.real(path);
  if (real !== null || path === "/") return real ?? "/";
  const parent = realOrParent(parentOf(path), disk);
  return `${parent === "/" ? "" : parent}${path.slice(path.lastIndexOf("/"))}`;
}
