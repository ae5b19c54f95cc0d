import { oneLine } from "../agent/plan-graph.ts";
import { readWhen, whenText } from "../agent/when.ts";
import { zoneHere } from "../agent/when-zone.ts";
import type { Schedule, ScheduledTask } from "../core/store.ts";

export const LONGEST_TASK = 4000;
export const MOST_OPEN = 100;
/** Of those that are over so many are kept to be looked at. */
const MOST_OVER = 100;

export interface Adding {
  readonly schedule: Pick<Schedule, "add" | "list" | "remove">;
  readonly workspace: string;
  readonly redact: (text: string) => string;
  readonly now: () => number;
}

/** Keeps a task for later; or says why not. */
export async function addTask(
  { schedule, workspace, redact, now }: Adding,
  { task, when, untrusted, bound }: Pick<ScheduledTask, "task" | "when" | "untrusted" | "bound">,
): Promise<ScheduledTask | { readonly refused: string }> {
  const text = redact(task).trim();
  if (text === "") return { refused: "There is no task: say what is to be done." };
  if (text.length > LONGEST_TASK) return { refused: `A task may have ${LONGEST_TASK} characters; this one has ${text.length}.` };
  const read = await readWhen(when, now(), zoneHere());
  if ("refused" in read) return read;
  const known = await schedule.list(workspace);
  if (known.filter(isOpen).length >= MOST_OPEN)
    return { refused: `${MOST_OPEN} tasks are scheduled in this folder, which is the most. \`zeph schedule remove <id>\` makes room.` };
  const over = known.filter((one) => !isOpen(one)).sort((a, b) => (b.last?.at ?? b.createdAt) - (a.last?.at ?? a.createdAt));
  for (const { id } of over.slice(MOST_OVER)) await schedule.remove(id);
  return schedule.add({ workspace, task: text, when: redact(when.trim()), ...read, untrusted, bound });
}

export const isOpen = ({ nextAt }: ScheduledTask): boolean => nextAt !== null;

/** `today at 18:00`, by the clock of this machine. */
export const timeWords = (at: number, now: number): string => whenText(at, now, zoneHere());

/** What was agreed on, in words. */
export function addedText({ id, cron, nextAt }: ScheduledTask, now: number): string {
  const at = timeWords(nextAt ?? now, now);
  const often = cron === null ? `It runs once, ${at}` : `It runs ${at} and then again by "${cron}"`;
  return `Scheduled as ${id.slice(0, 8)}. ${often} (${zoneHere()}), if a zeph is running then; else at the next start.`;
}

/** A task in one line. */
export const taskWords = (task: string): string => `"${oneLine(task, 60)}"`;
