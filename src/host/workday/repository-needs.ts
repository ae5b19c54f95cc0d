import { posix } from "node:path";
import type { Touch } from "../../core/touch.ts";
import { statEntry } from "../../files/stat.ts";
import { isWithin, parentOf } from "../../text/path.ts";

/** A workspace, the repository around it, and where a command starts. */
export interface RepositoryPlace {
  readonly cwd: string;
  readonly workspace: string;
  readonly top: string;
}

/** Whether a command is one that changes files of the repository outside of the workspace, as far as its words tell. */
export function needsAll(touches: readonly Touch[], place: RepositoryPlace): boolean {
  return touches.some((touch) => {
    if (touch.kind === "path") return touch.access !== "read" && liesBeside(posix.resolve(place.cwd, touch.path), place);
    return touch.kind === "command" && touch.argv[0] === "git" && isWideGit(touch.argv.slice(1), place);
  });
}

const liesBeside = (path: string, { workspace, top }: RepositoryPlace): boolean =>
  isWithin(top, path) && !isWithin(workspace, path) && !isWithin(`${top}/.git`, path);

type Words = readonly (string | null)[];

/** Verbs that bring another state of all files, whatever folder they are called in. */
const ALL: ReadonlySet<string> = new Set(["merge", "pull", "rebase", "cherry-pick", "revert", "am", "bisect", "sparse-checkout"]);
/** Verbs that change the files they name. */
const NAMED: ReadonlySet<string> = new Set(["restore", "rm", "mv", "clean", "apply", "checkout-index"]);
const TAKES_VALUE: ReadonlySet<string | null> = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace"]);

function isWideGit(words: Words, place: RepositoryPlace): boolean {
  let at = 0;
  let folder: string | null = place.cwd;
  for (; words[at]?.startsWith("-"); at++) {
    if (!TAKES_VALUE.has(words[at]!)) continue;
    const value = words[++at] ?? null;
    if (words[at - 1] === "-C") folder = folder === null || value === null ? null : posix.resolve(folder, value);
  }
  const verb = words[at];
  if (typeof verb !== "string" || (folder !== null && isOther(folder, place))) return false;
  const rest = words.slice(at + 1);
  if (ALL.has(verb)) return true;
  const isAway = (word: string | null) =>
    word === null || word.startsWith(":") || (!word.startsWith("-") && folder !== null && liesBeside(posix.resolve(folder, word), place));
  if (NAMED.has(verb)) return rest.some(isAway) || folder === null || liesBeside(folder, place) || folder === place.top;
  return SOMETIMES[verb]?.(rest, (word) => isAway(word) || !isHere(word, folder)) ?? false;
}

type IsNoFileHere = (word: string | null) => boolean;

const has = (rest: Words, ...names: readonly string[]): boolean => rest.some((word) => word !== null && names.includes(word));

const SOMETIMES: Readonly<Record<string, (rest: Words, isNoFileHere: IsNoFileHere) => boolean>> = {
  // A new branch at the same commit changes no file.
  switch: (rest) => !isNewBranch(rest, ["-c", "-C", "--create", "--force-create"]),
  checkout: (rest, isNoFileHere) => {
    const dashes = rest.indexOf("--");
    if (dashes !== -1 && dashes < rest.length - 1) return rest.slice(dashes + 1).some(isNoFileHere);
    return !isNewBranch(rest, ["-b", "-B"]) && rest.some((word) => word === null || (!word.startsWith("-") && isNoFileHere(word)));
  },
  reset: (rest) => has(rest, "--hard", "--merge", "--keep"),
  stash: (rest) => !has(rest.slice(0, 1), "list", "show", "drop", "clear", "create", "store"),
  "read-tree": (rest) => has(rest, "-u", "--reset"),
};

const isNewBranch = (rest: Words, options: readonly string[]): boolean => {
  const at = rest.findIndex((word) => word !== null && options.includes(word));
  return at !== -1 && rest.filter((word) => word === null || !word.startsWith("-")).length === 1;
};

const isHere = (word: string | null, folder: string | null): boolean =>
  word !== null && folder !== null && statEntry(posix.resolve(folder, word)) !== null;

/** A folder of the workspace that has a repository of its own, or one that lies elsewhere. */
function isOther(folder: string, { workspace, top }: RepositoryPlace): boolean {
  if (!isWithin(top, folder)) return true;
  for (let at = folder; isWithin(workspace, at); at = parentOf(at)) if (statEntry(`${at}/.git`) !== null) return true;
  return false;
}

const MOST_LINES = 200;
const LONGEST_LINE = 4096;

/** A file of the repository outside of the workspace that a program says it could not write; null where none is named. */
export function isRefusedThere(printed: string, place: RepositoryPlace): string | null {
  const lines = printed.split("\n").filter((line) => line.length <= LONGEST_LINE && /read-only file system|\bEROFS\b/i.test(line));
  for (const line of lines.slice(-MOST_LINES))
    for (const word of line.split(/[\s'"`‘’:,()]+/)) {
      if (!/[./\w]/.test(word)) continue;
      // Git names files from the top, everything else from where it stands.
      const named = [place.cwd, place.top].map((base) => posix.resolve(base, word));
      const found = named.find((path) => liesBeside(path, place) && statEntry(parentOf(path)) !== null);
      if (found !== undefined && found !== place.top && (word.includes("/") || statEntry(found) !== null)) return found;
    }
  return null;
}
