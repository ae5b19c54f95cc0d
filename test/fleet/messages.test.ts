import { describe, expect, it } from "vitest";
import { createSessionInbox } from "../../src/fleet/session/inbox.ts";
import { openWorkerQueue, type WorkerQueue } from "../../src/fleet/worker-queue.ts";
import { openFleet } from "../../src/runtime/library/library.ts";
import { openPg, type Pg } from "../../src/store/pg/pg.ts";
import { says } from "../talking.ts";
import { fleet, modelOf } from "./agent-fleet.ts";
import { hasPostgres, makeSchema } from "./database.ts";

const url = hasPostgres ? await makeSchema() : "";

/** Answers with all that was said to it. */
const repeats = () =>
  modelOf(({ messages }) => [says(messages.flatMap((one) => (one.role === "user" && one.from === undefined ? [one.text] : [])).join("|"))]);

async function withDb<T>(tenant: string, work: (db: Pg) => Promise<T>): Promise<T> {
  const db = openPg({ url, tenant, role: "zeph_gateway" });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** A worker that takes and does no more: what it leaves was never begun. */
async function withTaker<T>(tenant: string, work: (queue: WorkerQueue) => Promise<T>): Promise<T> {
  const queue = openWorkerQueue({ url });
  try {
    await queue.register({ name: `t-${tenant}`, version: "1", slots: 1, labels: [], tenant, formats: [1], leaseMs: 60_000 });
    return await work(queue);
  } finally {
    await queue.close();
  }
}

describe.skipIf(!hasPostgres)("a message whose turn ended before it began", () => {
  it("is said by no later turn, and whoever waits for it hears of the end", async () => {
    const { tenant, worker, queue } = fleet(url);
    await using program = await openFleet({ store: url, tenant, person: "kim" });
    const session = program.session("s");
    const first = session.send("Delete everything.");
    await expect.poll(async () => (await queue.list()).length).toBe(1);
    const second = session.send("And the rest.", { key: "rest" });
    await expect.poll(() => withDb(tenant, async (db) => (await db.one("select count(*) as n from inbox"))!.n)).toBe(2);
    const { id } = (await queue.list())[0]!;
    expect(await queue.cancel({ id }, "a slip")).toEqual([id]);
    // Asked again with its key, it is still the message of that turn.
    for (const turn of [first, second, session.send("And the rest.", { key: "rest" })])
      expect(await turn.result()).toMatchObject({ id, state: "cancelled" });
    worker(repeats());
    expect(await session.send("Look around.").result()).toMatchObject({ state: "done", result: { text: "Look around." } });
  });

  it("goes with a task that was cancelled or failed after it was taken, too", async () => {
    const { tenant, worker, queue } = fleet(url);
    await withDb(tenant, (db) =>
      withTaker(tenant, async (taker) => {
        const inbox = createSessionInbox(db, queue);
        const cancelled = await inbox.say("s", "Cancelled.");
        const [task] = await taker.take(1, []);
        await queue.cancel({ id: task!.id }, "a slip");
        expect(await taker.giveBack(task!)).toBe("cancelled");
        expect(await inbox.taskOf(cancelled)).toBe(task!.id);

        const failed = await inbox.say("s", "Failed.");
        for (let attempt = 1; attempt <= 3; attempt++) {
          const [again] = await taker.take(1, []);
          expect(await inbox.taskOf(failed)).toBeNull();
          expect(await taker.giveBack(again!, { counts: true, why: "The worker was lost." })).toBe(attempt < 3 ? "queued" : "failed");
        }
        expect(await inbox.taskOf(failed)).not.toBeNull();
      }),
    );
    worker(repeats());
    await using program = await openFleet({ store: url, tenant });
    expect(await program.session("s").send("Next.").result()).toMatchObject({ result: { text: "Next." } });
  });

  it("stays where it has a turn of its own, is another person's, or was said by another turn before", async () => {
    const { tenant, worker, queue } = fleet(url);
    await withDb(tenant, (db) =>
      withTaker(tenant, async (taker) => {
        const inbox = createSessionInbox(db, queue);
        await inbox.say("s", "First.", { person: "kim" });
        const [first] = await taker.take(1, []);
        // The first turn runs, so this one has a task of its own.
        const second = await inbox.say("s", "Second.", { person: "kim" });
        const other = await inbox.say("s", "Other.", { person: "lee" });
        expect(await taker.giveBack(first!)).toBe("queued");
        await queue.cancel({ id: first!.id }, "a slip");
        expect([await inbox.taskOf(second), await inbox.taskOf(other)]).toEqual([null, null]);
      }),
    );
    worker(repeats());
    await expect.poll(async () => (await queue.status()).counts).toMatchObject({ done: 2, cancelled: 1 });
    const texts = (await queue.list()).flatMap(({ state, result }) => (state === "done" ? [result!.text] : []));
    expect(texts.sort()).toEqual(["Second.", "Second.|Other."]);
  });
});
