import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { hasPostgres, makeSchema } from "./database.ts";
import { expireLeases, GOOD, newTask, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("taking tasks", async () => {
  const url = hasPostgres ? await makeSchema() : "";
  const parts = () => openQueueParts(url);
  const keys = (tasks: readonly { readonly key: string | null }[]) => tasks.map(({ key }) => key);

  it("tasks of a session wait for each other, and a hundred of them stand in nobody's way", async () => {
    const { queue, openWorker } = parts();
    await queue.submit(Array.from({ length: 100 }, (_, n) => newTask(`s${n}`, { session: "busy" })));
    await queue.submit([newTask("other")]);
    const worker = await openWorker("order");
    const [first, other] = await worker.take(8, []);
    expect(keys([first!, other!])).toEqual(["s0", "other"]);
    expect(await worker.take(8, [])).toEqual([]);
    await worker.finish(first!, "failed", GOOD);
    const [second, ...none] = await worker.take(8, []);
    expect([second!.key, none]).toEqual(["s1", []]);
    expect(second!.epoch).toBeGreaterThan(first!.epoch);
  });

  it("the next task of a session comes when the one before it ends in any way", async () => {
    const { queue, db, openWorker } = parts();
    const worker = await openWorker("ends");
    const names = ["cancelled in the queue", "given back", "cancelled while it runs", "lost", "last"];
    const ids = (await queue.submit(names.map((key) => newTask(key, { session: "s", maxAttempts: 1 })))).map(({ id }) => id);
    await queue.cancel({ id: ids[0]! }, "x");
    const [back] = await worker.take(8, []);
    expect(back!.key).toBe("given back");
    await worker.giveBack(back!);
    const [again] = await worker.take(8, []);
    expect([again!.key, again!.attempt]).toEqual(["given back", 1]);
    expect(await worker.giveBack(again!, { counts: true, why: "no model" })).toBe("failed");
    expect((await queue.get(again!.id))?.result).toMatchObject({ ok: false, text: "no model" });
    const [cancelled] = await worker.take(8, []);
    await queue.cancel({ id: cancelled!.id }, "x");
    await worker.finish(cancelled!, "cancelled", GOOD);
    const [lost] = await worker.take(8, []);
    expect(lost!.key).toBe("lost");
    await expireLeases(db);
    expect((await worker.reap()).map(({ state }) => state)).toEqual(["failed"]);
    expect(keys(await worker.take(8, []))).toEqual(["last"]);
  });

  it("a task with a label is taken by workers that have it, and one of an unknown form by none", async () => {
    const { queue, openWorker } = parts();
    await queue.submit([newTask("gpu", { label: "gpu" }), newTask("new", { payload: { format: 2 as 1, text: "" } }), newTask("plain")]);
    expect(keys(await (await openWorker("plain")).take(8, []))).toEqual(["plain"]);
    expect(keys(await (await openWorker("gpu", { labels: ["gpu", "big"] })).take(8, []))).toEqual(["gpu"]);
    expect(keys(await (await openWorker("newer", { formats: [1, 2] })).take(8, []))).toEqual(["new"]);
  });

  it("a tenant's worker takes that tenant's tasks alone, and is told whose tasks wait", async () => {
    const [mine, other] = [parts(), parts()];
    await mine.queue.submit([newTask("mine")]);
    await other.queue.submit([newTask("other"), newTask("limited", { limit: "x" })]);
    const worker = await mine.openWorker("own");
    expect(keys(await worker.take(8, []))).toEqual(["mine"]);
    const waiting = await worker.waitingTenants();
    expect([waiting.includes(mine.tenant), waiting.includes(other.tenant)]).toEqual([false, true]);
    const all = await other.openWorker("all", { tenant: null });
    expect(keys((await all.take(100, [])).filter(({ tenant }) => tenant === other.tenant)).sort()).toEqual(["limited", "other"]);
  });

  it("a limit holds for a key and for everything of a tenant, also when many take at once", async () => {
    const { queue, openWorker } = parts();
    await queue.setLimit("provider", 4);
    await queue.setLimit("", 6);
    await queue.submit(Array.from({ length: 40 }, (_, n) => newTask(`k${n}`, n % 2 === 0 ? { limit: "provider" } : {})));
    const workers = await Promise.all(Array.from({ length: 8 }, (_, n) => openWorker(`many-${n}`)));
    const taken = (await Promise.all(workers.map((worker) => worker.take(8, [])))).flat();
    expect(taken).toHaveLength(6);
    expect(taken.filter(({ limit }) => limit === "provider").length).toBeLessThanOrEqual(4);
    await queue.setLimit("", null);
    const more = (await Promise.all(workers.map((worker) => worker.take(8, [])))).flat();
    expect([...taken, ...more].filter(({ limit }) => limit === "provider")).toHaveLength(4);
  });

  it("four at once are never five: whoever counts has locked before", async () => {
    const { queue, openWorker } = parts();
    await queue.setLimit("provider", 4);
    const workers = await Promise.all(Array.from({ length: 8 }, (_, n) => openWorker(`count-${n}`)));
    for (let round = 0; round < 15; round++) {
      await queue.submit(Array.from({ length: 24 }, (_, n) => newTask(`r${round}-${n}`, { limit: "provider" })));
      const taken = await Promise.all(workers.map((worker) => worker.take(8, [])));
      expect(taken.flat()).toHaveLength(4);
      await Promise.all(taken.flatMap((some, n) => some.map((task) => workers[n]!.finish(task, "done", GOOD))));
    }
  });

  it("a postponed key begins nothing, and a later time is not brought forward", async () => {
    const { queue, db, tenant, openWorker } = parts();
    await queue.submit([newTask("a", { limit: "provider" }), newTask("b")]);
    const worker = await openWorker("later");
    await worker.postpone(tenant, "provider", 600_000);
    await queue.postpone("provider", 1);
    expect(keys(await worker.take(8, []))).toEqual(["b"]);
    await db.run("update limits set not_before = now()");
    expect(keys(await worker.take(8, []))).toEqual(["a"]);
  });

  it("a task that is tried again waits its time, and ends when it was tried often enough", async () => {
    const { queue, submitOne, db, openWorker } = parts();
    const id = await submitOne("a", { maxAttempts: 2 });
    const worker = await openWorker("again");
    const [first] = await worker.take(1, []);
    expect(await worker.giveBack(first!, { counts: true, afterMs: 600_000, why: "busy" })).toBe("queued");
    expect(await worker.take(1, [])).toEqual([]);
    await db.run("update tasks set not_before = now()");
    const [second] = await worker.take(1, []);
    expect(second!.attempt).toBe(2);
    expect(await worker.giveBack(second!, { counts: true, why: "busy" })).toBe("failed");
    expect((await queue.get(id))?.result?.text).toBe("busy");
  });

  it("a session that stays with a worker is seen by others two seconds later", async () => {
    const { queue, db, openWorker } = parts();
    const [home, other] = [await openWorker("home"), await openWorker("away")];
    await queue.submit([newTask("a", { session: "s" })]);
    const [task] = await home.take(1, []);
    await queue.submit([newTask("b", { session: "s" })]);
    await home.finish(task!, "done", GOOD, { stays: true });
    expect(await other.take(1, [])).toEqual([]);
    const [next] = await home.take(1, []);
    expect(next!.key).toBe("b");
    await home.finish(next!, "done", GOOD, { stays: true });
    await queue.submit([newTask("c", { session: "s" })]);
    expect(await other.take(1, [])).toEqual([]);
    await wait(2000);
    expect(keys(await other.take(1, []))).toEqual(["c"]);
    expect((await db.one("select epoch from sessions where id = 's'"))!.epoch).toBeGreaterThan(next!.epoch);
  });

  it("what was taken while the answer was lost comes with the next take, to this process alone", async () => {
    const { queue, tenant, openWorker, db } = parts();
    await queue.submit([newTask("a"), newTask("b")]);
    const worker = await openWorker("lost-answer");
    const [known] = await worker.take(1, []);
    await expect(worker.take(-1, [])).rejects.toThrow();
    // As if that take had come through.
    await db.run(
      `update tasks t set state = 'running', attempt = 1, holder = o.holder, instance = o.instance, epoch = 77 from tasks o where t.key = 'b' and o.key = 'a'`,
    );
    await db.run(
      "update sessions s set holder = 'lost-answer', epoch = 77, lease_until = now() from tasks t where t.key = 'b' and s.id = t.session",
    );
    const [adopted] = await worker.take(1, [known!]);
    expect(adopted).toMatchObject({ key: "b", tenant, epoch: 77, attempt: 1 });
    expect(await worker.take(1, [known!, adopted!])).toEqual([]);
    expect([...(await worker.beat([known!, adopted!])).held.values()]).toEqual([null, null]);
  });

  it("a worker whose name another process has taken gets nothing more, and its sessions stay its own", async () => {
    const { queue, openWorker } = parts();
    await queue.submit([newTask("a"), newTask("b")]);
    const old = await openWorker("twin");
    const [task] = await old.take(1, []);
    const young = await openWorker("twin");
    const beat = await old.beat([task!]);
    expect([beat.state, [...beat.held.values()]]).toEqual(["replaced", [null]]);
    expect(await old.take(1, [task!])).toEqual([]);
    expect(keys(await young.take(8, []))).toEqual(["b"]);
    expect(await old.finish(task!, "done", GOOD)).toBe(true);
  });
});
