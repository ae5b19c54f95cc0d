// A fleet as events: what comes in, the database that all workers ask, and what came of it.
import { createClock, createGauge, createLine, createLog, createPlaces, createRandom, createServers } from "./fleet-sim-engine.mjs";
import { createWorker, planOf } from "./fleet-sim-worker.mjs";

/** Runs what the parameters describe (fleet-sim-parameters.mjs), and counts. */
export function simulateFleet(parameters) {
  const world = createWorld(parameters);
  const { clock, counts, load } = world;
  const workers = Array.from({ length: parameters.workers }, (_, n) => createWorker(world, n));
  world.wake = createBus(world, workers);
  world.leave = (task) => finishSession(world, task);
  if (load.tasks) {
    for (let n = 0; n < load.tasks; n++) world.put({ session: -1 });
    world.isOver = () => counts.done === load.tasks;
    for (const worker of workers) worker.start();
    clock.run();
    return account(world, clock.now);
  }
  fill(world, workers);
  for (const worker of workers) worker.start();
  arrive(world);
  clock.run(load.warmSeconds * 1000);
  world.begin();
  clock.run((load.warmSeconds + load.seconds) * 1000);
  return account(world, load.seconds * 1000);
}

function createWorld(parameters) {
  const { database, load } = parameters;
  const clock = createClock();
  const random = createRandom(parameters.seed);
  const cores = createServers(clock, database.cores);
  const connections = createPlaces(database.connections);
  const log = createLog(clock, () => random.around(database.flushMs), {
    bytesMs: 1 / (database.logMbps * 1000),
    standbyMs: database.standbyMs,
  });
  const unflushed = new Set(database.unflushed);
  const queue = createLine();
  const queued = createGauge(clock);
  const running = createGauge(clock);
  const counts = { submitted: 0, done: 0, taken: 0, emptyTakes: 0, takes: 0, statements: 0, waitedMs: 0, inbox: 0 };
  const [waits, turns, writes] = [[], [], []];
  let before = { busy: 0, bytes: 0, commits: 0, flushes: 0, events: 0 };
  const world = {
    parameters,
    load,
    clock,
    random,
    cores,
    log,
    queue,
    queued,
    running,
    counts,
    waits,
    turns,
    writes,
    plan: planOf(parameters.workload, random),
    begunWith: 0,
    lockedRows: 0,
    limitRow: createPlaces(1),
    busySessions: new Map(),
    isOver: () => false,
    /** A statement on the server: what it costs and writes is asked for when it begins. */
    serve(work, then, kind) {
      connections.take(() => {
        let size = 0;
        const end = () => {
          connections.giveBack();
          then();
        };
        counts.statements++;
        cores.use(
          () => {
            const { ms, bytes } = work();
            size = bytes;
            return random.around(ms);
          },
          () => {
            if (size > 0 && !unflushed.has(kind)) return log.commit(size, end);
            if (size > 0) log.write(size);
            end();
          },
        );
      });
    },
    put(task) {
      counts.submitted++;
      queued.add(1);
      queue.push({ ...task, at: clock.now });
    },
    begin() {
      for (const gauge of [queued, running]) gauge.begin();
      for (const list of [waits, turns, writes]) list.length = 0;
      world.begunWith = queued.value;
      for (const key of Object.keys(counts)) counts[key] = 0;
      before = { busy: cores.busyMs, bytes: log.bytes, commits: log.commits, flushes: log.flushes, events: clock.events };
    },
    since: () => ({
      busy: cores.busyMs - before.busy,
      bytes: log.bytes - before.bytes,
      commits: log.commits - before.commits,
      flushes: log.flushes - before.flushes,
      events: clock.events - before.events,
    }),
    waitingFor: () => ({ cores: cores.waiting, connections: connections.waiting }),
  };
  return world;
}

/** A message to a busy session waits in its inbox, and all that wait become one more turn. */
function message(world, session) {
  const { busySessions, counts } = world;
  if (busySessions.has(session)) {
    counts.inbox++;
    busySessions.set(session, true);
    return;
  }
  busySessions.set(session, false);
  world.serve(
    () => world.parameters.statements.submit,
    () => {
      world.put({ session });
      world.wake();
    },
    "submit",
  );
}

function finishSession(world, { session }) {
  if (session < 0) return;
  const hasMore = world.busySessions.get(session);
  world.busySessions.delete(session);
  if (hasMore) message(world, session);
}

function arrive(world) {
  const { clock, random, load } = world;
  const mean = load.everyMs / load.sessions;
  const next = () =>
    clock.in(random.exponential(mean), () => {
      message(world, Math.floor(random.next() * load.sessions));
      next();
    });
  next();
}

/** Turns that would be under way: without them the watching would have to begin a whole turn later. */
function fill(world, workers) {
  const { parameters, random, load } = world;
  const { calls, modelMs, toolMs } = parameters.workload;
  const turnMs = (calls + 1) * modelMs + calls * toolMs;
  const under = Math.min((load.sessions / load.everyMs) * turnMs, parameters.workers * parameters.slots);
  for (let n = 0; n < Math.floor(under); n++) {
    const session = Math.floor(random.next() * load.sessions);
    if (world.busySessions.has(session)) continue;
    world.busySessions.set(session, false);
    workers[n % workers.length].resume({ session, at: 0 });
  }
}

/** A hint reaches all who have room, or one of them. */
function createBus({ clock, parameters, random }, workers) {
  let from = 0;
  return () =>
    clock.in(parameters.hintMs * (0.5 + random.next()), () => {
      if (parameters.wake === "all") for (const worker of workers) if (worker.hasRoom) worker.wake();
      if (parameters.wake !== "one") return;
      for (let n = 0; n < workers.length; n++) {
        const worker = workers[(from + n) % workers.length];
        if (!worker.hasRoom) continue;
        from = (from + n + 1) % workers.length;
        worker.wake();
        return;
      }
    });
}

function summarise(times) {
  const sorted = Float64Array.from(times).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { mean: times.reduce((sum, one) => sum + one, 0) / Math.max(1, times.length), p50: at(0.5), p99: at(0.99) };
}

function account(world, ms) {
  const { parameters, counts, queued, running } = world;
  const { busy, bytes, commits, flushes, events } = world.since();
  const shares = {
    cores: busy / ms / parameters.database.cores,
    log: bytes / ms / 1000 / parameters.database.logMbps,
    slots: running.mean() / (parameters.workers * parameters.slots),
  };
  return {
    seconds: ms / 1000,
    ...counts,
    waiting: queued.value,
    running: running.value,
    most: running.most,
    commits,
    depth: { mean: queued.mean(), most: queued.most },
    begunWith: world.begunWith,
    wait: summarise(world.waits),
    turn: summarise(world.turns),
    writes: summarise(world.writes),
    waitingFor: world.waitingFor(),
    doneRate: (counts.done / ms) * 1000,
    commitRate: (commits / ms) * 1000,
    statementRate: (counts.statements / ms) * 1000,
    emptyRate: (counts.emptyTakes / ms) * 1000,
    group: flushes ? commits / flushes : 0,
    shares,
    isOverrun: queued.value - world.begunWith > Math.max(20, counts.submitted / 10),
    events,
  };
}
