import { closeSync, constants, fstatSync, openSync, readlinkSync } from "node:fs";
import { ToolError } from "../../core/error.ts";
import { isWithin, parentOf } from "../../text/path.ts";
import type { PlaceIdentity, Policy } from "./policy.ts";

/** The places of one policy, each opened without following a link. */
export interface HeldPlaces {
  /** Device and inode of what was judged to lie at this path; null where another file system will stand in for it, undefined for any other path. */
  identity(path: string): string | null | undefined;
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

/** The path in the words of the builder. */
export const changedPath = (words: string): string => /^(.*?): it is no longer what/s.exec(words.trim())?.[1] ?? "a folder";

/** Linux has this flag and Node has no name for it: the descriptor names a file and can neither read nor write it. */
const O_PATH = 0o10000000;

/** Throws `PlaceChanged` where a path leads elsewhere than when it was judged. */
export function holdPlaces(policy: Policy): HeldPlaces {
  const open: number[] = [];
  const identities = new Map<string, string | null>();
  const release = () => {
    for (const fd of open.splice(0)) closeSync(fd);
  };
  try {
    for (const { path, isLayered } of placesOf(policy)) {
      if (identities.has(path)) continue;
      if (isLayered) {
        identities.set(path, null);
        continue;
      }
      const fd = openExactly(path);
      open.push(fd);
      const { dev, ino } = fstatSync(fd, { bigint: true });
      identities.set(path, `${dev}:${ino}`);
    }
    for (const { path, mark } of judgedBefore(policy)) if (identities.get(path) !== mark) throw new PlaceChanged(path);
  } catch (error) {
    release();
    throw error;
  }
  return { identity: (path) => identities.get(path), release };
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

function placesOf(policy: Policy): { readonly path: string; readonly isLayered: boolean }[] {
  const { read, write, protect, hidden, cache, temp, held, standIns } = policy;
  const { thawed = { folders: [], frozen: [] } } = protect;
  // Of a place that is covered the folder above it can be looked at afterwards.
  const isShown = (path: string) => [...read, ...write].some((root) => isWithin(root, path));
  const covered = (hidden?.places ?? []).flatMap(({ path }) => (isShown(path) ? [path, parentOf(path)] : []));
  const inWorkspace = [write, protect.pinned, protect.frozen, thawed.folders, thawed.frozen, covered].flat();
  const looked = held && !standIns?.has(held.path) ? [held.path] : [];
  const others = [...looked, ...read, ...(cache ? [cache.cache, cache.pnpm] : []), ...(temp ? [temp.folder] : [])];
  return [
    ...inWorkspace.map((path) => ({ path: sourceOf(policy, path), isLayered: isLayered(policy, path) })),
    ...others.map((path) => ({ path, isLayered: false })),
  ];
}

/** A layer is mounted in another namespace, where nothing can be opened from here. */
const isLayered = ({ overlay, standIns }: Policy, path: string): boolean => overlay !== undefined && sourceOf({ standIns }, path) !== path;

const judgedBefore = ({ held, alsoHeld = [], standIns }: Policy): PlaceIdentity[] => [
  ...(held && !standIns?.has(held.path) ? [held] : []),
  ...alsoHeld,
];
