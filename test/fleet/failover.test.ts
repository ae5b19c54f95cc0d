import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPostgres } from "../../scripts/fleet-servers.mjs";
import { initStore } from "../../src/store/pg/migrate.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres } from "./database.ts";
import { expireLeases, GOOD, newTask, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("a standby that lacks the last commits is promoted", () => {
  it("the session has one holder, and what was given out by the lost server is refused", async () => {
    const old = await startPostgres({ settings: ["fsync = off"] });
    onTestFinished(() => old.stop());
    await initStore(old.url);
    const standby = await startPostgres({ settings: ["fsync = off"], standbyOf: old });
    onTestFinished(() => standby.stop());
    const before = openQueueParts(old.url, "main");
    await before.queue.submit([newTask("held", { session: "s" }), newTask("free")]);
    const known = await before.openWorker("known", { tenant: null });
    const [held] = await known.take(1, []);
    await until(standby.url, "select 1 from tasks where state = 'running'");
    await cutOff(standby.url);

    // From here on the standby knows nothing. The first worker ends its task; two others take what the old server gives them.
    expect(await known.finish(held!, "done", GOOD)).toBe(true);
    await before.queue.submit([newTask("next", { session: "s" })]);
    const late = await before.openWorker("late", { tenant: null });
    const lost = await late.take(2, []);
    expect(lost.map(({ key }) => key).sort()).toEqual(["free", "next"]);
    await old.crash();
    await standby.promote();

    const after = openQueueParts(standby.url, "main");
    const [returned, other] = [await after.openWorker("late", { tenant: null }), await after.openWorker("other", { tenant: null })];
    const refused = async () => {
      for (const task of lost)
        expect([
          await returned.intent(task, "one", "writes"),
          await returned.finish(task, "done", GOOD),
          [...(await returned.beat([task])).held.values()],
        ]).toEqual(["lost", false, ["lost"]]);
    };
    await refused();
    // What the standby still believes to be running is ended by its lease: the number that follows must not be one that was given out.
    await expireLeases(after.db);
    expect(await other.reap()).toMatchObject([{ id: held!.id, state: "queued" }]);
    await refused();
    const theirs = await other.take(4, []);
    expect(theirs.map(({ key }) => key).sort()).toEqual(["free", "held"]);
    await refused();
    const given = [held!, ...lost].map(({ session, epoch }) => `${session} ${epoch}`);
    for (const { session, epoch } of theirs) expect(given).not.toContain(`${session} ${epoch}`);
    for (const task of theirs) expect(await other.finish(task, "done", GOOD)).toBe(true);
    await refused();
  });
});

async function until(url: string, question: string): Promise<void> {
  const db = openPg({ url, bare: true, max: 1 });
  while ((await db.all(question).catch(() => [])).length === 0) await wait(50);
  await db.close();
}

/** The line between the two servers. */
async function cutOff(url: string): Promise<void> {
  const db = openPg({ url, bare: true, max: 1 });
  await db.run("alter system set primary_conninfo = ''");
  await db.run("select pg_reload_conf()");
  while ((await db.all("select 1 from pg_stat_wal_receiver")).length > 0) await wait(50);
  await db.close();
}
