import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createQueue } from "../../text/queue.ts";
import { WorkspaceError } from "./error.ts";
import { askGit, runGit } from "./git.ts";
import type { Repository } from "./repository.ts";

/** A bare copy of a repository, from which all sessions of a tenant that work in it have their folders. */
export interface Mirror {
  readonly dir: string;
  /** Brings it up to date, and says which commit a branch, a tag or nothing at all means. */
  fetch(ref: string | null, signal?: AbortSignal): Promise<string>;
  /** One thing at a time changes it. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

const FETCH_MS = 600_000;
const WHOLE = /^[0-9a-f]{40}$/;

/** Of all mirrors of one process: two sessions that begin at once share one. */
export function openMirrors(folder: string): (repository: Pick<Repository, "url">) => Promise<Mirror> {
  const open = new Map<string, Promise<Mirror>>();
  return ({ url }) => {
    const known = open.get(url) ?? openMirror(folder, url);
    open.set(url, known);
    known.catch(() => open.delete(url));
    return known;
  };
}

async function openMirror(folder: string, url: string): Promise<Mirror> {
  const dir = join(folder, `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.git`);
  if (!existsSync(dir)) await make(folder, dir, url);
  const alone = createQueue();
  const fetchAll = (signal?: AbortSignal) =>
    askGit(["fetch", "--quiet", "--prune", "--no-write-fetch-head", "origin", ...BRANCHES], {
      dir,
      remote: true,
      timeoutMs: FETCH_MS,
      signal,
    });
  return {
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

/** Whole or not at all: a process that dies half way leaves nothing that looks like a mirror. */
async function make(folder: string, dir: string, url: string): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const half = `${dir}.${randomBytes(6).toString("hex")}`;
  mkdirSync(half, { mode: 0o700 });
  try {
    await askGit(["init", "--quiet", "--bare", "--template="], { dir: half });
    await askGit(["config", "remote.origin.url", url], { dir: half });
    await askGit(["config", "remote.origin.fetch", BRANCHES[0]!], { dir: half });
    // A branch that is checked out nowhere can be checked out in a folder.
    await askGit(["symbolic-ref", "HEAD", "refs/heads/zeph/none"], { dir: half });
    for (const part of ["hooks", "info"]) mkdirSync(join(half, part), { recursive: true });
    renameSync(half, dir);
  } catch (error) {
    rmSync(half, { recursive: true, force: true });
    if (!existsSync(dir)) throw error;
  }
}

/** What the remote's HEAD names; null where it is empty. */
async function firstBranch(dir: string, url: string, signal?: AbortSignal): Promise<string> {
  const listed = await askGit(["ls-remote", "--symref", "--", "origin", "HEAD"], { dir, remote: true, signal });
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
