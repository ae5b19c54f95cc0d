import type { Refusal } from "../../core/ports/facts.ts";
import { statEntry } from "../../files/stat.ts";
import type { Matcher } from "../../text/glob.ts";
import { isWithin } from "../../text/path.ts";
import { childPath, type ListedFolder, readFolder, type Steps } from "./folders.ts";
import { findHardLinks } from "./hard-links.ts";

/** One glob of `tools.file.deny_read`. */
export interface HiddenGlob {
  readonly glob: string;
  readonly matches: Matcher;
  /** The folder that everything it matches lies in; null when that is any folder. */
  readonly start: string | null;
}

/** A file or folder that nobody may read, where it lies. */
export interface HiddenFile {
  readonly path: string;
  readonly kind: "file" | "folder";
}

export interface HiddenFiles {
  readonly places: readonly HiddenFile[];
  /** Why not all of them were found, in words; null when they were. */
  readonly unfinished: string | null;
}

/** The bounds of a look for such files, at each command. Each is a mount, and the time for them grows with the square of their number. */
export const MOST_HIDDEN = 200;
export const MOST_HIDDEN_FOLDERS = 50_000;
export const MOST_HIDDEN_MS = 3000;

const NOTHING: HiddenFiles = { places: [], unfinished: null };

/** Every existing file that the globs match below the roots, by each of its names there. Links are not followed: what they lead to is found itself. */
export function* findHidden(
  globs: readonly HiddenGlob[],
  roots: readonly string[],
  /** Folders that are seen too, and only searched by a glob that begins in them. */
  besides: readonly string[] = [],
): Steps<HiddenFiles> {
  if (globs.length === 0) return NOTHING;
  const until = performance.now() + MOST_HIDDEN_MS;
  const found = new Map<string, HiddenFile["kind"]>();
  // What lies elsewhere is not seen by a command; another name of it may be.
  const elsewhere: string[] = [];
  let unnamed: string | null = null;
  const isSeen = (path: string) => [...roots, ...besides].some((root) => isWithin(root, path));
  const starts = startsOf(globs, roots);
  const open = [...starts];
  for (let seen = 0; open.length > 0; seen++) {
    if (seen % 32 === 31) yield;
    const over = whyOver(seen, found.size, performance.now() > until);
    if (over !== null) return { places: placesOf(found), unfinished: over };
    const path = open.pop()!;
    const folder = readFolder(path);
    if (folder === "shut" && isSeen(path) && !roots.includes(path)) found.set(path, "folder");
    if (folder === null) for (const file of fileOf(path, globs)) isSeen(file) ? found.set(file, "file") : elsewhere.push(file);
    if (folder === null || folder === "shut") continue;
    const { hidden, folders, odd } = folder.derived(globs, (one) => lookThrough(one, globs));
    if (odd !== undefined && isSeen(path))
      unnamed ??= `the name ${JSON.stringify(odd)} in ${path} is no text, so no wall can be built there`;
    for (const one of hidden) {
      if (isSeen(one.path)) found.set(one.path, one.kind);
      else if (one.kind === "file") elsewhere.push(one.path);
      else open.push(one.path);
    }
    for (const name of folders) open.push(childPath(path, name));
  }
  const twins = yield* findHardLinks([...found.keys(), ...elsewhere], roots);
  for (const path of twins.paths)
    if (![...found].some(([other, kind]) => kind === "folder" && isWithin(other, path))) found.set(path, "file");
  const unfinished = twins.isComplete ? whyOver(0, found.size, false) : whyOver(MOST_HIDDEN_FOLDERS, 0, false);
  return { places: placesOf(found), unfinished: unfinished ?? unnamed };
}

/** Why a command may not name a path; null when it may. */
export function hiddenRefusal(
  { canonical, hidden }: { canonical(path: string): string; hidden: readonly HiddenGlob[] },
  path: string,
): Refusal | null {
  const real = canonical(path);
  const hit = hidden.find(({ matches }) => matches(real));
  return hit ? { rule: `deny_read ${hit.glob}`, why: `${real} may not be read: tools.file.deny_read lists "${hit.glob}".` } : null;
}

/** Why a file with several names is not read; null when none of them is meant. */
export function otherNameRefusal(path: string, { places, unfinished }: HiddenFiles): Refusal | null {
  const isIt = places.some((place) => place.path === path || (place.kind === "folder" && isWithin(place.path, path)));
  const why = isIt
    ? `${path} may not be read: it is another name of a file that tools.file.deny_read keeps from being read.`
    : `${path} has several names, and whether tools.file.deny_read means one of them is not known: ${unfinished}.`;
  return isIt || unfinished !== null ? { rule: "deny_read", why } : null;
}

const placesOf = (found: ReadonlyMap<string, HiddenFile["kind"]>): HiddenFile[] =>
  [...found]
    .map(([path, kind]) => ({ path, kind }))
    .sort((a, b) => a.path.length - b.path.length)
    .slice(0, MOST_HIDDEN);

function whyOver(folders: number, hidden: number, late: boolean): string | null {
  if (folders >= MOST_HIDDEN_FOLDERS) return `there are more than ${MOST_HIDDEN_FOLDERS} folders to look into`;
  if (hidden > MOST_HIDDEN) return `more than ${MOST_HIDDEN} files match`;
  return late ? `the look took longer than ${MOST_HIDDEN_MS / 1000} s` : null;
}

/** A glob that begins at a folder is looked for there alone. */
function startsOf(globs: readonly HiddenGlob[], roots: readonly string[]): string[] {
  const wanted = globs.flatMap(({ start }) => (start === null ? roots : [start]));
  // A start that holds a root, or all of the machine, is only looked at where commands see anything.
  const narrowed = wanted.flatMap((start) => {
    const inner = roots.filter((root) => isWithin(start, root));
    return inner.length > 0 ? inner : [start];
  });
  return [...new Set(narrowed)].filter((start, _, all) => !all.some((other) => other !== start && isWithin(other, start)));
}

function fileOf(path: string, globs: readonly HiddenGlob[]): string[] {
  const isFile = statEntry(path)?.isFile() ?? false;
  return isFile && globs.some(({ matches }) => matches(path)) ? [path] : [];
}

/** Stand-ins for any name: a glob that covers these covers all that is in a folder. */
const SOME = ["\u0001", "\u0001/\u0001"];

interface LookedThrough {
  readonly hidden: HiddenFile[];
  readonly folders: string[];
  /** The first name that is no text, of a folder or of a file that is meant. */
  readonly odd?: string;
}

function lookThrough({ path, entries }: ListedFolder, globs: readonly HiddenGlob[]): LookedThrough {
  const hidden: HiddenFile[] = [];
  const folders: string[] = [];
  let odd: string | undefined;
  for (const { name, kind, bytes } of entries) {
    if (kind !== "file" && kind !== "folder") continue;
    const here = childPath(path, name);
    const isMatched = globs.some(({ matches }) => matches(here) || (kind === "folder" && SOME.every((some) => matches(`${here}/${some}`))));
    if (bytes && (isMatched || kind === "folder")) odd ??= name;
    else if (isMatched) hidden.push({ path: here, kind });
    else if (kind === "folder") folders.push(name);
  }
  return { hidden, folders, ...(odd !== undefined && { odd }) };
}
