import type { TaskStatus } from "../../core/ports/goal.ts";
import { didYouMean } from "../../text/nearest.ts";

export const STATUSES: readonly TaskStatus[] = ["done", "open", "failed", "active"];
export const WORDS = ["status", "list", "resume", "pause", "done", "cancel", "task"];
export const TASK_USAGE = `/plan task <n> ${STATUSES.join("|")} [note]`;
const RESUME_USAGE = "/plan resume <id or number>";

/** Words that speak of goals and tasks and of nothing else: a number, an id, an option, `the current plan`. */
const OWN =
  /^(?:#?\d+[.:)]?|(?=[a-f]*\d)[0-9a-f]{4,}|-.*|it|this|that|all|now|please|my|the|current|active|open|done|failed|paused|goals?|plans?|tasks?)$/i;

/**
 * Why a line that begins with a word of /plan is refused: it looks like that command, with wrong arguments. A plan for it would cost two
 * requests and help nobody. Null for a sentence, which is a goal.
 */
export function misuse(line: string): string | null {
  const [word = "", ...rest] = line.trim().toLowerCase().split(/\s+/);
  if (!WORDS.includes(word) || rest.length === 0) return null;
  const usage = usageOf(word, rest);
  return usage === null ? null : `/plan ${word} is written like this: ${usage}. If you mean a goal, begin it with another word.`;
}

function usageOf(word: string, rest: readonly string[]): string | null {
  const [first = "", second = ""] = rest;
  const isAboutGoals = rest.every((one) => OWN.test(one));
  if (word === "task") return isAboutGoals || isStatus(first) || isStatus(second) || isNearStatus(rest) ? TASK_USAGE : null;
  if (word === "resume") return isAboutGoals || (OWN.test(first) && /\d/.test(first)) ? RESUME_USAGE : null;
  return isAboutGoals ? `/plan ${word}, with nothing after it` : null;
}

const isStatus = (word: string) => STATUSES.some((one) => one === word);
/** `task x doen` */
const isNearStatus = ([, second = "", ...more]: readonly string[]) => more.length === 0 && didYouMean(second, STATUSES) !== "";
