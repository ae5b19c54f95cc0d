import { createContact } from "./contact.ts";
import { readClock } from "./lease.ts";
import type { WorkerEvent } from "./run-worker.ts";
import type { TaskRunner } from "./task-runner.ts";
import { createTroubleReport } from "./trouble-report.ts";
import { createWaker } from "./waker.ts";
import type { BeatAnswer, WorkerQueue } from "./worker-queue.ts";

export interface HeartbeatOptions {
  readonly queue: WorkerQueue;
  readonly runner: TaskRunner;
  readonly leaseMs: number;
  register(): Promise<void>;
  drain(): void;
  onBeat(answer: BeatAnswer): void;
  /** A task of this label is in the queue again. */
  onReaped(label: string | null): void;
  readonly warn: (words: string) => void;
  readonly tell: (event: WorkerEvent) => void;
}

export interface Heartbeat {
  beatNow(): void;
  end(): Promise<void>;
}

/** Renews the leases of what this worker holds, and ends what others have left. */
export function createHeartbeat({ queue, runner, leaseMs, register, drain, onBeat, onReaped, warn, tell }: HeartbeatOptions): Heartbeat {
  const contact = createContact(leaseMs);
  const [beats, reaps] = [createWaker(), createWaker()];
  const trouble = createTroubleReport(warn);
  let isOver = false;
  const beat = async (): Promise<boolean> => {
    const held = runner.held();
    const asked = readClock();
    try {
      const answer = await queue.beat(held.map(({ task }) => task));
      contact.answered(asked);
      tell({ type: "beat", ms: readClock().mono - asked.mono });
      for (const one of held) {
        const became = answer.held.get(one.task);
        if (one.isEnding) continue;
        if (became !== "lost") one.lease.renew(asked);
        if (became) one.stop(became);
      }
      if (answer.state === "replaced")
        warn("Another process has registered under this worker's name. This one gives back what it has and ends.");
      if (answer.state === "missing") void register().catch((error) => trouble.fails("This worker cannot be registered", error));
      if (answer.state === "draining" || answer.state === "replaced") drain();
      onBeat(answer);
      trouble.isWell();
      return true;
    } catch (error) {
      contact.missed();
      trouble.fails("A beat was not answered", error);
      return false;
    }
  };
  const reap = async (): Promise<void> => {
    if (!contact.hasLasted()) return;
    const reaped = await queue.reap().catch(() => []);
    if (reaped.length === 0) return;
    tell({ type: "reaped", tasks: reaped.length, unknown: reaped.reduce((sum, { unknown }) => sum + unknown, 0) });
    for (const label of new Set(reaped.filter(({ state }) => state === "queued").map((task) => task.label))) onReaped(label);
  };
  const beating = (async () => {
    while (!isOver) {
      const isAnswered = await beat();
      await beats.nap(isAnswered ? leaseMs / 4 : Math.min(500, leaseMs / 8));
    }
  })();
  const reaping = (async () => {
    while (!isOver) {
      await reaps.nap((leaseMs / 4) * (0.9 + Math.random() * 0.2));
      if (!isOver) await reap();
    }
  })();
  return {
    beatNow: beats.wake,
    async end() {
      isOver = true;
      beats.wake();
      reaps.wake();
      await Promise.all([beating, reaping]);
    },
  };
}
