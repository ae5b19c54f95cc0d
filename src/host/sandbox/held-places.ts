import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { ToolError } from "../../core/error.ts";
import { entryIdentity } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, parentOf } from "../../text/path.ts";
import type { OverlayLayer } from "./backends/overlay.ts";
import type { PlaceIdentity, Policy } from "./policy.ts";

/** The places of one policy, each opened without following a link. */
export interface HeldPlaces {
  /**
   * Device and inode of what was judged to lie at this path; device 0 where an overlay will show it. Null for the top of an overlay, which is not
   * mounted yet, and undefined for any other path.
   */
  identity(path: string): string | null | undefined;
  /** The same of the folder that holds a file, since a file can have other names elsewhere. Undefined for a path of a folder. */
  parent(path: string): string | undefined;
  /** A place at whose path lies something else by now; null where there is none, and once they are closed. */
  changed(): string | null;
  /** Closes them. As long as they are open, the kernel gives their inode numbers to no other file. */
  release(): void;
}

/** Something is not what it was when the command was judged. Nothing was started, so it can be judged again. */
export class PlaceChanged extends ToolError {
  readonly path: string;
  constructor(path: string) {
    super("policy_blocked", `${path} is no longer what it was when the command was judged. Nothing was started.`);
    this.path = path;
  }
}

const MOST_JUDGEMENTS = 5;

/** Judges and starts once more when something changed in between. */
export async function judgeAgain<T>(act: () => Promise<T>): Promise<T> {
  for (let judged = 1; ; judged++) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof PlaceChanged)) throw error;
      if (judged < MOST_JUDGEMENTS) continue;
      throw new ToolError(
        "policy_blocked",
        `${error.path} was exchanged ${MOST_JUDGEMENTS} times while the walls were built, so nothing was started. Another program keeps renaming it: end that one, then try again.`,
      );
    }
  }
}

/** The path in the words of the builder. bubblewrap compares nothing; of what is gone it says that it is not there. */
export const changedPath = (words: string): string =>
  /^(.*?): it is no longer what/s.exec(words.trim())?.[1] ?? /Can't find source path (.*?): /s.exec(words)?.[1] ?? "a folder";

/** Linux has this flag and Node has no name for it: the descriptor names a file and can neither read nor write it. */
const O_PATH = 0o10000000;

/** Throws `PlaceChanged` where a path leads elsewhere than when it was judged. */
export function holdPlaces(policy: Policy): HeldPlaces {
  const open: number[] = [];
  const seen = new Map<string, BigIntStats>();
  const identities = new Map<string, string | null>();
  const parents = new Map<string, string>();
  const release = () => {
    for (const fd of open.splice(0)) closeSync(fd);
    seen.clear();
  };
  /** Each is opened once, however many files lie in it. */
  const look = (path: string): BigIntStats => {
    const known = seen.get(path);
    if (known) return known;
    const fd = openExactly(path);
    open.push(fd);
    const found = fstatSync(fd, { bigint: true });
    seen.set(path, found);
    return found;
  };
  try {
    for (const { path, source, layer } of placesOf(policy)) {
      if (identities.has(source)) continue;
      if (layer?.path === path) {
        identities.set(source, null);
        continue;
      }
      const found = look(path);
      const known = (stats: BigIntStats) => (layer ? identityInLayer(stats, layer) : entryIdentity(stats));
      identities.set(source, known(found));
      // The top of a layer is compared before it is mounted, and has no other name.
      if (!found.isDirectory() && parentOf(path) !== layer?.path) parents.set(source, known(look(parentOf(path))));
    }
    for (const { path, mark } of judgedBefore(policy)) if (entryIdentity(look(path)) !== mark) throw new PlaceChanged(path);
  } catch (error) {
    release();
    throw error;
  }
  return {
    identity: (path) => identities.get(path),
    parent: (path) => parents.get(path),
    changed: () => [...seen].find(([path, stats]) => identityNow(path) !== entryIdentity(stats))?.[0] ?? null,
    release,
  };
}

function identityNow(path: string): string | null {
  const fd = attempt(() => openExactly(path), null);
  if (fd === null) return null;
  try {
    return entryIdentity(fstatSync(fd, { bigint: true }));
  } finally {
    closeSync(fd);
  }
}

/** An overlay has a device of its own and shows the inode numbers of the folder below. It shows one file system. */
function identityInLayer({ dev, ino }: BigIntStats, { path, mark }: OverlayLayer): string {
  if (mark.startsWith(`${dev}:`)) return `0:${ino}`;
  throw new ToolError("permanent_failure", `Below ${path} lies another file system, so no dry run is possible there.`);
}

/** The kernel says where the descriptor lies. A link on the way, which was not there when the path was resolved, shows there. */
function openExactly(path: string): number {
  let fd: number;
  try {
    fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP" || code === "EACCES") throw new PlaceChanged(path);
    throw error;
  }
  if (!fstatSync(fd).isSymbolicLink() && readlinkSync(`/proc/self/fd/${fd}`) === path) return fd;
  closeSync(fd);
  throw new PlaceChanged(path);
}

/** Where the content of a path comes from: itself, or what stands in for it. */
export function sourceOf({ standIns }: { readonly standIns?: Policy["standIns"] | undefined }, path: string): string {
  for (const [folder, copy] of standIns ?? []) if (isWithin(folder, path)) return copy + path.slice(folder.length);
  return path;
}

interface Place {
  readonly path: string;
  /** Where the builder finds it: at its path, or in what stands in for it. */
  readonly source: string;
  /** The layer that will show it. */
  readonly layer?: OverlayLayer | undefined;
}

function placesOf(policy: Policy): Place[] {
  const { cwd, fresh, read, write, protect, hidden, cache, temp } = policy;
  const { thawed = { folders: [], frozen: [] } } = protect;
  // Of a place that is covered the folder above it can be looked at afterwards.
  const isShown = (path: string) => [...read, ...write].some((root) => isWithin(root, path));
  const covered = (hidden?.places ?? []).flatMap(({ path }) => (isShown(path) ? [path, parentOf(path)] : []));
  const start = fresh === undefined && isShown(cwd) ? [cwd] : [];
  const inWorkspace = [write, protect.pinned, protect.frozen, thawed.folders, thawed.frozen, covered, start].flat();
  const others = [...read, ...(cache ? [cache.cache, cache.pnpm] : []), ...(temp ? [temp.folder] : [])];
  return [...inWorkspace.map((path) => placeOf(policy, path)), ...others.map((path) => ({ path, source: path }))];
}

function placeOf({ standIns, overlay }: Policy, path: string): Place {
  const source = sourceOf({ standIns }, path);
  const layer = overlay?.layers.find((one) => isWithin(one.path, path));
  // A copy stands there already.
  return source === path || layer ? { path, source, layer: source === path ? undefined : layer } : { path: source, source };
}

/** What has to lie where it was seen, whatever stands in for it. */
const judgedBefore = ({ held, alsoHeld = [], standIns, overlay }: Policy): PlaceIdentity[] => [
  ...(held && !standIns?.has(held.path) ? [held] : []),
  ...alsoHeld,
  ...(overlay?.layers ?? []),
];
