// A worker of the real runs that the simulation is compared with: tasks of short steps, each a line in a file. Started by fleet-sim-real.mjs.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { openBus } from "../dist/modules/fleet/bus/bus.js";
import { runWorker } from "../dist/modules/fleet/run-worker.js";
import { openWorkerQueue } from "../dist/modules/fleet/worker-queue.js";

const { url, name, slots, calls, toolMs, effects } = JSON.parse(process.argv[2]);
const queue = openWorkerQueue({ url, connections: slots + 2 });
const bus = await openBus({ url: "", db: { url } });
const ending = new AbortController();
let atStart;
let begin;
const begun = new Promise((resolve) => (begin = resolve));
process.on("message", (message) => {
  if (message === "begin") begin();
  if (message === "cpu") process.send({ cpu: process.cpuUsage(atStart) });
  if (message === "end") ending.abort();
});
// Its connections are there before the clock runs.
await Promise.all(Array.from({ length: slots + 2 }, () => queue.postpone("bench", "", 0)));
process.send("ready");
await begun;
atStart = process.cpuUsage();
await runWorker({
  queue,
  bus,
  name,
  version: "1",
  slots,
  leaseMs: 15_000,
  pollMs: 1000,
  signal: ending.signal,
  warn: (words) => process.stderr.write(`${words}\n`),
  async runTask(task, { ledger }) {
    for (let call = 1; call <= calls; call++) {
      if (!(await ledger.intent(String(call), "writes"))) throw new Error("refused");
      await wait(toolMs * Math.random());
      appendFileSync(effects, `${task.id} ${call}\n`);
      await wait(toolMs * Math.random());
      if (!(await ledger.done(String(call), "ok"))) throw new Error("refused");
    }
    return { end: "done", result: { ok: true, text: "" } };
  },
});
await queue.close();
await bus.close();
process.disconnect();
