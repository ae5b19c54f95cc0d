// A worker of the simulated fleet: it takes tasks, works them off step by step, and tells the database that it lives.
import { createPlaces, createServers } from "./fleet-sim-engine.mjs";

/** One thread, slots, a pool of connections, and the three things it does without end: take, beat and reap. */
export function createWorker(world, n) {
  const { parameters, clock, random, counts } = world;
  const { database, statements, slots, leaseMs } = parameters;
  const thread = createServers(clock, 1);
  const turn = createPlaces(1);
  const pool = createPlaces(parameters.pool);
  let held = 0;
  let isIdle = false;
  let woken = 0;
  const compute = (ms, then) => {
    if (ms === 0) then();
    else if (parameters.machines === "own") thread.use(() => random.around(ms), then);
    else
      turn.take(() =>
        world.cores.use(
          () => random.around(ms),
          () => {
            turn.giveBack();
            then();
          },
        ),
      );
  };
  const serve = (kind, work, then) => {
    if (kind !== "take" || parameters.limit === 0) return world.serve(work, then, kind);
    // The row of a limit is locked by one take at a time, until its commit.
    world.limitRow.take(() =>
      world.serve(
        work,
        () => {
          world.limitRow.giveBack();
          then();
        },
        kind,
      ),
    );
  };
  const ask = (kind, work, then) =>
    compute(parameters.clientMs / 2, () =>
      pool.take(() =>
        clock.in(database.tripMs / 2, () =>
          serve(kind, work, () =>
            clock.in(database.tripMs / 2, () => {
              pool.giveBack();
              compute(parameters.clientMs / 2, then);
            }),
          ),
        ),
      ),
    );
  const plain = (kind, times = 0) => {
    const { ms, each = 0, bytes } = statements[kind];
    return () => ({ ms: ms + each * times, bytes });
  };
  const take = () => {
    if (world.isOver()) return;
    const free = slots - held;
    if (free <= 0) return rest();
    let got = [];
    ask(
      "take",
      () => {
        got = claim(world, Math.min(free, parameters.takeMost));
        return got.cost;
      },
      () => {
        release(world, got);
        for (const task of got.tasks) begin(task);
        if (got.tasks.length === 0) rest();
        else take();
      },
    );
  };
  /** Until a hint comes or a slot is free, and never longer than a poll. */
  const rest = () => {
    isIdle = true;
    const since = ++woken;
    clock.in(parameters.pollMs * (0.9 + 0.2 * random.next()), () => {
      if (isIdle && woken === since) wake();
    });
  };
  const wake = () => {
    if (!isIdle) return;
    isIdle = false;
    woken++;
    take();
  };
  const begin = (task) => {
    held++;
    world.queued.add(-1);
    world.running.add(1);
    counts.taken++;
    counts.waitedMs += clock.now - task.at;
    world.waits.push(clock.now - task.at);
    go(task, 0);
  };
  const go = (task, at) => {
    const step = world.plan[at];
    const next = () => go(task, at + 1);
    if (step === undefined) return end(task);
    if (step.draw) return clock.in(step.draw(), next);
    if (step.computeMs !== undefined) return compute(step.computeMs, next);
    if (step.share < 1 && random.next() >= step.share) return next();
    const since = clock.now;
    ask(step.kind, plain(step.kind), () => {
      if (statements[step.kind].bytes > 0) world.writes.push(clock.now - since);
      next();
    });
  };
  const end = (task) => {
    held--;
    world.running.add(-1);
    counts.done++;
    world.turns.push(clock.now - task.at);
    if (world.isOver()) clock.stop();
    world.leave(task);
    wake();
  };
  const every = (ms, work) => {
    const again = () =>
      clock.in(ms * (0.95 + 0.1 * random.next()), () => {
        if (!world.isOver()) work(again);
      });
    clock.in(ms * random.next(), () => work(again));
  };
  return {
    get hasRoom() {
      return isIdle && held < slots;
    },
    wake,
    start() {
      clock.in(random.next() * 20, take);
      every(leaseMs / 4, (again) => ask("beat", plain("beat", held), again));
      every(leaseMs / 4, (again) => ask("reap", plain("reap"), again));
      // A batch of audit lines each second, where something was done.
      if (parameters.workload.modelMs > 0) every(1000, (again) => (held > 0 ? ask("ship", plain("ship"), again) : again()));
    },
    /** A turn that began before the watching did. */
    resume(task) {
      held++;
      world.running.add(1);
      let place = random.next() * world.plan.reduce((sum, { mean = 0 }) => sum + mean, 0);
      const at = world.plan.findIndex(({ mean = 0 }) => {
        place -= mean;
        return place < 0;
      });
      clock.in(world.plan[at].left(), () => go(task, at + 1));
    },
    n,
  };
}

/** What a take finds: rows that others have locked are stepped over, and no more than a limit leaves. */
function claim(world, most) {
  const { parameters, queue, running, counts } = world;
  const { take } = parameters.statements;
  counts.takes++;
  const room = parameters.limit > 0 ? Math.min(most, parameters.limit - running.value - world.lockedRows) : most;
  const tasks = [];
  while (tasks.length < room && queue.length > 0) tasks.push(queue.shift());
  if (tasks.length === 0) {
    counts.emptyTakes++;
    return { tasks, cost: { ms: take.emptyMs, bytes: 0 } };
  }
  const skipped = world.lockedRows;
  world.lockedRows += tasks.length;
  return { tasks, cost: { ms: take.ms + take.each * tasks.length + take.skippedMs * skipped, bytes: take.bytes * tasks.length } };
}

function release(world, { tasks }) {
  if (tasks.length === 0) return;
  world.lockedRows -= tasks.length;
}

/** The steps of a task, the same for all; how long one takes is drawn when it comes. */
export function planOf({ calls, modelMs, toolMs, atStart, beforeCall, afterCall, atEnd, clientCallMs }, random) {
  const ask = (one) => (typeof one === "string" ? { kind: one, share: 1 } : { kind: one[0], share: one[1] });
  const wait = (mean, draw, long) => (mean > 0 ? [{ mean, draw, left: () => long() * random.next() }] : []);
  // Whoever looks at some moment finds long waits more often than short ones.
  const model = wait(
    modelMs,
    () => random.skewed(modelMs),
    () => random.skewedByLength(modelMs),
  );
  const tool = wait(
    toolMs,
    () => 2 * toolMs * random.next(),
    () => 2 * toolMs * Math.sqrt(random.next()),
  );
  const call = [...model, ...beforeCall.map(ask), { computeMs: clientCallMs }, ...tool, ...afterCall.map(ask)];
  return [...atStart.map(ask), ...Array.from({ length: calls }, () => call).flat(), ...model, ...atEnd.map(ask)];
}
