// `npm run fleet:try`: a fleet on this machine. PostgreSQL and NATS in a temporary folder, two gateways, three workers, 100 tasks; one worker is killed in the middle.
// Then what was written is counted: exit code 1 if anything was done twice or not at all. `--tasks 20` for a shorter one.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findNats, findPostgres, freePort, startNats, startPostgres } from "./fleet-servers.mjs";
import { serveTryModel } from "./fleet-try-model.mjs";
import { createTryProcesses } from "./fleet-try-processes.mjs";

const tasksAt = process.argv.indexOf("--tasks");
const TASKS = tasksAt > 0 ? Number(process.argv[tasksAt + 1]) : 100;
const STEPS = 3;
const LEASE_MS = 3000;
const PATIENCE_MS = 300_000;
const began = performance.now();
const say = (text) => console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);

if (!findPostgres()) {
  console.error("PostgreSQL 15 or newer is missing. On Debian and Ubuntu: apt-get install postgresql-15 nats-server");
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), "zeph-try-"));
const cleaners = [() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })];
let ending = null;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, async () => {
    if (!ending) say("stopped; everything that was started is ended");
    await cleanUp();
    process.exit(130);
  });
let code = 1;
try {
  code = await tryFleet();
} catch (error) {
  if (ending) code = 130;
  else say(`failed: ${error.message}`);
}
await cleanUp();
process.exit(code);

async function tryFleet() {
  const shared = join(folder, "effects");
  const ledger = join(shared, "ledger");
  mkdirSync(shared);
  writeFileSync(ledger, "");
  chmodSync(folder, 0o700);
  const postgres = await started(startPostgres());
  const nats = findNats() ? await started(startNats()) : null;
  say(
    `PostgreSQL on port ${postgres.port}; ${nats ? `NATS at ${nats.url}` : "no nats-server is installed, so PostgreSQL's notifications are the bus"}`,
  );
  const model = await serveTryModel({ steps: STEPS, ledger });
  cleaners.push(model.close);
  mkdirSync(join(folder, "config", "zeph"), { recursive: true });
  writeFileSync(join(folder, "config", "zeph", "config.toml"), configuration(model.url, shared));
  const zeph = createTryProcesses(folder, { ZEPH_STORE: postgres.url, ZEPH_BUS: nats?.url ?? "" });
  cleaners.push(zeph.endAll);

  await expectDone(zeph.run("store", "init", postgres.url), "zeph store init");
  const { out: token } = await expectDone(zeph.run("fleet", "token", "add", "ann", "--role", "user,operator"), "zeph fleet token add");
  const ports = [await freePort(), await freePort()];
  const gateways = ports.map((port, n) => ({
    ...zeph.start(`gateway-${n + 1}`, "serve", "--port", String(port)),
    url: `http://127.0.0.1:${port}`,
  }));
  const ask = (gateway, path, body) => askGateway(gateways[gateway].url + path, token.trim(), body);
  const workers = [1, 2, 3].map((n) =>
    zeph.start(`w${n}`, "worker", "--name", `w${n}`, "--slots", "4", "--workspaces", join(folder, `folders-${n}`)),
  );
  for (const gateway of gateways) await until(`${gateway.name} is ready`, () => isReady(gateway), gateway);
  for (const worker of workers) await until(`${worker.name} takes tasks`, async () => worker.said.err.includes("takes tasks"), worker);
  say(`tables made; 2 gateways (ports ${ports.join(", ")}), 3 workers with 4 slots each, leases of ${LEASE_MS / 1000} s`);

  const tasks = Array.from({ length: TASKS }, (_, n) => ({ key: `task-${n + 1}`, batch: "try", text: `Do task ${n + 1}.` }));
  const half = Math.ceil(TASKS / 2);
  const [first, second] = [tasks.slice(0, half), tasks.slice(half)];
  const put = [...(await ask(0, "/v1/tasks", first)), ...(await ask(1, "/v1/tasks", second))];
  const again = await ask(1, "/v1/tasks", first);
  say(
    `${countNew(put)} tasks of ${STEPS} commands each, half to each gateway; the first ${first.length} once more at the other one: ${countNew(again)} new`,
  );

  const held = () => ask(0, "/v1/tasks?state=running&limit=1000").then((all) => all.filter(({ worker }) => worker?.startsWith("w2")));
  const lines = () => readFileSync(ledger, "utf8").split("\n").filter(Boolean);
  await until("a third of the commands ran", async () => lines().length >= (TASKS * STEPS) / 3 && (await held()).length > 0, workers[1]);
  const lost = await held();
  workers[1].lose();
  const killedAt = performance.now();
  say(
    `${lines().length} of ${TASKS * STEPS} commands have run. w2 is killed with SIGKILL, with all that it started; it held ${count(lost.length, "task")}`,
  );
  const isTakenBack = async () =>
    (await Promise.all(lost.map(({ id }) => ask(1, `/v1/tasks/${id}`)))).every(({ worker }) => !worker?.startsWith("w2"));
  await until("its tasks are taken back", isTakenBack);
  say(`others have them ${((performance.now() - killedAt) / 1000).toFixed(1)} s later`);
  const isOver = async () => {
    const { tasks: counts } = await ask(1, "/v1/status");
    return counts.queued + counts.running === 0;
  };
  await until("all tasks are over", isOver);
  say("all tasks are over");
  const results = (await zeph.run("fleet", "results", "try", "--jsonl")).out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const audit = await zeph.run("fleet", "audit", "verify");
  return account(results, lines(), model.told, audit, lost);
}

function account(results, lines, told, audit, lost) {
  const wanted = new Set(
    Array.from({ length: TASKS }, (_, n) => Array.from({ length: STEPS }, (_, step) => `${n + 1} ${step + 1}`)).flat(),
  );
  const times = new Map();
  for (const line of lines) times.set(line, (times.get(line) ?? 0) + 1);
  const doubled = [...times].filter(([, n]) => n > 1);
  const missing = [...wanted].filter((line) => !times.has(line));
  const stray = [...times.keys()].filter((line) => !wanted.has(line));
  const states = countBy(results, ({ state }) => state);
  const unknown = results.reduce((sum, result) => sum + result.unknown, 0);
  const second = results.filter(({ attempt }) => attempt > 1).length;
  console.log("");
  console.log(
    `tasks       ${Object.entries(states)
      .map(([state, n]) => `${n} ${state}`)
      .join(", ")} of ${TASKS}; begun a second time: ${second}`,
  );
  console.log(
    `ended by    ${Object.entries(countBy(results, ({ worker }) => worker))
      .sort()
      .map(([name, n]) => `${name}: ${n}`)
      .join(", ")}`,
  );
  console.log(`commands    ${lines.length} lines in the ledger, ${wanted.size} wanted`);
  console.log(`doubled     ${doubled.length}${doubled.length ? `: ${doubled.map(([line, n]) => `${line} (${n} times)`).join(", ")}` : ""}`);
  console.log(
    `missing     ${missing.length}${missing.length ? `: ${missing.slice(0, 10).join(", ")}` : ""}${stray.length ? `; not ours: ${stray.length}` : ""}`,
  );
  console.log(
    `unknown     ${unknown}: ${unknown === 0 ? "no call was under way when w2 was killed" : "nobody could know whether these calls took effect. The model was told so and never made them blindly:"}`,
  );
  if (unknown > 0)
    console.log(
      `            it looked ${count(told.looked, "time")}, found ${told.looked - told.repeated} done, and made ${told.repeated} that had not happened`,
    );
  console.log(`audit       ${audit.out.split("\n")[0] || audit.err.split("\n")[0]}`);
  const isGood = doubled.length + missing.length + stray.length === 0 && states.done === TASKS && lost.length > 0;
  console.log("");
  console.log(
    isGood
      ? "Nothing was done twice, and nothing was lost. One machine played all of them: no network and no second clock were tried."
      : "This is not as it should be.",
  );
  return isGood ? 0 : 1;
}

/** Full autonomy: nobody sits here to be asked. Commands run behind walls, and the ledger is the one place outside of their folder that they may write to. */
function configuration(url, shared) {
  return `autonomy = "full"
[tools.sandbox]
allow_write = [".", ${JSON.stringify(shared)}]
[fleet]
lease_ms = ${LEASE_MS}
poll_ms = 200
[[llm.providers]]
name = "steps"
type = "compatible"
model = "steps"
base_url = ${JSON.stringify(url)}
context_tokens = 100000
`;
}

async function askGateway(url, token, body) {
  const answer = await fetch(url, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${url.replace(/^.*?\/\/[^/]*/, "")} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

function isReady({ url }) {
  return fetch(`${url}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
}

async function until(what, isSo, process) {
  const late = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (ending) throw new Error("stopped");
    if (process && !process.isRunning()) throw new Error(`${process.name} ended before "${what}":\n${process.said.err}`);
    if (performance.now() > late) throw new Error(`Waited ${PATIENCE_MS / 1000} s in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Ended at the end, also where that comes while it still starts. */
function started(starting) {
  cleaners.push(async () => (await starting.catch(() => null))?.stop());
  return starting;
}

async function expectDone(running, what) {
  const done = await running;
  if (done.code !== 0) throw new Error(`${what} ended with ${done.code}:\n${done.err}`);
  return done;
}

function cleanUp() {
  ending ??= (async () => {
    for (const clean of cleaners.reverse()) await clean();
  })();
  return ending;
}

function countBy(list, read) {
  const counts = {};
  for (const one of list) counts[read(one)] = (counts[read(one)] ?? 0) + 1;
  return counts;
}
function countNew(put) {
  return put.filter(({ is_new: isNew }) => isNew).length;
}
function count(n, one) {
  return `${n} ${one}${n === 1 ? "" : "s"}`;
}
