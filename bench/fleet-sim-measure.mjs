// What the statements of a fleet cost on a real PostgreSQL: processor time of server and worker, bytes of the log, and one write of the log. Times of processors, not of clocks:
// other work on the machine does not count.
import { readFileSync } from "node:fs";
import { createTaskQueue } from "../dist/modules/fleet/queue.js";
import { createTurnRows } from "../dist/modules/fleet/session/turn-rows.js";
import { openWorkerQueue } from "../dist/modules/fleet/worker-queue.js";
import { initStore } from "../dist/modules/store/pg/migrate.js";
import { openPg } from "../dist/modules/store/pg/pg.js";
import { createSharedParts } from "../dist/modules/store/pg/shared-parts.js";
import { startPostgres } from "../scripts/fleet-servers.mjs";
import { createServerMeter, ownBusyMs } from "./fleet-sim-cpu.mjs";
import { median, timed } from "./measure.mjs";

const SLOTS = 8;
const ROUNDS = 60;
/** A call's answer of a model, and what a tool printed. */
const PROSE = readFileSync(new URL("../docs/api.md", import.meta.url), "utf8");
const ANSWER = PROSE.slice(0, 700);
const RESULT = PROSE.slice(0, 4000);
const LONG = PROSE.slice(0, 15_000);

/** What `fleet-sim-parameters.mjs` has as STATEMENTS, and what goes with it. */
export async function measureCosts() {
  const server = await startPostgres();
  try {
    await initStore(server.url);
    return await measureOn(server);
  } finally {
    await server.stop();
  }
}

async function measureOn(server) {
  const tenant = "bench";
  const gateway = openPg({ url: server.url, tenant, role: "zeph_gateway", max: 1 });
  const db = openPg({ url: server.url, tenant, max: 1 });
  const admin = openPg({ url: server.url, bare: true, max: 1 });
  const worker = openWorkerQueue({ url: server.url, connections: 1 });
  const queue = createTaskQueue(gateway);
  const rows = createTurnRows(db);
  const meter = createMeter(server, admin);
  const sums = {};
  const measure = async (kind, work) => {
    const before = await meter.read();
    const answer = await work();
    const after = await meter.read();
    sums[kind] ??= { times: 0, serverMs: 0, clientMs: 0, bytes: 0 };
    const sum = sums[kind];
    sum.times++;
    for (const key of ["serverMs", "clientMs", "bytes"]) sum[key] += after[key] - before[key];
    return answer;
  };
  try {
    await worker.register({ name: "bench", version: "1", slots: SLOTS, labels: [], tenant: null, formats: [1], leaseMs: 15_000 });
    const held = { session: "", epoch: 0 };
    const store = createSharedParts(db, () => held);
    for (let round = 0; round < ROUNDS; round++) {
      // Figures of the first rounds would be those of plans that are not made yet.
      if (round === 10) {
        meter.look();
        for (const kind of Object.keys(sums)) delete sums[kind];
      }
      const payload = { format: 1, text: "Look at the thing and say what it is." };
      const fresh = (n) => queue.submit(Array.from({ length: n }, () => ({ payload })));
      await measure("submit", () => fresh(1));
      await fresh(SLOTS);
      const [one] = await measure("take 1", () => worker.take(1, []));
      const tasks = await measure(`take ${SLOTS}`, () => worker.take(SLOTS, [one]));
      await measure("take 0", () => worker.take(1, [one, ...tasks]));
      await measure("beat 0", () => worker.beat([]));
      await measure(`beat ${SLOTS}`, () => worker.beat(tasks));
      await measure("reap", () => worker.reap());
      for (const task of [one, ...tasks].slice(0, 4)) {
        Object.assign(held, { session: task.session, epoch: task.epoch });
        await measure("journal", () => worker.journal(task));
        await measure("inbox", () => rows.begin(task, "place"));
        await store.conversations.create("repo:bench", "bench", task.session);
        for (let call = 0; call < 3; call++) {
          const parts = [{ type: "text", text: ANSWER }];
          await measure("append", () => store.conversations.append(task.session, [{ role: "assistant", model: "m", parts }]));
          await measure("intent", () => worker.intent(task, `c${call}`, "writes"));
          await measure("done", () => worker.done(task, `c${call}`, "exit code 0"));
          await measure("append", () => store.conversations.append(task.session, [{ role: "tool", id: `c${call}`, text: RESULT }]));
        }
        await measure("overflow", () => store.overflow.put({ owner: { conversation: task.session }, text: LONG }));
        const snapshot = { n: 1, commit: "c".repeat(40), place: "repository" };
        await measure("snapshot", () => rows.recordSnapshot(held, snapshot, "repo"));
      }
      const result = { ok: true, text: "It is a thing.", unknown: 0, worker: "bench" };
      await measure("notify", () =>
        gateway.run("select pg_notify('bench', ?)", JSON.stringify({ type: "end", task: one.id, state: "done" })),
      );
      for (const task of [one, ...tasks]) await measure("finish", () => worker.finish(task, "done", result));
    }
    return { statements: statementsOf(sums), clientMs: clientOf(sums), flushMs: await measureFlush(admin), rounds: ROUNDS };
  } finally {
    await Promise.all([gateway.close(), db.close(), admin.close(), worker.close()]);
  }
}

/** Processor time of the server and of this process, and how far the log is. The reading itself is left out. */
function createMeter(server, admin) {
  const processes = createServerMeter(server);
  let own = 0;
  let ownServer = 0;
  return {
    look: processes.look,
    async read() {
      const [client, busy] = [ownBusyMs(), processes.busyMs()];
      const { lsn } = await admin.one("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::double precision as lsn");
      const reading = { clientMs: client - own, serverMs: busy - ownServer, bytes: lsn };
      ownServer += processes.busyMs() - busy;
      own += ownBusyMs() - client;
      return reading;
    },
  };
}

function statementsOf(sums) {
  const mean = (kind, what) => sums[kind][what] / sums[kind].times;
  const round = (value, digits = 4) => Number(value.toFixed(digits));
  const plain = (kind) => ({ ms: round(mean(kind, "serverMs")), bytes: Math.max(0, Math.round(mean(kind, "bytes"))) });
  const many = (kind, least) => {
    const each = (mean(`${kind} ${SLOTS}`, "serverMs") - mean(`${kind} ${least}`, "serverMs")) / (SLOTS - least);
    return { ms: round(mean(`${kind} ${least}`, "serverMs") - each * least), each: round(each) };
  };
  const kinds = ["journal", "inbox", "intent", "done", "append", "overflow", "snapshot", "finish", "notify", "submit", "reap"];
  return {
    ...Object.fromEntries(kinds.map((kind) => [kind, plain(kind)])),
    take: { ...many("take", 1), emptyMs: round(mean("take 0", "serverMs")), bytes: Math.round(mean("take 8", "bytes") / SLOTS) },
    beat: { ...many("beat", 0), bytes: Math.round(mean(`beat ${SLOTS}`, "bytes")) },
  };
}

/** What a statement costs whoever asks. */
function clientOf(sums) {
  const kinds = ["intent", "done", "journal", "finish"].map((kind) => sums[kind]);
  const total = (what) => kinds.reduce((sum, one) => sum + one[what], 0);
  return Number((total("clientMs") / total("times")).toFixed(4));
}

/** A commit that waits for the disk, less one that does not. By the clock, with the median: the disk is what is measured. */
async function measureFlush(admin) {
  await admin.run("create table flush (n integer)");
  const times = { on: [], off: [] };
  for (let n = 0; n < 300; n++)
    for (const how of ["on", "off"])
      times[how].push(
        await timed(() =>
          admin.together((rows) => rows.run(`set local synchronous_commit = ${how}`).then(() => rows.run("insert into flush values (1)"))),
        ),
      );
  return Number(Math.max(0.02, median(times.on) - median(times.off)).toFixed(3));
}
