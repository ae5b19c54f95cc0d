import type { Look, TargetLook, Watch, WatchReach, Way } from "../core/ports/watch.ts";
import type { PathTouch } from "../core/touch.ts";

/** What a call reads. A page has no paths. */
export interface ReadSubject {
  readonly paths: readonly PathTouch[];
  readonly reach: WatchReach;
}

/** Entries a fingerprint may cover. Before a call only a few are looked at, so that the call does not wait. */
export const MOST_COMPARED = 2000;
const FEW_ENTRIES = 16;
/** Two changes this close may bear the same time, and a busy machine sets its clock forward late. */
const GRAIN_MS = 50;

/** Null where there was no look: of a page, of something that cannot be told, and where it is not needed. */
export interface LooksAround {
  readonly way: Way | null;
  readonly target: TargetLook | null;
}

const PAGE: LooksAround = { way: null, target: null };

/** The look before a call. The way to a file that has rested for a while is not looked at: the look afterwards shows that the way has rested, too. */
export async function lookBefore(watch: Watch | null, { paths, reach }: ReadSubject, now: number): Promise<LooksAround> {
  if (watch === null || paths.length === 0) return PAGE;
  const target = await watch.target(paths, reach, FEW_ENTRIES);
  return { target, way: target?.isTree === false && isOld(target, now) ? null : watch.way(paths, reach) };
}

export async function lookAfter(watch: Watch | null, { paths, reach }: ReadSubject): Promise<LooksAround> {
  if (watch === null || paths.length === 0) return PAGE;
  const way = watch.way(paths, reach);
  return { way, target: way && (await watch.target(paths, reach, MOST_COMPARED)) };
}

/** Whether nothing that was read can have changed from before the call to after it, not even for a moment. */
export function isUnchanged({ paths }: ReadSubject, before: LooksAround, after: LooksAround, began: number): boolean {
  if (paths.length === 0) return true;
  if (after.way === null || after.target === null) return false;
  // What a search leaves out may be decided by a file that is gone afterwards.
  if (before.way === null && after.target.isTree) return false;
  if (before.way !== null && before.way.length !== after.way.length) return false;
  const held = (one: Look | null | undefined, other: Look) =>
    one ? one.state === other.state && (isOld(other, began) || (one.sharp && other.sharp)) : isOld(other, began);
  return held(before.target, after.target) && after.way.every((step, i) => step.some((look, j) => held(before.way?.[i]?.[j], look)));
}

/** It had not changed when the call began, nor just before. */
const isOld = ({ newest }: Look, began: number): boolean => newest < began - GRAIN_MS;
