import type { Later } from "../../core/ports/shell.ts";
import { GIT_PARTS } from "../../core/protected.ts";
import { type OwnMark, ownMark } from "../../files/own-place.ts";
import { realDisk } from "../sandbox/disk.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type FileState, fileState, isSameState } from "./file-state.ts";
import { childPath, finish, finishInTurns, readFolder, type Steps } from "./folders.ts";
import { gitFolders, innerGitFolders, namedInConfig } from "./git-folders.ts";
import { isPlainConfig } from "./plain-config.ts";
import { steeringAmong } from "./steering-files.ts";
import { type Sweep, sweepProtected } from "./sweep.ts";

/**
 * What mounts cannot prevent: files that something outside the walls runs or obeys later and that are new, or that commands may change.
 * Call `beforeCommand`, run the command, call `changesSince`, and report all of it.
 */
export interface BeforeCommand {
  readonly roots: readonly string[];
  /** Git folders of other places among what is written. */
  readonly outer: readonly string[];
  readonly seen: ReadonlyMap<string, FileState>;
  /** What steers other agents, and was there. */
  readonly steering: ReadonlySet<string>;
  /** Of Zeph's own files, where commands may write them. */
  readonly zeph: OwnMark | null;
}

export function beforeCommand({ write, swept, outer = [] }: Pick<Policy, "write" | "swept" | "outer">): BeforeCommand {
  const sweep = swept ?? finish(sweepProtected(write));
  const roots = write.filter((root) => !outer.includes(root));
  return {
    roots,
    outer,
    seen: finish(lookSteps(write, outer, sweep)),
    steering: new Set(steeringAmong(sweep.spots, roots)),
    zeph: ownMark(),
  };
}

/** Compares in turns, so that other work goes on in between. */
export const changesSince = async (before: BeforeCommand): Promise<Later[]> => [
  ...compared(before.seen, await finishInTurns(lookSteps(before.roots, before.outer))),
  ...changedZeph(before.zeph),
];

/** As one: an install changes hundreds of its files. */
function changedZeph(before: OwnMark | null): Later[] {
  return before === null || ownMark()?.mark === before.mark ? [] : [{ path: before.root, how: "changed", isZeph: true }];
}

/** The same for a program that runs for long: each time, what is so since the time before. */
export function createChangeWatch({ write, outer = [] }: Pick<Policy, "write" | "outer">): () => Later[] {
  const roots = write.filter((root) => !outer.includes(root));
  let before: Omit<BeforeCommand, "steering" | "zeph"> = { roots, outer, seen: finish(lookSteps(roots, outer)) };
  return () => {
    const seen = finish(lookSteps(before.roots, before.outer));
    const found = compared(before.seen, seen);
    before = { ...before, seen };
    return found;
  };
}

function compared(seen: ReadonlyMap<string, FileState>, now: ReadonlyMap<string, FileState>): Later[] {
  const found: Later[] = [];
  for (const [path, mark] of now) {
    const old = seen.get(path);
    if (old === undefined) found.push({ path, how: "appeared" });
    else if (!isSameState(old, mark)) found.push({ path, how: "changed" });
  }
  for (const path of seen.keys()) if (!now.has(path)) found.push({ path, how: "is gone" });
  const fresh = new Set(found.flatMap(({ path, how }) => (how !== "is gone" && now.get(path)?.kind === "folder" ? [path] : [])));
  const gone = new Set(found.flatMap(({ path, how }) => (how === "is gone" ? [path] : [])));
  const isNew = (path: string) => fresh.has(path);
  return found
    .filter(({ path, how }) => {
      const parents = parentsOf(path);
      // A folder that is gone says it of all that was in it; a repository that is new says it of the settings git writes itself.
      if (how === "is gone") return !parents.some((parent) => gone.has(parent));
      return !(path.endsWith("/config") && parents.some(isNew) && isPlainConfig(path)) && !(isEmptyPart(path, now) && parents.some(isNew));
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The folder of hooks that git makes itself. Each hook in it has a name of its own here. */
const isEmptyPart = (path: string, now: ReadonlyMap<string, FileState>): boolean =>
  path.endsWith("/hooks") && now.get(path)?.kind === "folder";

const parentsOf = (path: string): string[] => {
  const found: string[] = [];
  for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) found.push(path.slice(0, end));
  return found;
};

/** What lies in one such folder; more is not looked at one by one. */
const MOST_INSIDE = 5000;

function* lookSteps(roots: readonly string[], outer: readonly string[], swept?: Sweep): Steps<Map<string, FileState>> {
  const found = new Map<string, FileState>();
  const note = (path: string): FileState["kind"] | null => {
    if (found.has(path)) return found.get(path)!.kind;
    const mark = fileState(path);
    if (mark !== null) found.set(path, mark);
    return mark?.kind ?? null;
  };
  const noteTree = function* (path: string): Steps<void> {
    const open = [path];
    for (let seen = 0; open.length > 0 && seen < MOST_INSIDE; seen++) {
      if (seen % 64 === 63) yield;
      const next = open.pop()!;
      if (note(next) !== "folder") continue;
      const folder = readFolder(next);
      if (folder === null || folder === "shut") continue;
      // An example of a hook is never run.
      for (const { name } of folder.entries) if (!name.endsWith(".sample")) open.push(childPath(next, name));
    }
  };
  const noteGitFolder = function* (folder: string, root: string): Steps<void> {
    if (note(folder) !== "folder") return;
    for (const part of GIT_PARTS) yield* noteTree(`${folder}/${part}`);
    for (const path of namedInConfig(folder, root)) if (roots.some((one) => path.startsWith(`${one}/`))) yield* noteTree(path);
    for (const inner of innerGitFolders(folder) ?? []) yield* noteGitFolder(inner, root);
  };
  const { spots, gits, bare } = swept ?? (yield* sweepProtected(roots));
  for (const { path } of spots) yield* noteTree(path);
  for (const git of new Set([...gits, ...outer])) {
    note(git);
    for (const folder of gitFolders(git, realDisk)) yield* noteGitFolder(folder, git.slice(0, git.lastIndexOf("/")));
  }
  for (const folder of bare) yield* noteGitFolder(folder, folder);
  return found;
}
