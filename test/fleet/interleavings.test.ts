import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Effect } from "../../src/core/tool.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { openWorkerQueue, type TakenTask, type WorkerQueue } from "../../src/fleet/worker-queue.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";
import { createQueueModel, LIMIT, type ModelTask } from "./queue-model.ts";
import { GOOD, newTask } from "./queue-parts.ts";

const WORKERS = 3;
const [worker, pick] = [fc.nat(WORKERS - 1), fc.nat(30)];
const effect = fc.constantFrom<Effect>("reads", "writes");

/** Each is what somebody does. `pick` chooses among what the worker was ever given, also what it has long lost. */
const step = fc.oneof(
  fc.record({ type: fc.constant("submit" as const), key: fc.nat(7), session: fc.nat(3), isLimited: fc.boolean(), stops: fc.boolean() }),
  fc.record({ type: fc.constant("take" as const), worker, max: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ type: fc.constant("beat" as const), worker }),
  fc.record({ type: fc.constant("expire" as const), worker }),
  fc.record({ type: fc.constant("reap" as const), worker }),
  fc.record({ type: fc.constant("intent" as const), worker, pick, call: fc.nat(2), effect }),
  fc.record({ type: fc.constant("done" as const), worker, pick, call: fc.nat(2) }),
  fc.record({ type: fc.constant("finish" as const), worker, pick, end: fc.constantFrom("done" as const, "failed" as const) }),
  fc.record({ type: fc.constant("giveBack" as const), worker, pick, counts: fc.boolean() }),
  fc.record({ type: fc.constant("cancel" as const), pick }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type StepOf<T extends Step["type"]> = Extract<Step, { readonly type: T }>;

interface Given {
  readonly task: TakenTask;
  readonly model: ModelTask;
  /** The model's own number. */
  readonly epoch: number;
}

describe.skipIf(!hasPostgres)("three workers in any order", async () => {
  const url = hasPostgres ? await makeSchema() : "";
  let workers: readonly WorkerQueue[] = [];
  beforeAll(() => {
    workers = Array.from({ length: WORKERS }, () => openWorkerQueue({ url, connections: 2 }));
  });
  afterAll(async () => void (await Promise.all(workers.map((one) => one.close()))));

  /** A tenant of its own, and the model beside it. */
  async function begin() {
    const tenant = newTenant();
    const db = openPg({ url, tenant, max: 2, role: "zeph_gateway" });
    const queue = createTaskQueue(db);
    await queue.setLimit("limited", LIMIT);
    const names = workers.map((_, n) => `${tenant}-${n}`);
    for (const [n, one] of workers.entries())
      await one.register({ name: names[n]!, version: "1", slots: 4, labels: [], tenant, formats: [1], leaseMs: 3_600_000 });
    const model = createQueueModel();
    const given: Given[][] = workers.map(() => []);
    const epochs = new Set<string>();
    const ids = new Map<string, string>();
    const act = {
      async submit({ key, session, isLimited, stops }: StepOf<"submit">) {
        const [name, limit, onUnknown] = [`s${session}`, isLimited ? "limited" : "", stops ? ("stop" as const) : ("tell" as const)];
        const [one] = await queue.submit([newTask(`k${key}`, { session: name, onUnknown, ...(isLimited && { limit }) })]);
        expect(one!.isNew).toBe(model.submit(`k${key}`, name, limit, onUnknown));
        ids.set(`k${key}`, one!.id);
      },
      async take({ worker: n, max }: StepOf<"take">) {
        const taken = await workers[n]!.take(max, []);
        const wanted = model.take(n, max);
        expect(taken.map(({ key, attempt }) => `${key} ${attempt}`)).toEqual(wanted.map(({ key, attempt }) => `${key} ${attempt}`));
        for (const [place, task] of taken.entries()) {
          const epoch = `${task.session} ${task.epoch}`;
          expect(epochs.has(epoch)).toBe(false);
          epochs.add(epoch);
          given[n]!.push({ task, model: wanted[place]!, epoch: wanted[place]!.epoch! });
        }
      },
      async beat({ worker: n }: StepOf<"beat">) {
        const mine = given[n]!;
        const answer = await workers[n]!.beat(mine.map(({ task }) => task));
        expect(mine.map(({ task }) => answer.held.get(task))).toEqual(mine.map((one) => model.beat(one.model, one.epoch)));
      },
      async expire({ worker: n }: StepOf<"expire">) {
        await db.run("update sessions set lease_until = now() - interval '1 second' where holder = ?", names[n]);
        model.expire(n);
      },
      async reap({ worker: n }: StepOf<"reap">) {
        const reaped = (await workers[n]!.reap()).filter((one) => one.tenant === tenant);
        const keyOf = (id: string) => [...ids].find(([, one]) => one === id)![0];
        expect(reaped.map(({ id, state }) => `${keyOf(id)} ${state}`).sort()).toEqual(model.reap());
      },
      async intent({ worker: n, call, effect: kind }: StepOf<"intent">, one: Given) {
        expect(await workers[n]!.intent(one.task, `c${call}`, kind)).toBe(model.intent(one.model, one.epoch, `c${call}`, kind));
      },
      async done({ worker: n, call }: StepOf<"done">, one: Given) {
        expect(await workers[n]!.done(one.task, `c${call}`, "ok")).toBe(model.done(one.model, one.epoch, `c${call}`));
      },
      async finish({ worker: n, end }: StepOf<"finish">, one: Given) {
        expect(await workers[n]!.finish(one.task, end, GOOD)).toBe(model.finish(one.model, one.epoch, end));
      },
      async giveBack({ worker: n, counts }: StepOf<"giveBack">, one: Given) {
        expect(await workers[n]!.giveBack(one.task, { counts })).toBe(model.giveBack(one.model, one.epoch, counts));
      },
      async cancel({ pick: place }: StepOf<"cancel">) {
        const task = model.tasks[place % Math.max(1, model.tasks.length)];
        if (!task) return;
        expect(await queue.cancel({ id: ids.get(task.key)! }, "x")).toHaveLength(model.cancel(task) ? 1 : 0);
      },
    };
    return {
      async run(one: Step): Promise<void> {
        const mine = "worker" in one && "pick" in one ? given[one.worker]! : [];
        if ("worker" in one && "pick" in one && mine.length === 0) return;
        await act[one.type](one as never, mine["pick" in one ? one.pick % Math.max(1, mine.length) : 0]!);
      },
      async compare(): Promise<void> {
        const rows = await db.all("select key, state, attempt, unknown from tasks order by n");
        expect(rows.map((row) => `${row.key} ${row.state} ${row.attempt}`)).toEqual(
          model.tasks.map((task) => `${task.key} ${task.state} ${task.attempt}`),
        );
        const calls = await db.all("select t.key || ' ' || c.call || ' ' || c.state as line from calls c join tasks t on t.id = c.task");
        const wanted = model.tasks.flatMap(({ key, calls: all }) => [...all].map(([call, { state }]) => `${key} ${call} ${state}`));
        expect(calls.map(({ line }) => line).sort()).toEqual(wanted.sort());
        const held = await db.all("select count(*) as count from sessions where holder is not null");
        expect(held[0]!.count).toBe(model.tasks.filter(({ state }) => state === "running").length);
      },
      end: () => db.close(),
    };
  }

  it("do what the model does, and no epoch of a session comes twice", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: "max" }), async (steps) => {
        const run = await begin();
        try {
          for (const one of steps) await run.run(one);
          await run.compare();
        } finally {
          await run.end();
        }
      }),
      { numRuns: 60, endOnFailure: false },
    );
  });
});
