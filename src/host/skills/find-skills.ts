import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { BrokenSkill, SkillOrigin } from "../../core/ports/skill.ts";
import { followLinks } from "../../files/follow-links.ts";
import { isWithin } from "../../text/path.ts";
import { BrokenManifest, LARGEST_MANIFEST, type Manifest, readManifest } from "./manifest.ts";
import { errnoOf, filePrint, readBounded } from "./skill-files.ts";

/** A folder whose folders are skills. */
export interface SkillPlace {
  readonly path: string;
  readonly origin: SkillOrigin;
  /** A link may lead no further than this: a stranger's repository must not show files from elsewhere. */
  readonly within?: string;
  /** The person named it, so it is told when it is not there. */
  readonly named?: true;
  /** Folders that tools or commands can write: what they can put there, or lead elsewhere by a link, is nobody's own. */
  readonly writable?: readonly string[];
}

export interface FoundSkills {
  readonly skills: readonly FoundSkill[];
  readonly broken: readonly BrokenSkill[];
}
export interface FoundSkill extends Omit<Manifest, "body"> {
  readonly folder: string;
  readonly origin: SkillOrigin;
  /** Each path that led to the folder. */
  readonly paths: readonly string[];
  /** Tools or commands can change it, or where one of its paths leads. */
  readonly isLoose: boolean;
}

const MOST_SKILLS = 200;
const MOST_BESIDE = 2000;
export const MANIFEST = "SKILL.md";

/** Looks for skills. A SKILL.md is read again only when the system says that it changed. */
export function createSkillFinder(places: readonly SkillPlace[], isHidden: (path: string) => boolean = () => false): () => FoundSkills {
  let known = new Map<string, { readonly print: string; readonly head: Omit<Manifest, "body"> | string }>();
  return () => {
    const next: typeof known = new Map();
    const byName = new Map<string, FoundSkill>();
    const seen = new Map<string, string[]>();
    const broken: BrokenSkill[] = [];
    const take = (folder: string, path: string, place: SkillPlace): void => {
      const file = join(folder, MANIFEST);
      const print = filePrint(file);
      // A folder without one is just a folder.
      if (print === null) return;
      const isLoose = canBeChanged(place.writable ?? [], path, folder);
      // One folder may be reached in two ways.
      if (seen.has(folder)) return void (isLoose || seen.get(folder)!.push(path));
      const paths = [path];
      seen.set(folder, paths);
      if (isHidden(file)) return void broken.push({ folder, why: "its SKILL.md may not be read: tools.file.deny_read" });
      const before = known.get(file);
      const entry = before?.print === print ? before : { print, head: headOf(folder) };
      next.set(file, entry);
      if (typeof entry.head === "string") return void broken.push({ folder, why: entry.head });
      const first = byName.get(entry.head.name);
      const origin = place.origin === "own" && isLoose ? "workspace" : place.origin;
      if (first)
        broken.push({
          folder,
          why: `the name "${entry.head.name}" is taken by ${first.folder}, which is found first`,
          ...(first.origin === "own" && origin === "own" && { isOwnDouble: true }),
        });
      else {
        const notes = origin === place.origin ? entry.head.notes : [...entry.head.notes, CHANGEABLE];
        byName.set(entry.head.name, { ...entry.head, notes, folder, origin, paths, isLoose });
      }
    };
    for (const place of places)
      for (const child of childrenOf(place, broken)) {
        if (seen.size >= MOST_SKILLS) {
          broken.push({
            folder: place.path,
            why: `there are more than ${MOST_SKILLS} skills; what comes after ${MOST_SKILLS} is left out`,
          });
          known = next;
          return result(byName, broken);
        }
        trying(join(place.path, child), broken, (path) => {
          const folder = realpathSync.native(path);
          if (place.within !== undefined && !isWithin(place.within, folder)) {
            if (filePrint(join(folder, MANIFEST)) !== null)
              broken.push({ folder: path, why: `it is a link that leads out of ${place.within}` });
          } else if (statSync(folder).isDirectory()) take(folder, path, place);
        });
      }
    known = next;
    return result(byName, broken);
  };
}

const CHANGEABLE = "tools or commands can change it from here, so it is not believed as your own";

/** A skill that can be written, or holds what can be, or is reached through a link that can be led elsewhere. */
const canBeChanged = (writable: readonly string[], path: string, folder: string): boolean =>
  writable.length > 0 &&
  (writable.some((root) => isWithin(root, folder) || isWithin(folder, root)) || followLinks(path, writable)?.isSteered !== false);

const result = (byName: ReadonlyMap<string, FoundSkill>, broken: readonly BrokenSkill[]): FoundSkills => ({
  skills: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
  broken,
});

function trying(folder: string, broken: BrokenSkill[], act: (folder: string) => void): void {
  try {
    act(folder);
  } catch (error) {
    const code = errnoOf(error);
    // A link to nowhere, or a file that is gone again: no skill.
    if (code !== "ENOENT" && code !== "ENOTDIR") broken.push({ folder, why: `it cannot be read (${code})` });
  }
}

function childrenOf({ path, named }: SkillPlace, broken: BrokenSkill[]): string[] {
  try {
    const names = readdirSync(path, { withFileTypes: true })
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
      .map(({ name }) => name)
      .sort();
    if (names.length > MOST_BESIDE) broken.push({ folder: path, why: `it holds more than ${MOST_BESIDE} folders; the rest is left out` });
    return names.slice(0, MOST_BESIDE);
  } catch (error) {
    const code = errnoOf(error);
    if (named || (code !== "ENOENT" && code !== "ENOTDIR"))
      broken.push({ folder: path, why: code === "ENOENT" ? "there is no such folder" : `it cannot be read (${code})` });
    return [];
  }
}

/** Why it is broken, where it is. */
function headOf(folder: string): Omit<Manifest, "body"> | string {
  try {
    const { body: _body, ...head } = manifestIn(folder);
    return head;
  } catch (error) {
    if (error instanceof BrokenManifest) return error.message;
    return errnoOf(error) === "link" ? "SKILL.md is a link; it must be the file itself" : `SKILL.md cannot be read (${errnoOf(error)})`;
  }
}

/** Throws a BrokenManifest, or what the system says. */
export function manifestIn(folder: string): Manifest {
  const bytes = readBounded(join(folder, MANIFEST), LARGEST_MANIFEST);
  if (bytes === null) throw new BrokenManifest("SKILL.md is larger than 256 KiB; put what is long into files beside it");
  return readManifest(bytes, basename(folder));
}
