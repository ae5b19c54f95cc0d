import { describe, expect, it, vi } from "vitest";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema } from "./database.ts";
import { expireLeases, GOOD, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("a worker that comes late", async () => {
  const url = hasPostgres ? await makeSchema() : "";
  const parts = () => openQueueParts(url);

  it("changes nothing: neither a call, nor the end, nor the queue", async () => {
    const { queue, db, submitOne, openWorker } = parts();
    const id = await submitOne("a");
    const [late, next] = [await openWorker("late"), await openWorker("next")];
    const [mine] = await late.take(1, []);
    expect(await late.intent(mine!, "zero", "writes")).toBe("ours");
    expect(await late.done(mine!, "zero", "made")).toBe(true);
    expect(await late.intent(mine!, "one", "writes")).toBe("ours");
    await expireLeases(db);
    expect(await next.reap()).toMatchObject([{ id, state: "queued", unknown: 1 }]);
    const refused = async () => [
      await late.intent(mine!, "two", "writes"),
      await late.done(mine!, "one", "ok"),
      await late.done(mine!, "zero", "made again"),
      await late.finish(mine!, "done", GOOD),
      await late.giveBack(mine!),
      [...(await late.beat([mine!])).held.values()],
    ];
    const nothing = ["lost", false, false, false, "lost", ["lost"]];
    expect(await refused()).toEqual(nothing);
    const [theirs] = await next.take(1, []);
    expect(theirs!.epoch).toBeGreaterThan(mine!.epoch);
    expect((await next.journal(theirs!)).get("zero")?.outcome).toBe("made");
    expect(await refused()).toEqual(nothing);
    expect(await next.finish(theirs!, "done", { ...GOOD, text: "next" })).toBe(true);
    expect(await refused()).toEqual(nothing);
    expect(await queue.get(id)).toMatchObject({ state: "done", attempt: 2, result: { text: "next", unknown: 1 } });
  });

  it("is told by its next intent that the task was cancelled, which is not a lost session", async () => {
    const { queue, submitOne, openWorker } = parts();
    const id = await submitOne("a");
    const worker = await openWorker("told");
    const [task] = await worker.take(1, []);
    await worker.intent(task!, "one", "writes");
    await queue.cancel({ id }, "enough");
    expect(await worker.intent(task!, "two", "writes")).toBe("cancelled");
    expect(await worker.done(task!, "one", "ok")).toBe(true);
    expect(await worker.finish(task!, "cancelled", GOOD)).toBe(true);
    expect(await queue.get(id)).toMatchObject({ state: "cancelled", result: { unknown: 0 } });
  });

  it("gets the same answer when it asks again, because the first one was lost", async () => {
    const { submitOne, queue, openWorker } = parts();
    const id = await submitOne("a");
    const worker = await openWorker("twice");
    const [task] = await worker.take(1, []);
    expect([await worker.intent(task!, "one", "writes"), await worker.intent(task!, "one", "writes")]).toEqual(["ours", "ours"]);
    expect([await worker.done(task!, "one", "ok"), await worker.done(task!, "one", "ok")]).toEqual([true, true]);
    expect([await worker.finish(task!, "done", GOOD), await worker.finish(task!, "done", GOOD)]).toEqual([true, true]);
    expect(await worker.finish(task!, "failed", GOOD)).toBe(false);
    expect((await queue.get(id))?.state).toBe("done");
  });

  it("finds a call that is known and does not make it again", async () => {
    const { submitOne, db, openWorker } = parts();
    await submitOne("a");
    const [first, second] = [await openWorker("first"), await openWorker("second")];
    const [one] = await first.take(1, []);
    await first.intent(one!, "made", "writes");
    await first.done(one!, "made", "a result");
    await first.intent(one!, "open", "runs");
    await first.intent(one!, "looked", "reads");
    expect(await first.intent(one!, "made", "writes")).toBe("known");
    await expireLeases(db);
    await second.reap();
    const [two] = await second.take(1, []);
    expect([...(await second.journal(two!))]).toEqual([
      ["made", { effect: "writes", state: "done", outcome: "a result" }],
      ["open", { effect: "runs", state: "unknown", outcome: null }],
    ]);
    expect([await second.intent(two!, "made", "writes"), await second.intent(two!, "open", "runs")]).toEqual(["known", "known"]);
    expect(await second.intent(two!, "looked", "reads")).toBe("ours");
  });

  it("leaves a task that stops at an unknown outcome to a person, and only then", async () => {
    const { queue, db, submitOne, openWorker } = parts();
    const [between, within] = [await submitOne("between", { onUnknown: "stop" }), await submitOne("within", { onUnknown: "stop" })];
    const worker = await openWorker("stops");
    const [first, second] = await worker.take(2, []);
    await worker.intent(first!, "one", "writes");
    await worker.done(first!, "one", "ok");
    await worker.intent(second!, "one", "writes");
    await expireLeases(db);
    await worker.reap();
    expect((await queue.get(between))?.state).toBe("queued");
    expect(await queue.get(within)).toMatchObject({ state: "unknown", result: { ok: false, unknown: 1 } });
  });

  it("ends nothing of others with a question that comes long after the last answer it had", async () => {
    const { db, submitOne, openWorker } = parts();
    const id = await submitOne("a");
    const [held, reaper] = [await openWorker("held"), await openWorker("stale", { leaseMs: 1000 })];
    await held.take(1, []);
    await expireLeases(db);
    const { at } = (await db.one("select clock_timestamp()::text as at"))!;
    // As if the server had stood still: the question was sent, and is read when half a lease is over.
    await vi.waitUntil(async () => (await db.one("select clock_timestamp() > ?::timestamptz + interval '0.6 seconds' as over", at))!.over);
    expect(await reaper.reap()).toEqual([]);
    await reaper.beat([]);
    expect(await reaper.reap()).toMatchObject([{ id, state: "queued" }]);
  });

  it("an intent that is written while the task is taken away becomes unknown like the others", async () => {
    const { db, tenant, submitOne, openWorker } = parts();
    const id = await submitOne("a");
    const worker = await openWorker("between");
    const [task] = await worker.take(1, []);
    await expireLeases(db);
    const [slow, admin] = [openPg({ url, tenant, max: 1 }), openPg({ url, bare: true, max: 1 })];
    const reaping = await slow.together(async (rows) => {
      await rows.one("select call_intent(?, ?, ?, 'late', 'writes')", tenant, id, task!.epoch);
      const reaped = worker.reap();
      await vi.waitUntil(
        async () =>
          (await admin.all("select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%reap_tasks%'")).length > 0,
        { timeout: 25_000 },
      );
      return { reaped };
    });
    expect(await reaping.reaped).toMatchObject([{ id, state: "queued", unknown: 1 }]);
    await Promise.all([slow.close(), admin.close()]);
  });

  it("who ends in the middle of a call leaves its outcome unknown", async () => {
    const { queue, submitOne, openWorker } = parts();
    const [ended, given] = [await submitOne("ended"), await submitOne("given")];
    const worker = await openWorker("middle");
    const [first, second] = await worker.take(2, []);
    await worker.intent(first!, "one", "writes");
    await worker.intent(second!, "one", "writes");
    await worker.finish(first!, "failed", GOOD);
    expect(await worker.giveBack(second!)).toBe("queued");
    expect((await queue.get(ended))?.result?.unknown).toBe(1);
    const [again] = await worker.take(1, []);
    expect([again!.id, again!.attempt, [...(await worker.journal(again!)).values()].map(({ state }) => state)]).toEqual([
      given,
      1,
      ["unknown"],
    ]);
  });
});
