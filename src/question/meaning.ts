import type { Answer, Question } from "../core/event.ts";
import { visible } from "../text/visible.ts";

/** What a yes for longer would allow, word for word; null where the answer allows this call alone, or nothing. */
export function answerMeaning(answer: Answer, { always_rule, whole_repository, wants }: Question): string | null {
  if (answer === "always") return always_rule === undefined ? null : visible(`writes the rule: ${always_rule}`);
  if (answer === "edits")
    return "allows every edit of a file in this workspace until you leave; protected files, deleting a folder and commands are asked about all the same";
  if (answer !== "session") return null;
  if (whole_repository !== undefined) return visible(`lets commands change all of ${whole_repository} until you leave`);
  return wants === undefined
    ? "allows this call for the same places until you leave; texts that are written may differ"
    : "allows the same again until you leave";
}
