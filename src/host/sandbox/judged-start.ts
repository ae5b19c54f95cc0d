import { changedPath, type HeldPlaces, holdPlaces, judgeAgain, PlaceChanged } from "./held-places.ts";
import type { Policy } from "./policy.ts";
import type { LaunchResult } from "./run.ts";
import type { Sandbox } from "./sandbox.ts";
import { stopOthers } from "./stop-others.ts";

/** One start behind walls, from the look for places until the walls stand. */
export interface JudgedStart {
  /** Opens the places of a policy. Called as soon as the policy is made: what is opened then is what was judged. */
  hold(policy: Policy): HeldPlaces | undefined;
  /** The walls stand, or there will be none. */
  onReady(): void;
}

/**
 * Makes a policy and starts something behind its walls. Done again, five times at most, when a place has changed in between. Where bubblewrap builds,
 * the commands that run stand still meanwhile.
 */
export const startJudged = <T>(found: Sandbox, act: (start: JudgedStart) => Promise<T>): Promise<T> =>
  judgeAgain(() => startOnce(found, act));

/** The same, once: for whoever has something to do before the next judgement. */
export async function startOnce<T>(found: Sandbox, act: (start: JudgedStart) => Promise<T>): Promise<T> {
  const resume = found.backend === "bubblewrap" && found.bwrap !== null ? await stopOthers() : () => {};
  let places: HeldPlaces | undefined;
  const onReady = () => {
    places?.release();
    resume();
  };
  const hold = (policy: Policy) => {
    if (found.backend === "bubblewrap" || found.backend === "landlock") places = holdPlaces(policy);
    return places;
  };
  try {
    return await act({ hold, onReady });
  } finally {
    onReady();
  }
}

/** Throws where a command was not started because a place has changed. */
export function assertUnchanged({ changed, setupError }: Pick<LaunchResult, "changed" | "setupError">): void {
  if (changed) throw new PlaceChanged(changedPath(setupError ?? ""));
}
