import { posix } from "node:path";
import type { Later } from "../../core/ports/shell.ts";
import { GIT_PARTS } from "../../core/protected.ts";
import { type OwnMark, ownMark } from "../../files/own-place.ts";
import { statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { nameOf, parentOf } from "../../text/path.ts";
import { type EntryName, type Pinned, pinBelow, pinInside, unlock, withPinned } from "../files/pin.ts";
import { realDisk } from "../sandbox/disk.ts";
import type { Policy } from "../sandbox/policy.ts";
import { type FileState, fileState, folderState, isSameState, recallState } from "./file-state.ts";
import { childPath, entryName, finish, finishInTurns, type ListedFolder, listHeld, recall, type Steps } from "./folders.ts";
import { gitFolders, innerGitFolders, namedInConfig } from "./git-folders.ts";
import { isPlainConfig } from "./plain-config.ts";
import { steeringAmong } from "./steering-files.ts";
import { MAY_NOT, MOST_DEEP, type Sweep, sweepProtected, type Unseen, wayTo } from "./sweep.ts";

/**
 * What mounts cannot prevent: files that something outside the walls runs or obeys later and that are new, or that commands may change.
 * Call `beforeCommand`, run the command, call `changesSince`, and report all of it.
 */
export interface BeforeCommand {
  readonly roots: readonly string[];
  /** Git folders of other places among what is written. */
  readonly outer: readonly string[];
  readonly found: Found;
  /** What steers other agents, and was there. */
  readonly steering: ReadonlySet<string>;
  readonly startedMs: number;
  /** Of Zeph's own files, where commands may write them. */
  readonly zeph: OwnMark | null;
}

interface Found {
  readonly seen: ReadonlyMap<string, FileState>;
  readonly sweep: Sweep;
  /** Everything that was not looked into. */
  readonly unseen: readonly Unseen[];
}

export function beforeCommand({ write, swept, outer = [] }: Pick<Policy, "write" | "swept" | "outer">): BeforeCommand {
  const startedMs = Date.now();
  const sweep = swept ?? finish(sweepProtected(write));
  const roots = write.filter((root) => !outer.includes(root));
  const steering = new Set(steeringAmong(sweep, roots).files.map(({ path }) => path));
  return { roots, outer, found: finish(lookSteps(write, outer, sweep)), steering, startedMs, zeph: ownMark() };
}

/** Compares in turns, so that other work goes on in between. */
export const changesSince = async (before: BeforeCommand): Promise<Later[]> => [
  ...compared(before.found, await finishInTurns(lookAfter(before))),
  ...changedZeph(before.zeph),
];

/** As one: an install changes hundreds of its files. */
function changedZeph(before: OwnMark | null): Later[] {
  return before === null || ownMark()?.mark === before.mark ? [] : [{ path: before.root, how: "changed", isZeph: true }];
}

/** The same for a program that runs for long: each time, what is so since the time before. */
export function createChangeWatch({ write, outer = [] }: Pick<Policy, "write" | "outer">): () => Later[] {
  const roots = write.filter((root) => !outer.includes(root));
  let found = finish(lookSteps(roots, outer, finish(sweepProtected(roots))));
  return () => {
    const before = found;
    found = finish(lookAfter({ roots, outer, found }));
    return compared(before, found);
  };
}

function* lookAfter({ roots, outer, found }: Pick<BeforeCommand, "roots" | "outer" | "found">): Steps<Found> {
  return yield* lookSteps(roots, outer, yield* sweepProtected(roots, { before: found.sweep }));
}

/** Folders that were not looked into, unless they were not before and are the same since. */
export const newlyUnseen = (before: Pick<Found, "unseen">, unseen: readonly Unseen[]): readonly Unseen[] => {
  const known = new Map(before.unseen.map(({ path, mark }) => [path, mark]));
  return unseen.filter(({ path, mark }) => mark === null || known.get(path) !== mark);
};

function compared(before: Found, now: Found): Later[] {
  const unseen = newlyUnseen(before, now.unseen).map(({ path, why }): Later => ({ path, how: "was not looked into", why }));
  return [...changedFiles(before.seen, now.seen), ...unseen].sort((a, b) => (a.path < b.path ? -1 : 1));
}

function changedFiles(seen: ReadonlyMap<string, FileState>, now: ReadonlyMap<string, FileState>): Later[] {
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
  return found.filter(({ path, how }) => {
    const parents = parentsOf(path);
    // A folder that is gone says it of all that was in it; a repository that is new says it of the settings git writes itself.
    if (how === "is gone") return !parents.some((parent) => gone.has(parent));
    return !(path.endsWith("/config") && parents.some(isNew) && isPlainConfig(path)) && !(isEmptyPart(path, now) && parents.some(isNew));
  });
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

/** Told when it is so for the first time. */
const OVER = "over";

function* lookSteps(roots: readonly string[], outer: readonly string[], sweep: Sweep): Steps<Found> {
  const seen = new Map<string, FileState>();
  const unseen = [...sweep.unseen];
  const isBelow = (path: string): boolean => roots.some((root) => path.startsWith(`${root}/`));
  const missed = (path: string, why: string, mark: string) => void unseen.push({ path, why, mark });
  const noteEntry = (dir: Pinned, name: EntryName, path: string): FileState | null => {
    const state = seen.get(path) ?? fileState(dir, name, path);
    if (state !== null) seen.set(path, state);
    return state;
  };
  const note = (path: string): FileState["kind"] | null => {
    const known = seen.get(path) ?? recallState(path);
    if (known) seen.set(path, known);
    if (known) return known.kind;
    const parent = holdParent(sweep, roots, path);
    return parent && withPinned(parent.dir, (dir) => noteEntry(dir, parent.name, path)?.kind ?? null);
  };
  /** A file, or a folder with all that is in it. What is not known already is looked at in folders that are held open. */
  const noteTree = function* (path: string): Steps<void> {
    let count = 0;
    const noteKnown = function* (at: string, depth: number): Steps<void> {
      const stats = statExact(at);
      const folder = stats?.isDirectory() && depth < MOST_DEEP ? recall(at, stats) : null;
      const state = recallState(at, stats);
      if (state !== null) return void seen.set(at, state);
      if (folder && !folder.entries.some(({ bytes }) => bytes)) {
        seen.set(at, folderState(stats!));
        return yield* noteEntries(folder, null, depth);
      }
      const parent = holdParent(sweep, roots, at);
      if (parent === null) return;
      try {
        yield* noteHeld(parent.dir, parent.name, at, depth);
      } finally {
        parent.dir.close();
      }
    };
    const noteHeld = function* (dir: Pinned, name: EntryName, at: string, depth: number): Steps<void> {
      const state = noteEntry(dir, name, at);
      if (state?.kind !== "folder") return;
      if (depth >= MOST_DEEP) return missed(at, `lies deeper than ${MOST_DEEP} folders`, OVER);
      const inner = attempt(() => pinInside(dir, name), null);
      if (inner === null) return missed(at, MAY_NOT, state.identity);
      const shut = unlock(inner, 0o500);
      try {
        const folder = listHeld(inner, at);
        if (folder === null) return missed(at, MAY_NOT, state.identity);
        yield* noteEntries(folder, inner, depth);
      } finally {
        shut?.();
        inner.close();
      }
    };
    const noteEntries = function* ({ path: at, entries }: ListedFolder, dir: Pinned | null, depth: number): Steps<void> {
      for (const entry of entries) {
        // An example of a hook is never run.
        if (entry.name.endsWith(".sample")) continue;
        if (++count === MOST_INSIDE) missed(path, `holds more than ${MOST_INSIDE} files`, OVER);
        if (count >= MOST_INSIDE) return;
        if (count % 64 === 63) yield;
        const below = childPath(at, entry.name);
        if (dir === null) yield* noteKnown(below, depth + 1);
        else yield* noteHeld(dir, entryName(entry), below, depth + 1);
      }
    };
    yield* noteKnown(path, 0);
  };
  /** What the sweep found is there, also when it keeps being moved. */
  const noteFound = (path: string, kind: FileState["kind"]): void => {
    if (!seen.has(path)) seen.set(path, { kind, identity: "", mode: 0n, content: "" });
  };
  const noteGitFolder = function* (folder: string, root: string): Steps<void> {
    if (note(folder) !== "folder") return;
    for (const part of GIT_PARTS) yield* noteTree(`${folder}/${part}`);
    for (const path of namedInConfig(folder, root))
      for (const one of new Set([posix.normalize(path), realDisk.real(path) ?? path])) if (isBelow(one)) yield* noteTree(one);
    const inner = innerGitFolders(folder);
    if (inner === null) missed(`${folder}/modules`, "holds too many repositories", OVER);
    for (const one of inner ?? []) yield* noteGitFolder(one, root);
  };
  for (const { path, kind } of sweep.spots) {
    yield* noteTree(path);
    noteFound(path, kind);
  }
  for (const git of new Set([...sweep.gits, ...outer])) {
    note(git);
    if (sweep.gits.includes(git)) noteFound(git, "folder");
    for (const folder of gitFolders(git, realDisk)) yield* noteGitFolder(folder, git.slice(0, git.lastIndexOf("/")));
  }
  for (const folder of sweep.bare) yield* noteGitFolder(folder, folder);
  return { seen, sweep, unseen };
}

const TRIES = 5;

/** The folder of an entry, held open, and its name in there. Null when it cannot be reached, or keeps being moved. */
function holdParent(sweep: Sweep, roots: readonly string[], path: string): { readonly dir: Pinned; readonly name: EntryName } | null {
  const parent = parentOf(path);
  for (let tries = 1; tries <= TRIES; tries++) {
    const dir = attempt(() => pinBelow(parent, [], 0o100), null);
    if (dir !== null) return { dir, name: nameOf(path) };
    // Shut, longer than a path may be, or not written as it is called: then step by step.
    const way = wayTo(sweep, roots, path);
    const found = way && attempt(() => pinBelow(way.root, way.names.slice(0, -1), 0o100), null);
    if (way && found) return { dir: found, name: way.names.at(-1)! };
  }
  return null;
}
