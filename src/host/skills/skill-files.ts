import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import type { Seal } from "../../core/ports/skill.ts";
import { OwnFileError, readOwnFile } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";

/** What lies in a skill's folder, without having read any of it. */
export interface SkillFiles {
  /** Regular files, relative to the folder, sorted. */
  readonly files: readonly string[];
  readonly links: readonly string[];
  /** Why it was not seen whole; null when it was. */
  readonly trouble: string | null;
}

const MOST_FILES = 1000;
const MOST_ENTRIES = 5000;
const DEEPEST = 20;
const MOST_BYTES = 20 * 1024 * 1024;

/** Follows no link; pipes and devices are passed over. */
export function listSkillFiles(folder: string): SkillFiles {
  const files: string[] = [];
  const links: string[] = [];
  let trouble: string | null = null;
  let entries = 0;
  const look = (below: string, depth: number): void => {
    for (const entry of entriesOf(join(folder, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (++entries > MOST_ENTRIES || files.length >= MOST_FILES) {
        trouble ??= `it holds more than ${files.length >= MOST_FILES ? `${MOST_FILES} files` : `${MOST_ENTRIES} entries`}`;
        return;
      }
      if (entry.isFile()) files.push(path);
      else if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isDirectory() && depth < DEEPEST) look(path, depth + 1);
      else if (entry.isDirectory()) trouble ??= `its folders go deeper than ${DEEPEST}`;
    }
  };
  const entriesOf = (path: string) => {
    try {
      return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      trouble ??= `${path} cannot be read (${errnoOf(error)})`;
      return [];
    }
  };
  look("", 0);
  return { files: files.sort(), links: links.sort(), trouble };
}

/** One word for everything about the files of a tree that a change changes; cheap, because nothing is opened. */
export function skillPrint(folder: string, { files, links, trouble }: SkillFiles): string {
  const hash = createHash("sha256").update(trouble ?? "");
  for (const path of [...files, ...links]) hash.update(`${path}\0${filePrint(join(folder, path)) ?? ""}\0`);
  return hash.digest("hex");
}

/** When something in a tree changed last, in milliseconds, by the system's own clock. */
export const newestChange = (folder: string, { files, links }: SkillFiles): number =>
  [...files, ...links].reduce(
    (newest, path) => Math.max(newest, lstatSync(join(folder, path), { throwIfNoEntry: false })?.ctimeMs ?? newest),
    0,
  );

/** Null when there is nothing at this path. Other trouble is thrown. */
export function filePrint(path: string): string | null {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat ? printed(stat) : null;
}
const printed = ({ dev, ino, size, mtimeNs, ctimeNs, mode }: BigIntStats) => [dev, ino, size, mtimeNs, ctimeNs, mode].join(":");

/** Reads everything, and returns the bytes of one file as they went into the hash. What cannot be covered whole has no hash. */
export function sealOf(folder: string, { files, links, trouble }: SkillFiles, wanted: string): Seal & { readonly bytes?: Buffer } {
  if (trouble !== null) return { why: trouble };
  const hash = createHash("sha256");
  let left = MOST_BYTES;
  let bytes: Buffer | undefined;
  try {
    for (const path of links) {
      if (!leadsInside(folder, path)) return { why: `${path} is a link that leads out of the folder` };
      hash.update(JSON.stringify(["link", path, readlinkSync(join(folder, path))]));
    }
    for (const path of files) {
      const content = readBounded(join(folder, path), left);
      if (content === null) return { why: `it holds more than ${MOST_BYTES / 1024 / 1024} MiB` };
      left -= content.length;
      if (path === wanted) bytes = content;
      hash.update(JSON.stringify(["file", path, content.length])).update(content);
    }
  } catch (error) {
    return { why: `not everything in it can be read (${errnoOf(error)})` };
  }
  return { hash: hash.digest("hex"), ...(bytes && { bytes }) };
}

/** The bytes of a file of a skill's canonical folder, not through a link; null when there are more than `most`. */
export function readBounded(path: string, most: number): Buffer | null {
  try {
    return readOwnFile(path, { maxBytes: most, links: "refuse on the way" }).bytes;
  } catch (error) {
    if (error instanceof OwnFileError && error.reason === "too large") return null;
    throw error;
  }
}

const leadsInside = (folder: string, path: string): boolean => attempt(() => isWithin(folder, realpathSync(join(folder, path))), false);

export const errnoOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);
