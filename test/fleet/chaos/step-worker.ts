import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { openBus } from "../../../src/fleet/bus/bus.ts";
import { runWorker, type TaskHands, type TaskOutcome } from "../../../src/fleet/run-worker.ts";
import { openWorkerQueue, type TakenTask } from "../../../src/fleet/worker-queue.ts";

/** What a step worker is started with. */
export interface StepWorkerConfig {
  readonly url: string;
  /** Empty: PostgreSQL's notifications. `none`: no hints at all. */
  readonly bus: string;
  readonly name: string;
  readonly version: string;
  readonly slots: number;
  readonly leaseMs: number;
  readonly pollMs: number;
  readonly labels: readonly string[];
  /** A line for each effect. */
  readonly effects: string;
  /** A line of JSON for each event. */
  readonly log: string;
  /** Does not listen when the ledger says no: to see that a run would notice. */
  readonly isHeedless: boolean;
}

/** The text of its tasks. */
export interface Steps {
  readonly steps: number;
  /** At most so long before and after each effect. */
  readonly ms: number;
  readonly doze?: number;
  readonly fails?: true;
}

/** The outcome of a call whose effect was held back. */
const NOT_MADE = "not made";

const config: StepWorkerConfig = JSON.parse(process.argv[2]!);
const { isHeedless } = config;

async function runSteps(task: TakenTask, hands: TaskHands): Promise<TaskOutcome> {
  const { steps, ms, doze = 0, fails }: Steps = JSON.parse(task.payload.text);
  if (fails) throw new Error("This task fails.");
  for (let n = 1; n <= steps; n++) {
    const call = String(n);
    const known = hands.journal.get(call)?.state;
    if (known === "done" || (known === "unknown" && !isHeedless)) continue;
    if (hands.isDraining()) return { end: "giveBack" };
    if (!(await hands.ledger.intent(call, "writes")) && !isHeedless) throw new Error("refused before the effect");
    await wait(doze + ms * Math.random());
    if (!(await hands.isOurs()) && !isHeedless) {
      if (hands.signal.reason === "cancelled") await hands.ledger.done(call, NOT_MADE);
      throw new Error("held back");
    }
    appendFileSync(config.effects, `${task.id} ${n} ${config.name} ${task.epoch}\n`);
    await wait(ms * Math.random());
    if (!(await hands.ledger.done(call, "ok")) && !isHeedless) throw new Error("refused after the effect");
  }
  return { end: "done", result: { ok: true, text: "" } };
}

// Nobody is left to end it.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && process.exit(1), 1000).unref();
const ending = new AbortController();
process.on("SIGTERM", () => ending.abort());
const bus = config.bus === "none" ? undefined : await openBus({ url: config.bus, db: { url: config.url } });
const queue = openWorkerQueue({ url: config.url, connections: config.slots + 2 });
await runWorker({
  ...config,
  queue,
  bus,
  signal: ending.signal,
  runTask: runSteps,
  warn: (words) => process.stderr.write(`${config.name}: ${words}\n`),
  tell(event) {
    const { type } = event;
    if (type === "beat" || type === "take") return;
    const rest =
      type === "reaped"
        ? { tasks: event.tasks }
        : { task: event.task.id, what: "end" in event ? event.end : "what" in event ? event.what : "" };
    appendFileSync(config.log, `${JSON.stringify({ at: Date.now(), worker: config.name, type, ...rest })}\n`);
  },
});
await queue.close();
await bus?.close();
