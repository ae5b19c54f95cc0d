import type { Touch } from "../../core/touch.ts";
import type { Policy } from "../sandbox/policy.ts";
import { clearOuter } from "./hold-outer.ts";
import type { WorkdayLookup } from "./workday.ts";

/**
 * What the person has to know about a command that has ended: what it left in their repository and was removed, folders of theirs that it
 * did not see, and a commit without their signature.
 */
export function workdayNotes(
  day: WorkdayLookup | undefined,
  touches: readonly Touch[],
  { write, outer = [] }: Pick<Policy, "write" | "outer">,
  exitCode: number,
): readonly string[] {
  if (!day) return [];
  const own = write.filter((root) => !outer.includes(root));
  const isUnsigned = exitCode === 0 && touches.some(isCommitting) && day.look(own).isSigning;
  return [...clearOuter(outer), ...day.takeNotes(), ...(isUnsigned ? [UNSIGNED] : [])];
}

const UNSIGNED = "Your git settings sign commits. Behind the walls there is no key, so what was committed is not signed.";
const COMMITS: ReadonlySet<string | null> = new Set(["commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull"]);

const isCommitting = (touch: Touch): boolean =>
  touch.kind === "command" && touch.argv[0] === "git" && touch.argv.some((word) => COMMITS.has(word));
