import type { Touch } from "../../core/touch.ts";
import type { WorkdayLookup } from "./workday.ts";

/** What the person has to know about a command that has ended: folders of theirs that it did not see, and a commit without their signature. */
export function workdayNotes(
  day: WorkdayLookup | undefined,
  touches: readonly Touch[],
  writable: readonly string[],
  exitCode: number,
): readonly string[] {
  if (!day) return [];
  const isUnsigned = exitCode === 0 && touches.some(isCommitting) && day.look(writable).isSigning;
  return [...day.takeNotes(), ...(isUnsigned ? [UNSIGNED] : [])];
}

const UNSIGNED = "Your git settings sign commits. Behind the walls there is no key, so what was committed is not signed.";
const COMMITS: ReadonlySet<string | null> = new Set(["commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull"]);

const isCommitting = (touch: Touch): boolean =>
  touch.kind === "command" && touch.argv[0] === "git" && touch.argv.some((word) => COMMITS.has(word));
