import { type CronLines, loadCron } from "../../agent/when/cron.ts";
import { zoneHere } from "../../agent/when/zone.ts";
import type { Schedule, ScheduledTask } from "../../core/ports/store.ts";
import { taskWords, timeWords } from "./scheduled-add.ts";

/** How a run ended; `text` is the last the model said, or what went wrong. */
export interface TaskEnd {
  readonly ok: boolean;
  readonly text: string;
  readonly conversation?: string;
}

/** What running scheduled tasks needs, and who is told. */
export interface Due {
  readonly schedule: Pick<Schedule, "take" | "ended" | "nextAt">;
  readonly workspace: string;
  readonly now: () => number;
  /** Does one task, with nobody to ask. */
  readonly run: (task: ScheduledTask, signal: AbortSignal) => Promise<TaskEnd>;
  /** Asked before anything is taken. It throws when no task could be run at all, and they wait. */
  readonly ready?: () => Promise<void>;
  readonly began?: (task: ScheduledTask) => void;
  readonly ended?: (task: ScheduledTask, end: TaskEnd) => void;
  /** What went wrong, in words. */
  readonly warn: (message: string) => void;
}

/** A schedule that fills up faster than it is worked off ends somewhere. */
const MOST_AT_ONCE = 1000;

/**
 * Works off what is due, one task at a time. What was missed several times runs once. A task that was taken counts as run, whatever
 * becomes of this process: to do something twice may be worse than not at all.
 */
export async function runDue(due: Due, signal: AbortSignal): Promise<readonly TaskEnd[]> {
  const { schedule, workspace, now } = due;
  const soonest = await schedule.nextAt(workspace);
  if (soonest === null || soonest > now() || signal.aborted) return [];
  await due.ready?.();
  const cron = await loadCron();
  const ends: TaskEnd[] = [];
  while (!signal.aborted && ends.length < MOST_AT_ONCE) {
    const task = await schedule.take(workspace, now(), (task) => nextOf(task, now(), cron, due.warn));
    if (!task) break;
    ends.push(await runOne(due, task, signal));
  }
  return ends;
}

async function runOne({ schedule, now, run, began, ended, warn }: Due, task: ScheduledTask, signal: AbortSignal): Promise<TaskEnd> {
  const record = (end: Pick<TaskEnd, "ok" | "conversation">) =>
    schedule
      .ended(task.id, { at: now(), ok: end.ok, ...(end.conversation !== undefined && { conversation: end.conversation }) })
      .catch((error: Error) => warn(`How ${taskWords(task.task)} ended could not be kept: ${error.message}`));
  // Until the end is known: whoever looks after a crash sees that it did not end.
  await record({ ok: false });
  began?.(task);
  const end = await run(task, signal).catch((error: Error): TaskEnd => ({ ok: false, text: error.message }));
  await record(end);
  ended?.(task, end);
  if (!end.ok)
    warn(`The scheduled task ${taskWords(task.task)} ${signal.aborted ? "was stopped" : "failed"}: ${end.text} ${againWords(task, now())}`);
  return end;
}

const againWords = ({ nextAt }: ScheduledTask, now: number): string =>
  nextAt === null ? "It was to run once and is not tried again." : `Its next time is ${timeWords(nextAt, now)}.`;

/** From now on: times that have passed meanwhile are not made up for. */
function nextOf({ cron: line, task }: ScheduledTask, now: number, cron: CronLines, warn: Due["warn"]): number | null {
  if (line === null) return null;
  try {
    return cron.next(line, now, zoneHere());
  } catch {
    warn(`The scheduled task ${taskWords(task)} has a cron line that cannot be read any more, "${line}". It runs this once.`);
    return null;
  }
}

const LONGEST_SLEEP_MS = 60_000;
const SHORTEST_SLEEP_MS = 50;

export interface Watch {
  /** Stops what runs and waits for its end. */
  close(): Promise<void>;
}

/** Works off what comes due until it is closed. It keeps no process alive, and looks once a minute for what others have added. */
export function watchSchedule(due: Due, signal: AbortSignal): Watch {
  const closing = new AbortController();
  const stop = AbortSignal.any([signal, closing.signal]);
  const warnOnce = onceEach(due.warn);
  const work = (async () => {
    while (!stop.aborted) await sleep(await look(due, stop, warnOnce), stop);
  })();
  return {
    async close() {
      closing.abort();
      await work;
    },
  };
}

/** How long nothing is to be done. */
async function look(due: Due, stop: AbortSignal, warn: Due["warn"]): Promise<number> {
  try {
    await runDue(due, stop);
    const next = await due.schedule.nextAt(due.workspace);
    return next === null ? LONGEST_SLEEP_MS : Math.min(LONGEST_SLEEP_MS, Math.max(SHORTEST_SLEEP_MS, next - due.now()));
  } catch (error) {
    if (!stop.aborted) warn(`Scheduled tasks wait: ${(error as Error).message}`);
    return LONGEST_SLEEP_MS;
  }
}

function sleep(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      stop.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms).unref();
    stop.addEventListener("abort", end, { once: true });
  });
}

/** The same trouble every minute is told once, until there was another. */
function onceEach(warn: Due["warn"]): Due["warn"] {
  let last = "";
  return (message) => {
    if (message !== last) warn(message);
    last = message;
  };
}
