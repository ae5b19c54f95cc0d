import { loadCron } from "../../agent/when/cron.ts";
import { readWhen, whenText } from "../../agent/when/when.ts";
import { zoneHere } from "../../agent/when/zone.ts";
import type { Schedule, ScheduledTask } from "../../core/ports/store.ts";
import { oneLine } from "../../text/visible.ts";

const LONGEST_TASK = 4000;
/** Of those that are over so many are kept to be looked at. */
const MOST_OVER = 100;

export interface Adding {
  readonly schedule: Pick<Schedule, "add" | "list" | "remove">;
  readonly workspace: string;
  readonly redact: (text: string) => string;
  readonly now: () => number;
  readonly limits: ScheduleLimits;
}

/** What may be kept for later. */
export interface ScheduleLimits {
  /** Open tasks of one folder. */
  readonly most: number;
  /** Seconds between two runs of a task that comes again and again; 0 for no limit. */
  readonly leastSeconds: number;
}

/** Why a task is not kept: it cannot be, or there are too many already. */
export interface NotAdded {
  readonly refused: string;
  readonly because: "nonsense" | "full";
}

/** Keeps a task for later; or says why not. */
export async function addTask(
  { schedule, workspace, redact, now, limits }: Adding,
  { task, when, untrusted, bound }: Pick<ScheduledTask, "task" | "when" | "untrusted" | "bound">,
): Promise<ScheduledTask | NotAdded> {
  const nonsense = (refused: string): NotAdded => ({ refused, because: "nonsense" });
  const text = redact(task).trim();
  if (text === "") return nonsense("There is no task: say what is to be done.");
  if (text.length > LONGEST_TASK) return nonsense(`A task may have ${LONGEST_TASK} characters; this one has ${text.length}.`);
  const read = await readWhen(when, now(), zoneHere());
  if ("refused" in read) return nonsense(read.refused);
  const seconds = read.cron === null ? Number.POSITIVE_INFINITY : await shortestGap(read.cron, now());
  if (seconds < limits.leastSeconds)
    return nonsense(
      `"${when.trim()}" comes again after ${seconds} seconds. A task of a model may come again after ${limits.leastSeconds} seconds at the soonest (agent.schedule.min_interval_secs). A person may add it with \`zeph schedule add\`.`,
    );
  const known = await schedule.list(workspace);
  if (known.filter(isOpen).length >= limits.most)
    return {
      refused: `${limits.most} tasks are scheduled in this folder, which is the most (agent.schedule.max_tasks). \`zeph schedule remove <id>\` makes room.`,
      because: "full",
    };
  const over = known.filter((one) => !isOpen(one)).sort((a, b) => (b.last?.at ?? b.createdAt) - (a.last?.at ?? a.createdAt));
  for (const { id } of over.slice(MOST_OVER)) await schedule.remove(id);
  return schedule.add({ workspace, task: text, when: redact(when.trim()), ...read, untrusted, bound });
}

const LOOKED_AHEAD = 60;

/** The least seconds between two runs, of those that come next. */
async function shortestGap(cron: string, now: number): Promise<number> {
  const lines = await loadCron();
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0, at = lines.next(cron, now, zoneHere()); n < LOOKED_AHEAD && at !== null; n++) {
    const next = lines.next(cron, at, zoneHere());
    if (next !== null) least = Math.min(least, (next - at) / 1000);
    at = next;
  }
  return least;
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
