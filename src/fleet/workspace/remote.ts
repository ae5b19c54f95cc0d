import { copyFileSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../store/folder.ts";
import { WorkspaceError } from "./error.ts";
import { askGit, runGit } from "./git.ts";

/** A snapshot that another machine can get: in the repository, under a ref of its own, or as a bundle in a folder that machines share. */
export interface KeptSnapshot {
  readonly n: number;
  readonly commit: string;
  readonly place: "repository" | "bundle";
}

export interface SnapshotPlaces {
  /** The git folder that has the commits. */
  readonly dir: string;
  readonly hasRemote: boolean;
  /** Names the session in refs and folders. */
  readonly slug: string;
  /** Where bundles of this tenant go; null where the operator named no folder. */
  readonly bundles: string | null;
  /** A folder of the worker's own, for what is half done. */
  readonly scratch: string;
}

/** Numbers that workers used which were lost before they could say so. */
const MOST_TAKEN = 20;
const SENDING_MS = 300_000;

export const snapshotRef = ({ slug }: Pick<SnapshotPlaces, "slug">, n: number): string => `refs/zeph/${slug}/${n}`;
const bundleFile = (folder: string, { slug }: SnapshotPlaces, n: number): string => join(folder, slug, `${n}.bundle`);

/**
 * Puts a commit where others find it. What is there is never changed, and the next number is taken: a worker that comes late can spoil nothing. Throws a
 * WorkspaceError where neither the repository nor a folder takes it.
 */
export async function sendSnapshot(places: SnapshotPlaces, commit: string, from: number, signal?: AbortSignal): Promise<KeptSnapshot> {
  const { dir, bundles, hasRemote } = places;
  let why = "it belongs to no repository";
  for (let n = from; hasRemote && n < from + MOST_TAKEN; n++) {
    const ref = snapshotRef(places, n);
    const sent = await runGit(["push", "--quiet", "--no-verify", `--force-with-lease=${ref}:`, "origin", `${commit}:${ref}`], {
      dir,
      reaches: "remote",
      timeoutMs: SENDING_MS,
      signal,
    });
    if (sent.ok) return { n, commit, place: "repository" };
    why = sent.why;
    if (!/stale info|already exists|fetch first|non-fast-forward/.test(sent.why)) break;
  }
  if (bundles === null)
    throw new WorkspaceError(`What is in the folder is on this worker alone: ${why}. A folder for bundles (fleet.bundles) would keep it.`);
  return writeBundle(places, bundles, commit, from, signal);
}

async function writeBundle(
  places: SnapshotPlaces,
  folder: string,
  commit: string,
  from: number,
  signal?: AbortSignal,
): Promise<KeptSnapshot> {
  const { dir, slug, scratch } = places;
  let n = from;
  while (existsSync(bundleFile(folder, places, n))) n++;
  const ref = snapshotRef(places, n);
  const half = join(scratch, `${slug}-${n}-${process.pid}.bundle`);
  try {
    makeFolder(join(folder, slug));
    await askGit(["update-ref", ref, commit], { dir });
    // Of what everybody can fetch from the repository nothing is in it.
    await askGit(["bundle", "create", "--quiet", half, ref, "--not", "--remotes=origin"], { dir, timeoutMs: SENDING_MS, signal });
    const near = `${bundleFile(folder, places, n)}.${process.pid}`;
    copyFileSync(half, near);
    renameSync(near, bundleFile(folder, places, n));
    return { n, commit, place: "bundle" };
  } catch (cause) {
    if (cause instanceof WorkspaceError) throw cause;
    throw new WorkspaceError(`The bundle of the folder could not be written: ${(cause as Error).message}`, { cause, isPassing: true });
  } finally {
    rmSync(half, { force: true });
    await runGit(["update-ref", "-d", ref], { dir });
  }
}

/** Brings a snapshot into the git folder. False where it is gone, or is not what it was. */
export async function fetchSnapshot(places: SnapshotPlaces, { n, commit, place }: KeptSnapshot, signal?: AbortSignal): Promise<boolean> {
  const { dir, bundles } = places;
  const known = await runGit(["cat-file", "-e", `${commit}^{tree}`], { dir });
  if (known.ok) return true;
  const ref = snapshotRef(places, n);
  const from = place === "repository" ? "origin" : bundles === null ? null : bundleFile(bundles, places, n);
  if (from === null || (place === "bundle" && !existsSync(from))) return false;
  const run = { dir, timeoutMs: SENDING_MS, signal, reaches: place === "repository" ? "remote" : "bundle" } as const;
  if (place === "repository" && (await askGit(["ls-remote", "--", "origin", ref], run)) === "") return false;
  const fetched = await runGit(["fetch", "--quiet", "--no-write-fetch-head", from, `+${ref}:${ref}`], run);
  if (!fetched.ok) throw new WorkspaceError(`The last snapshot could not be fetched: ${fetched.why}`, { isPassing: true });
  const found = await askGit(["rev-parse", "--verify", "--end-of-options", `${ref}^{commit}`], { dir });
  await runGit(["update-ref", "-d", ref], { dir });
  return found === commit;
}

/** What cannot be removed stays. */
export async function dropSnapshot(places: SnapshotPlaces, { n, place }: Pick<KeptSnapshot, "n" | "place">): Promise<void> {
  const { dir, bundles } = places;
  if (place === "bundle" && bundles !== null) rmSync(bundleFile(bundles, places, n), { force: true });
  if (place !== "repository") return;
  await runGit(["push", "--quiet", "--no-verify", "origin", `:${snapshotRef(places, n)}`], {
    dir,
    reaches: "remote",
    timeoutMs: SENDING_MS,
  }).catch(() => {});
}
