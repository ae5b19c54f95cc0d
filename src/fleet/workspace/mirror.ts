import { createHash, randomBytes } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { attempt } from "../../text/attempt.ts";
import { createQueue } from "../../text/queue.ts";
import { WorkspaceError } from "./error.ts";
import { askGit, runGit } from "./git.ts";
import type { Repository } from "./repository.ts";

/** A bare copy of a repository, from which all sessions of a tenant that work in it have their folders. */
export interface Mirror {
  /** The git folder of those folders. Commands write its objects and branches, so git is never asked in it. */
  readonly shared: string;
  /** The worker's own git folder, with settings of its own and the same objects and branches. */
  readonly dir: string;
  /** Brings it up to date, and says which commit a branch, a tag or nothing at all means. */
  fetch(ref: string | null, signal?: AbortSignal): Promise<string>;
  /** One thing at a time changes it. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

const FETCH_MS = 600_000;
const WHOLE = /^[0-9a-f]{40}$/;

/** Folders of this worker. Commands can write in `shared`, and not in `own`. */
export interface MirrorPlaces {
  readonly shared: string;
  readonly own: string;
}

/** Of all mirrors of one process: two sessions that begin at once share one. */
export function openMirrors(places: MirrorPlaces): (repository: Pick<Repository, "url">) => Promise<Mirror> {
  const open = new Map<string, Promise<Mirror>>();
  return ({ url }) => {
    const known = open.get(url) ?? openMirror(places, url);
    open.set(url, known);
    known.catch(() => open.delete(url));
    return known;
  };
}

async function openMirror(places: MirrorPlaces, url: string): Promise<Mirror> {
  const name = `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.git`;
  const [shared, dir] = [join(places.shared, name), join(places.own, name)];
  if (!existsSync(shared)) await make(shared, url, () => {});
  if (!existsSync(dir)) await make(dir, url, (half) => share(half, shared));
  const alone = createQueue();
  const fetchAll = (signal?: AbortSignal) =>
    askGit(["fetch", "--quiet", "--prune", "--no-write-fetch-head", "origin", ...BRANCHES], {
      dir,
      reaches: "remote",
      timeoutMs: FETCH_MS,
      signal,
    });
  return {
    shared,
    dir,
    alone,
    fetch: (ref, signal) =>
      alone(async () => {
        await fetchAll(signal).catch((cause) => {
          throw new WorkspaceError(`The repository ${url} could not be fetched. ${(cause as Error).message}`, { cause, isPassing: true });
        });
        return resolve(dir, url, ref ?? (await firstBranch(dir, url, signal)));
      }),
  };
}

/** Branches lie where those of a clone do, so that a model's own branches are apart from them. */
const BRANCHES = ["+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"];

/** Whole or not at all: a process that dies half way leaves nothing that looks like a git folder. */
async function make(dir: string, url: string, finish: (half: string) => void): Promise<void> {
  const half = `${dir}.${randomBytes(6).toString("hex")}`;
  mkdirSync(half, { recursive: true, mode: 0o700 });
  try {
    await askGit(["init", "--quiet", "--bare", "--template="], { dir: half });
    await askGit(["config", "remote.origin.url", url], { dir: half });
    await askGit(["config", "remote.origin.fetch", BRANCHES[0]!], { dir: half });
    // A branch that is checked out nowhere can be checked out in a folder.
    await askGit(["symbolic-ref", "HEAD", "refs/heads/zeph/none"], { dir: half });
    for (const part of ["hooks", "info"]) mkdirSync(join(half, part), { recursive: true });
    finish(half);
    renameSync(half, dir);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    if (!existsSync(dir)) throw error;
  }
}

/** Objects and branches are those that commands write; settings and hooks are not. */
function share(half: string, shared: string): void {
  for (const part of SHARED) {
    rmSync(join(half, part), { recursive: true, force: true });
    symlinkSync(join(relative(half, shared), part), join(half, part));
  }
}
const SHARED = ["objects", "refs", "packed-refs"];

/**
 * What a command put in place of a folder would be read, and written, as the repository's. Throws a WorkspaceError. A command that runs meanwhile can
 * still exchange one; what it gets is objects and branches elsewhere, and no program of its own.
 */
export function checkShared(shared: string): void {
  const kind = (part: string) => attempt(() => lstatSync(join(shared, part), { throwIfNoEntry: false }) ?? null, null);
  const isFolder = (part: string) => kind(part)?.isDirectory() === true;
  const isNoLink = (part: string) => kind(part)?.isSymbolicLink() !== true;
  const wrong = [
    ...["objects", "refs"].filter((part) => !isFolder(part)),
    ...["objects/info", "objects/pack", "packed-refs"].filter((part) => !isNoLink(part)),
    ...["objects/info/alternates", "objects/info/http-alternates"].filter((part) => kind(part) !== null),
  ];
  if (wrong.length > 0)
    throw new WorkspaceError(`The git folder that sessions share was changed: ${join(shared, wrong[0]!)} leads elsewhere.`);
}

/** What the remote's HEAD names; null where it is empty. */
async function firstBranch(dir: string, url: string, signal?: AbortSignal): Promise<string> {
  const listed = await askGit(["ls-remote", "--symref", "--", "origin", "HEAD"], { dir, reaches: "remote", signal });
  const branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed)?.[1];
  if (branch === undefined) throw new WorkspaceError(`The repository ${url} has no branch to begin with. Name one: url@branch.`);
  return branch;
}

async function resolve(dir: string, url: string, ref: string): Promise<string> {
  for (const name of [`refs/remotes/origin/${ref}`, `refs/tags/${ref}`, ...(WHOLE.test(ref) ? [ref] : [])]) {
    const found = await runGit(["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`], { dir });
    if (found.ok) return found.stdout.trim();
  }
  throw new WorkspaceError(`The repository ${url} has no branch, tag or commit ${ref}.`);
}
