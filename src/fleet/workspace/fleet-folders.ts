import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { WorkspaceError } from "./error.ts";
import { askGit, runGit } from "./git.ts";
import { type FolderMarker, readMarker, removeMarker, writeMarker } from "./marker.ts";
import { checkShared, type Mirror, openMirrors } from "./mirror.ts";
import { dropSnapshot, fetchSnapshot, type KeptSnapshot, type SnapshotPlaces, sendSnapshot, snapshotRef } from "./remote.ts";
import { type Repository, readRepository } from "./repository.ts";
import { createSetupCache, type FolderSetup, setupKey } from "./setup-cache.ts";
import { slugOf } from "./slug.ts";
import { makeSnapshot, restoreSnapshot, snapshotHead, type WatchedTree } from "./snapshot.ts";

export interface FleetFoldersOptions {
  /** A folder that this worker alone has, for this tenant alone. */
  readonly root: string;
  readonly tenant: string;
  /** Beginnings of addresses that may be fetched. */
  readonly repositories: readonly string[];
  /** A folder that machines share, for snapshots that a repository does not take; empty for none. */
  readonly bundles: string;
  /** Folders of sessions that are over or elsewhere: more than this are removed, the oldest first. */
  readonly most: number;
  readonly warn: (words: string) => void;
}

export interface WantedFolder {
  readonly session: string;
  /** Nobody has opened a folder for the session elsewhere since it was last opened here. */
  readonly isHere: boolean;
  readonly repo?: { readonly url: string; readonly ref?: string } | undefined;
  /** The last snapshot that anybody recorded. */
  readonly last: KeptSnapshot | null;
  readonly signal?: AbortSignal;
}

/** Returns older ones that nobody needs any more; null: the session is no longer ours, and nothing was recorded. */
export type RecordSnapshot = (snapshot: KeptSnapshot) => Promise<readonly KeptSnapshot[] | null>;

/** The folder of a session, while this process holds the session. */
export interface SessionFolder {
  readonly folder: string;
  /** What the store calls it on every machine. */
  readonly name: string;
  /** The address that was fetched, which may be written in other ways: whatever is said of a repository is held against this one. Null: it has none. */
  readonly repo: string | null;
  /** `new`: as the repository has it, or empty. `kept`: as this worker left it. `restored`: as in the last snapshot. */
  readonly state: "new" | "kept" | "restored";
  /** Puts what is in it where other machines find it, then has it recorded. Null where nothing changed, or the session is no longer ours. */
  keep(record: RecordSnapshot, signal?: AbortSignal): Promise<KeptSnapshot | null>;
  /** Makes what git ignores: from what the worker has kept, or with `run`, which says whether it went well. Only a folder that was made anew needs it. */
  setUp(setup: FolderSetup, run: () => Promise<boolean>): Promise<"kept" | "made" | "failed">;
  /** The ref of its last snapshot in the repository; null where there is none. */
  ref(): string | null;
  /** Nobody works in it any more. */
  leave(how: "stays" | "goes"): Promise<void>;
}

export interface FleetFolders {
  open(wanted: WantedFolder): Promise<SessionFolder>;
}

/** The folders of one tenant on one worker. */
export function createFleetFolders({ root, tenant, repositories, bundles, most, warn }: FleetFoldersOptions): FleetFolders {
  for (const part of ["mirrors", "own", "sessions", "beside", "plain", "setups"])
    mkdirSync(join(root, part), { recursive: true, mode: 0o700 });
  const real = realpathSync(root);
  const mirrorOf = openMirrors({ shared: join(real, "mirrors"), own: join(real, "own") });
  const setups = createSetupCache(join(real, "setups"));
  const inUse = new Set<string>();
  const folderOf = (slug: string) => join(real, "sessions", slug);
  const beside = (slug: string, end: string) => join(real, "beside", `${slug}.${end}`);

  const remove = async (slug: string) => {
    removeMarker(beside(slug, "json"));
    rmSync(beside(slug, "index"), { force: true });
    await rm(folderOf(slug), { recursive: true, force: true }).catch((error) =>
      warn(`The folder ${folderOf(slug)} could not be removed: ${(error as Error).message}`),
    );
    await rm(join(real, "plain", `${slug}.git`), { recursive: true, force: true }).catch(() => {});
  };
  const clear = async () => {
    const age = (slug: string) => attempt(() => statSync(beside(slug, "json")).mtimeMs, 0);
    const idle = readdirSync(join(real, "sessions")).filter((slug) => !inUse.has(slug));
    const old = idle.sort((a, b) => age(a) - age(b)).slice(0, Math.max(0, idle.length - most));
    for (const slug of old) if (!inUse.has(slug)) await remove(slug);
  };

  return {
    async open({ session, isHere, repo, last, signal }) {
      const slug = slugOf(session);
      if (inUse.has(slug)) throw new WorkspaceError("The session's folder is in use.", { isPassing: true });
      inUse.add(slug);
      try {
        const repository = repo ? readRepository(repo, repositories) : null;
        const mirror = repository ? await mirrorOf(repository) : null;
        const places: SnapshotPlaces = {
          dir: mirror?.dir ?? (await plainGit(join(real, "plain", `${slug}.git`))),
          hasRemote: mirror !== null,
          slug,
          bundles: bundles === "" ? null : join(bundles, slugOf(tenant)),
          scratch: join(real, "beside"),
        };
        const folder = folderOf(slug);
        const watched: WatchedTree = {
          dir: places.dir,
          tree: folder,
          index: beside(slug, "index"),
          head: mirror ? join(mirror.shared, "worktrees", slug, "HEAD") : null,
        };
        const marker = readMarker(beside(slug, "json"));
        const url = repository?.url ?? null;
        const isKept = isHere && marker !== null && isLeftAt(marker, session, url, last) && existsSync(folder);
        const state = isKept ? "kept" : await makeFolder({ watched, places, repository, mirror, last, signal }, () => remove(slug));
        let at: FolderMarker = { session, url, n: last?.n ?? 0, commit: last?.commit ?? null };
        let isInRepository = last?.place === "repository";
        writeMarker(beside(slug, "json"), at);
        return {
          folder,
          name: repository ? `repo:${tenant}/${repository.name}` : `session:${tenant}/${session}`,
          repo: url,
          state,
          async keep(record, stop) {
            // Without a repository and a folder for bundles it stays here, and whoever goes on elsewhere is told so.
            if (!places.hasRemote && places.bundles === null) return null;
            if (mirror) checkShared(mirror.shared);
            const made = await makeSnapshot(watched, at.commit, stop);
            if (made === null) return null;
            if (made.left.length > 0) warn(`Not in the snapshot of session ${session}: ${made.left.join("; ")}.`);
            const kept = await sendSnapshot(places, made.commit, at.n + 1, stop);
            const old = await record(kept);
            if (old === null) return null;
            at = { ...at, n: kept.n, commit: kept.commit };
            isInRepository = kept.place === "repository";
            writeMarker(beside(slug, "json"), at);
            for (const one of old) await dropSnapshot(places, one);
            return kept;
          },
          async setUp(setup, run) {
            const key = setupKey(url ?? "", setup, folder);
            if (await setups.restore(key, folder)) return "kept";
            if (!(await run())) return "failed";
            if (mirror) {
              checkShared(mirror.shared);
              await setups.save(key, watched);
            }
            return "made";
          },
          ref: () => (isInRepository && at.n > 0 ? snapshotRef(places, at.n) : null),
          async leave(how) {
            if (how === "goes") await remove(slug);
            inUse.delete(slug);
            await clear();
          },
        };
      } catch (error) {
        inUse.delete(slug);
        throw error;
      }
    },
  };
}

/** Of the same session and repository, and nobody recorded a snapshot that is not this folder's own. */
const isLeftAt = (marker: FolderMarker, session: string, url: string | null, last: KeptSnapshot | null): boolean =>
  marker.session === session && marker.url === url && marker.n === (last?.n ?? 0);

/** For a session without a repository: only snapshots are in it. */
async function plainGit(dir: string): Promise<string> {
  if (existsSync(join(dir, "HEAD"))) return dir;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  await askGit(["init", "--quiet", "--bare", "--template="], { dir });
  return dir;
}

interface Making {
  readonly watched: WatchedTree;
  readonly places: SnapshotPlaces;
  readonly repository: Repository | null;
  readonly mirror: Mirror | null;
  readonly last: KeptSnapshot | null;
  readonly signal: AbortSignal | undefined;
}

async function makeFolder(
  { watched, places, repository, mirror, last, signal }: Making,
  remove: () => Promise<void>,
): Promise<"new" | "restored"> {
  const { tree, dir } = watched;
  // What another session or worker left there is nobody's any more.
  await remove();
  if (!mirror) await plainGit(dir);
  if (mirror) checkShared(mirror.shared);
  const start = repository && mirror ? await mirror.fetch(repository.ref, signal) : null;
  const isThere = last !== null && (await fetchSnapshot(places, last, signal));
  const head = isThere ? await snapshotHead(dir, last.commit) : { commit: start, branch: `zeph/${places.slug}` };
  const base = head.commit ?? start;
  if (mirror && base !== null) await mirror.alone(() => addWorktree(mirror, tree, places.slug, base, head.branch));
  else mkdirSync(tree, { recursive: true, mode: 0o700 });
  if (!isThere) return "new";
  await restoreSnapshot(watched, last.commit, base, signal);
  return "restored";
}

/**
 * Its files come with the snapshot, or from the commit. A branch that is checked out in another folder stays there. Written as `git worktree add` writes it:
 * git would have to be asked in the git folder that commands write.
 */
async function addWorktree({ dir, shared }: Mirror, tree: string, slug: string, commit: string, branch: string | null): Promise<void> {
  const worktrees = join(shared, "worktrees");
  mkdirSync(worktrees, { recursive: true });
  for (const name of readdirSync(worktrees))
    if (name === slug || !existsSync(join(dirname(tree), name))) await rm(join(worktrees, name), { recursive: true, force: true });
  const headOf = (name: string) => readOwnText(join(worktrees, name, "HEAD"), { maxBytes: 4096, links: "refuse" })?.trim();
  const isFree = branch !== null && !readdirSync(worktrees).some((name) => headOf(name) === `ref: refs/heads/${branch}`);
  const isOnBranch = isFree && (await runGit(["update-ref", `refs/heads/${branch}`, commit], { dir })).ok;
  const own = join(worktrees, slug);
  for (const folder of [own, tree]) mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(own, "HEAD"), `${isOnBranch ? `ref: refs/heads/${branch}` : commit}\n`);
  writeFileSync(join(own, "commondir"), "../..\n");
  writeFileSync(join(own, "gitdir"), `${tree}/.git\n`);
  writeFileSync(join(tree, ".git"), `gitdir: ${own}\n`);
  await askGit(["read-tree", "--reset", "-u", commit], { dir, tree, index: join(own, "index") });
}
