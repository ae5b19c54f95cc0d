// The same run as the simulated one, for real: three workers on this machine, 1,000 tasks of three short steps.
import { fork } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createTaskQueue } from "../dist/modules/fleet/queue.js";
import { initStore } from "../dist/modules/store/pg/migrate.js";
import { openPg } from "../dist/modules/store/pg/pg.js";
import { startPostgres } from "../scripts/fleet-servers.mjs";
import { createServerMeter, machineBusyMs, ownBusyMs } from "./fleet-sim-cpu.mjs";

export const RUN = { workers: 3, slots: 8, tasks: 1000, calls: 3, toolMs: 5 };

/** Seconds of each run, what workers and server computed for a task, and the share of the processors that others used meanwhile. Doubled or missing steps are an error. */
export async function runSteps(times) {
  const folder = mkdtempSync(join(tmpdir(), "zeph-sim-"));
  const server = await startPostgres();
  const workers = [];
  try {
    await initStore(server.url);
    const runs = [];
    for (let n = 0; n < times; n++) runs.push(await runOnce(server, join(folder, `effects-${n}`), workers));
    const each = (key) => runs.map((run) => Number(run[key].toFixed(3)));
    return {
      ...RUN,
      cores: cpus().length,
      seconds: each("seconds"),
      workerMs: each("workerMs"),
      serverMs: each("serverMs"),
      others: each("others"),
    };
  } finally {
    for (const worker of workers) worker.kill("SIGKILL");
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runOnce(server, effects, workers) {
  const { url } = server;
  const processes = createServerMeter(server);
  const db = openPg({ url, tenant: "bench", role: "zeph_gateway", max: 2 });
  const queue = createTaskQueue(db);
  const batch = `b${Math.random()}`;
  const payload = { format: 1, text: "steps" };
  await queue.submit(Array.from({ length: RUN.tasks }, () => ({ batch, payload })));
  const own = Array.from({ length: RUN.workers }, (_, n) => startWorker({ url, name: `w${n}`, effects, ...RUN }));
  workers.push(...own.map(({ child }) => child));
  await Promise.all(own.map(({ ready }) => ready));
  await wait(200);
  processes.look();
  const readyAt = performance.now();
  const before = { machine: machineBusyMs(), server: processes.busyMs(), own: ownBusyMs() };
  for (const { begin } of own) begin();
  for (;;) {
    const { counts } = await queue.status({ batch });
    if (counts.queued + counts.running === 0) break;
    await wait(20);
  }
  const seconds = (performance.now() - readyAt) / 1000;
  const cpu = (await Promise.all(own.map(({ cpu }) => cpu()))).reduce((sum, one) => sum + one, 0);
  const machine = machineBusyMs() - before.machine;
  const served = processes.busyMs() - before.server;
  const others = Math.max(0, machine - served - cpu - (ownBusyMs() - before.own)) / (seconds * 1000 * cpus().length);
  await Promise.all(own.map(({ end }) => end()));
  await db.close();
  const lines = readFileSync(effects, "utf8").trim().split("\n");
  if (lines.length !== RUN.tasks * RUN.calls || new Set(lines).size !== lines.length)
    throw new Error(`${lines.length} steps, some doubled or missing`);
  return { seconds, workerMs: cpu / RUN.tasks, serverMs: served / RUN.tasks, others };
}

function startWorker(config) {
  const child = fork(new URL("./fleet-sim-step-worker.mjs", import.meta.url), [JSON.stringify(config)]);
  const hear = (what) => new Promise((resolve) => child.on("message", (message) => what(message) && resolve(message)));
  return {
    child,
    ready: hear((message) => message === "ready"),
    begin: () => child.send("begin"),
    async cpu() {
      const answer = hear((message) => message.cpu !== undefined);
      child.send("cpu");
      const { user, system } = (await answer).cpu;
      return (user + system) / 1000;
    },
    end() {
      const over = new Promise((resolve) => child.on("exit", resolve));
      child.send("end");
      return over;
    },
  };
}
