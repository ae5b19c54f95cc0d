import type { CallFate } from "../../core/ports/fleet/session.ts";
import type { SessionFolder } from "../../fleet/workspace/fleet-folders.ts";
import { plural } from "../../text/words.ts";

/** What a turn finds when it begins: where the session was before, and what is left of it. */
export interface FoundSession {
  /** The words of the turn are in the conversation already, and nobody answered them. */
  readonly isInterrupted: boolean;
  /** Something was said in it before. */
  readonly isKnown: boolean;
  readonly folder: SessionFolder["state"];
  readonly fates: readonly CallFate[];
  /** The command that should have made what git ignores, where it failed. */
  readonly failedSetup?: string | null;
}

/** What the model is told of it; null where there is nothing to tell. */
export function foundText({ isInterrupted, isKnown, folder, fates, failedSetup = null }: FoundSession): string | null {
  const moved = isKnown && folder !== "kept";
  const unknown = fates.filter((fate) => fate === "unknown").length;
  const said = [
    ...(isInterrupted ? ["The process that worked on this was stopped, and another one goes on."] : []),
    ...(moved ? [FILES[folder]] : []),
    ...(isInterrupted || moved ? ["The shell begins anew: its folder, its variables and its background commands are gone."] : []),
    ...(failedSetup === null ? [] : [`The setup command of the repository failed (${failedSetup}): dependencies may be missing.`]),
    ...(unknown > 0
      ? [`Of ${plural(unknown, "call")} nobody knows what came of it. Look at what it would have changed before anything else.`]
      : []),
    ...(isInterrupted ? ["Go on with the task; do nothing a second time that was done."] : []),
  ];
  return said.length === 0 ? null : `[fleet] ${said.join(" ")}`;
}

const FILES: Readonly<Record<Exclude<SessionFolder["state"], "kept">, string>> = {
  restored:
    "The folder was made anew from the last snapshot, on another machine perhaps: what was changed after it is gone, and so is what git ignores, such as dependencies.",
  new: "The folder was made anew, and there is no snapshot of what was in it: files you changed before are as they were at first, or gone.",
};
