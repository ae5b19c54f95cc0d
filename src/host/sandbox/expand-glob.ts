import { type Dirent, readdirSync } from "node:fs";
import { attempt } from "../../text/attempt.ts";
import { compileGlob } from "../../text/glob.ts";
import { isWithin } from "../../text/path.ts";
import type { Disk } from "./disk.ts";

/** More would make each command slow, and a mount table that long is a mistake in the setting. */
const MAX_SEEN = 20_000;
const MAX_FOUND = 256;

export interface Expanded {
  readonly paths: readonly string[];
  readonly warnings: readonly string[];
}

export const isGlob = (written: string): boolean => /[*?[{]/.test(written);

/**
 * Every existing path a glob stands for, links followed. A match that leads out of the folder the glob starts at is left out:
 * a command could have put a link there to have it mounted for the next one.
 */
export function expandGlob(pattern: string, disk: Disk): Expanded {
  const start = disk.real(literalStart(pattern));
  if (start === null) return { paths: [], warnings: [] };
  // Matched below the real folder, so the pattern has to start there too.
  const matches = compileGlob(`${start === "/" ? "" : start}${pattern.slice(literalStart(pattern).length)}`, {
    flavour: "path",
    letters: "exact",
  });
  const found = new Set<string>();
  const warnings: string[] = [];
  for (const path of walk(start, depthOf(pattern), warnings)) {
    if (!matches(path)) continue;
    const real = disk.real(path);
    if (real === null) continue;
    if (!isWithin(start, real)) warnings.push(`${path} is a link to ${real}, outside ${start}; it is left out.`);
    else found.add(real);
    if (found.size < MAX_FOUND) continue;
    warnings.push(`"${pattern}" matches more than ${MAX_FOUND} paths; the rest are left out.`);
    break;
  }
  return { paths: withoutInner([...found]), warnings };
}

/** The folder before the first segment with a wildcard. */
const literalStart = (pattern: string): string => {
  const wild = pattern.search(/[*?[{]/);
  return pattern.slice(0, Math.max(0, pattern.lastIndexOf("/", wild))) || "/";
};

/** How deep to look below the start: braces may hide slashes, `**` means any depth. */
function depthOf(pattern: string): number {
  const rest = pattern.slice(literalStart(pattern).length);
  return rest.includes("**") || rest.includes("{") ? Number.POSITIVE_INFINITY : rest.split("/").filter(Boolean).length;
}

function* walk(start: string, depth: number, warnings: string[]): Generator<string> {
  const open: [folder: string, depth: number][] = [[start, depth]];
  for (let seen = 0; open.length > 0; ) {
    const [folder, left] = open.shift()!;
    for (const entry of entries(folder)) {
      if (++seen > MAX_SEEN) {
        warnings.push(`Stopped looking below ${start} after ${MAX_SEEN} entries; write a narrower glob.`);
        return;
      }
      const path = folder === "/" ? `/${entry.name}` : `${folder}/${entry.name}`;
      yield path;
      if (entry.isDirectory() && left > 1) open.push([path, left - 1]);
    }
  }
}

const entries = (folder: string): Dirent[] => attempt(() => readdirSync(folder, { withFileTypes: true }), []);

/** A folder brings everything below it. */
const withoutInner = (paths: readonly string[]) => paths.filter((path) => !paths.some((other) => other !== path && isWithin(other, path)));
