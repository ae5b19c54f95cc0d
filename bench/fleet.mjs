// What a fleet costs when workers and servers fail: three worker processes, real servers, a file with a line for each effect.
// node bench/fleet.mjs [--runs 5] [--bus nats|pg] [--bar 7]
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { at, median } from "./measure.mjs";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "5" }, bus: { type: "string", default: "nats" }, bar: { type: "string" } },
});
const ROOT = join(import.meta.dirname, "..");
const LEASE_MS = 3000;
const WORKERS = ["w1", "w2", "w3"];
const runs = Number(values.runs);

/** `read` gives one number a run; the worst is the largest. */
const BARS = [
  { bar: 3, what: "a dead worker's tasks run elsewhere, ms", most: LEASE_MS + 1500, read: killWorker },
  { bar: 4, what: "1,000 tasks of 3 calls, s", most: 12, read: workThrough },
  { bar: 5, what: "submit to done, nothing else to do, p50 in ms", most: 25, read: (fleet) => idle(fleet, 0.5) },
  { bar: 5, what: "the same, p99 in ms", most: 60, read: (fleet) => idle(fleet, 0.99) },
  { bar: 7, what: "cancel to end, p99 in ms", most: 150, read: cancelAll },
  { bar: 7, what: "drain, ms", most: 1000, read: drain },
  { bar: 7, what: "policy push to three listeners, p99 in ms", most: 50, read: pushPolicies },
  { bar: 8, what: "PostgreSQL away for 3 leases: unknown and failed", most: 0, read: leaveServer },
  { bar: 10, what: "most at once of a limit of 4", most: 4, read: limitToFour },
].filter(({ bar }) => values.bar === undefined || bar === Number(values.bar));

const { startStepFleet, openPolicyListeners } = await loadParts();
const fleet = await startStepFleet(values.bus, { leaseMs: LEASE_MS, settings: [], root: ROOT });
const results = new Map(BARS.map((bar) => [bar, []]));
let doubled = 0;
let idleTimes = [];
let limits = 0;
try {
  await fleet.start(WORKERS);
  await wait(LEASE_MS * 1.3);
  for (let run = 1; run <= runs; run++)
    for (const bar of BARS) {
      const value = await bar.read(fleet);
      results.get(bar).push(value);
      process.stderr.write(`run ${run}: ${bar.what}: ${round(value)}\n`);
    }
} finally {
  await fleet.stop();
}
const rows = BARS.map((bar) => {
  const all = results.get(bar);
  return [bar.bar, bar.what, `≤ ${bar.most}`, round(median(all)), round(Math.max(...all)), median(all) <= bar.most ? "yes" : "no"];
});
const table = [["Bar", "What", "Limit", `Median of ${runs}`, "Worst", "Holds"], Array(6).fill("---"), ...rows];
process.stdout.write(`${table.map((row) => `| ${row.join(" | ")} |`).join("\n")}\n`);
process.stdout.write(`Hints by ${values.bus}; doubled effects: ${doubled}.\n`);
process.exitCode = doubled > 0 || rows.some((row) => row[5] === "no") ? 1 : 0;

/** The fleet of the tests; here with a server that flushes. */
async function loadParts() {
  const outfile = join(ROOT, `node_modules/.cache/bench-fleet-${process.pid}.mjs`);
  const files = ["step-fleet.ts", "policy-listeners.ts"];
  await build({
    stdin: { contents: files.map((file) => `export * from "./${file}";`).join(""), resolveDir: join(ROOT, "test/fleet/chaos") },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  try {
    return await import(outfile);
  } finally {
    rmSync(outfile, { force: true });
  }
}

async function count(ids) {
  const account = await fleet.account(ids);
  doubled += account.doubled;
  return account;
}

async function isBusy(worker) {
  const [row] = await fleet.db.patient.all("select count(*) as count from tasks where holder = ? and state = 'running'", worker);
  return row.count > 3;
}
async function until(condition) {
  while (!(await condition())) await wait(3);
}
async function countIn(ids, state) {
  const row = await fleet.db.patient.one("select count(*) as count from tasks where id = any (?::uuid[]) and state = ?", ids, state);
  return row.count;
}

async function killWorker() {
  const ids = await fleet.submit(120, { steps: 6, ms: 60 });
  await until(() => isBusy("w2"));
  await wait(300);
  const start = performance.now();
  await fleet.end("w2", "SIGKILL");
  await wait(100);
  const held = (await fleet.db.patient.all("select id from tasks where holder = 'w2' and state = 'running'")).map(({ id }) => id);
  await until(async () => (await fleet.db.patient.all("select 1 from tasks where holder = 'w2' and state = 'running'")).length === 0);
  await until(async () => (await countIn(held, "queued")) === 0);
  const ms = performance.now() - start;
  await fleet.start(["w2"]);
  await fleet.settle(ids);
  await count(ids);
  return ms;
}

async function workThrough() {
  const start = performance.now();
  const ids = await fleet.submit(1000, { steps: 3, ms: 5 });
  await fleet.settle(ids);
  const seconds = (performance.now() - start) / 1000;
  await count(ids);
  return seconds;
}

async function idle(_, share) {
  if (share === 0.5) {
    idleTimes = [];
    for (let n = 0; n < 200; n++) {
      const start = performance.now();
      const [id] = await fleet.submit(1, { steps: 1, ms: 0 });
      while ((await fleet.queue.get(id)).state !== "done") await wait(1);
      idleTimes.push(performance.now() - start);
    }
  }
  return at(share, idleTimes);
}

async function cancelAll() {
  const ids = await fleet.submit(20, { steps: 1000, ms: 40 });
  await until(async () => (await countIn(ids, "running")) === ids.length);
  const times = [];
  for (const id of ids) {
    const start = performance.now();
    await fleet.queue.cancel({ id }, "a benchmark");
    await until(async () => (await fleet.queue.get(id)).state === "cancelled");
    times.push(performance.now() - start);
  }
  await count(ids);
  return at(0.99, times);
}

async function drain() {
  const ids = await fleet.submit(60, { steps: 10, ms: 40 });
  await until(() => isBusy("w1"));
  const start = performance.now();
  await fleet.end("w1", "SIGTERM");
  const ms = performance.now() - start;
  await fleet.start(["w1"]);
  await fleet.settle(ids);
  await count(ids);
  return ms;
}

async function pushPolicies() {
  const listeners = await openPolicyListeners(fleet.url, fleet.nats?.url ?? "");
  try {
    const times = [];
    for (let n = 0; n < 100; n++) times.push(await listeners.push());
    return at(0.99, times);
  } finally {
    await listeners.close();
  }
}

async function leaveServer() {
  const ids = await fleet.submit(120, { steps: 4, ms: 20 });
  await until(async () => (await fleet.left(ids)) < 110);
  await fleet.server.crash();
  await wait(3 * LEASE_MS);
  await fleet.server.start();
  await fleet.settle(ids);
  const account = await count(ids);
  return account.unknown + (account.states.failed ?? 0);
}

async function limitToFour() {
  const key = `provider-${limits++}`;
  await fleet.queue.setLimit(key, 4);
  const ids = await fleet.submit(60, { steps: 2, ms: 20 }, { limit: key });
  await fleet.settle(ids);
  await count(ids);
  const row = await fleet.db.one(
    `select max((select count(*) from tasks o where o.limit_key = t.limit_key and o.started_at <= t.started_at and o.ended_at > t.started_at)) as most
     from tasks t where t.limit_key = ?`,
    key,
  );
  return row.most;
}

function round(value) {
  return value >= 100 ? Math.round(value) : Math.round(value * 10) / 10;
}
