import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openBus } from "../../src/fleet/bus/bus.ts";
import { SUBJECTS } from "../../src/fleet/bus/subjects.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { runWorker, type TaskOutcome, type WorkerEvent, type WorkerOptions } from "../../src/fleet/run-worker.ts";
import { openWorkerQueue, type WorkerQueue } from "../../src/fleet/worker-queue.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema } from "./database.ts";
import { newTask, openQueueParts, type QueueParts } from "./queue-parts.ts";

const DONE: TaskOutcome = { end: "done", result: { ok: true, text: "well" } };
/** Nothing but what a test does makes the worker look. */
const NEVER_MS = 3_600_000;

let workers = 0;

describe.skipIf(!hasPostgres)("a worker", async () => {
  const url = hasPostgres ? await makeSchema() : "";

  function start(parts: QueueParts, options: Partial<WorkerOptions> & Pick<WorkerOptions, "runTask">) {
    const name = `worker-${workers++}`;
    const queue = options.queue ?? openWorkerQueue({ url, connections: 6 });
    const ending = new AbortController();
    const events: WorkerEvent[] = [];
    const words: string[] = [];
    const ended = runWorker({
      queue,
      name,
      version: "1",
      slots: 4,
      leaseMs: NEVER_MS,
      pollMs: 20,
      tenant: parts.tenant,
      signal: ending.signal,
      drainMs: 100,
      tell: (event) => events.push(event),
      warn: (text) => words.push(text),
      ...options,
    });
    onTestFinished(async () => {
      ending.abort();
      await ended;
      await queue.close();
    });
    return { name, events, words, ended, drain: () => ending.abort() };
  }
  const settled = (parts: QueueParts, id: string) =>
    vi.waitUntil(
      async () => {
        const task = await parts.queue.get(id);
        return task && task.state !== "queued" && task.state !== "running" ? task : false;
      },
      { timeout: 25_000, interval: 10 },
    );

  it("finds a task by looking, where nobody gives it a hint", async () => {
    const parts = openQueueParts(url);
    const { name } = start(parts, { runTask: async () => DONE });
    const task = await settled(parts, await parts.submitOne("a"));
    expect(task).toMatchObject({ state: "done", version: "1", result: { ok: true, text: "well", unknown: 0, worker: name } });
  });

  it("ends a cancelled task at its next call, and not with its lease, where no hint reaches it", async () => {
    const parts = openQueueParts(url);
    start(parts, {
      async runTask(task, { ledger, signal }) {
        expect(await ledger.intent("one", "writes")).toBe(true);
        await ledger.done("one", "ok");
        await parts.queue.cancel({ id: task.id }, "enough");
        expect(await ledger.intent("two", "writes")).toBe(false);
        expect(signal.reason).toBe("cancelled");
        throw new Error("stopped");
      },
    });
    expect(await settled(parts, await parts.submitOne("a"))).toMatchObject({ state: "cancelled", result: { unknown: 0 } });
  });

  it("ends a cancelled task that makes no call as soon as the hint comes, and tells who listens", async () => {
    const parts = openQueueParts(url);
    const bus = await openBus({ db: { url } });
    onTestFinished(() => bus.close());
    const heard: unknown[] = [];
    start(parts, {
      bus,
      pollMs: NEVER_MS,
      runTask: (_, { signal }) => new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const queue = createTaskQueue(parts.db, { bus });
    await bus.hear(SUBJECTS.out(parts.tenant, "s"), (data) => heard.push(data));
    const { id } = (await queue.submit([newTask("a", { session: "s" })]))[0]!;
    await vi.waitUntil(async () => (await queue.get(id))?.state === "running", { timeout: 25_000 });
    await queue.cancel({ id }, "enough");
    expect(await settled(parts, id)).toMatchObject({ state: "cancelled" });
    await vi.waitUntil(() => heard.length > 0, { timeout: 25_000 });
    expect(heard).toEqual([{ type: "end", task: id, state: "cancelled" }]);
  });

  it("records what went wrong with a task, and goes on", async () => {
    const parts = openQueueParts(url);
    start(parts, {
      runTask: async ({ key }) => {
        if (key === "bad") throw new Error("The model is away.");
        return DONE;
      },
    });
    const [bad, good] = [await parts.submitOne("bad"), await parts.submitOne("good")];
    expect(await settled(parts, bad)).toMatchObject({ state: "failed", attempt: 1, result: { ok: false, text: "The model is away." } });
    expect(await settled(parts, good)).toMatchObject({ state: "done" });
  });

  it("tries again what asks for it, as often as it may", async () => {
    const parts = openQueueParts(url);
    start(parts, { runTask: async () => ({ end: "retry", afterMs: 1, why: "429" }) });
    expect(await settled(parts, await parts.submitOne("a", { maxAttempts: 3 }))).toMatchObject({
      state: "failed",
      attempt: 3,
      result: { text: "429" },
    });
  });

  it("gives back at the next step when it drains, and aborts what comes to none", async () => {
    const parts = openQueueParts(url);
    let begun = 0;
    const told = new Map<string, unknown>();
    const worker = start(parts, {
      async runTask({ key }, { ledger, isDraining, signal }) {
        await ledger.intent("one", "writes");
        begun++;
        if (key === "hangs") await new Promise((resolve) => signal.addEventListener("abort", resolve));
        told.set(key!, signal.reason);
        while (!isDraining()) await wait(5);
        if (key === "steps") await ledger.done("one", "ok");
        return { end: "giveBack" };
      },
    });
    await parts.queue.submit([newTask("steps"), newTask("hangs")]);
    await vi.waitUntil(() => begun === 2, { timeout: 25_000 });
    worker.drain();
    await worker.ended;
    expect(told.get("hangs")).toBe("draining");
    const tasks = await parts.db.all("select key, state, attempt, unknown, holder from tasks order by key");
    expect(tasks).toEqual([
      { key: "hangs", state: "queued", attempt: 0, unknown: 1, holder: null },
      { key: "steps", state: "queued", attempt: 0, unknown: 0, holder: null },
    ]);
    expect((await parts.queue.workers()).find(({ name }) => name === worker.name)?.state).toBe("gone");
  });

  it("does nothing while no beat is answered, and goes on after the next one", async () => {
    const parts = openQueueParts(url);
    let isCut = false;
    const queue = cutBeats(openWorkerQueue({ url }), () => isCut);
    const made: string[] = [];
    const worker = start(parts, {
      queue,
      leaseMs: 2000,
      async runTask(_, { ledger, isOurs }) {
        isCut = true;
        await wait(1800);
        const intent = ledger.intent("one", "writes").then(async (may) => {
          if (may && (await isOurs())) made.push("one");
        });
        await wait(300);
        expect(made).toEqual([]);
        expect(worker.events.some(({ type }) => type === "paused")).toBe(true);
        isCut = false;
        await intent;
        await ledger.done("one", "ok");
        return DONE;
      },
    });
    expect(await settled(parts, await parts.submitOne("a"))).toMatchObject({ state: "done", attempt: 1 });
    expect(made).toEqual(["one"]);
  });

  it("takes nothing while it may not, and nothing more than it has room for", async () => {
    const parts = openQueueParts(url);
    let mayTake = false;
    let [running, most] = [0, 0];
    start(parts, {
      slots: 2,
      mayTake: () => mayTake,
      async runTask() {
        most = Math.max(most, ++running);
        await wait(20);
        running--;
        return DONE;
      },
    });
    const ids = (await parts.queue.submit(Array.from({ length: 6 }, (_, n) => newTask(`k${n}`)))).map(({ id }) => id);
    await wait(200);
    expect((await parts.queue.status()).counts.queued).toBe(6);
    mayTake = true;
    for (const id of ids) await settled(parts, id);
    expect(most).toBe(2);
  });

  it("registers again when its row is gone, and leaves when another process has its name", async () => {
    const parts = openQueueParts(url);
    const worker = start(parts, { leaseMs: 1000, runTask: async () => DONE });
    const owner = openWorkerQueue({ url });
    onTestFinished(() => owner.close());
    const isThere = async () => (await parts.queue.workers()).some(({ name }) => name === worker.name);
    await vi.waitUntil(isThere, { timeout: 25_000 });
    await deleteWorkers(url);
    await vi.waitUntil(isThere, { timeout: 25_000 });
    await owner.register({ name: worker.name, version: "2", slots: 1, labels: [], tenant: null, formats: [1], leaseMs: 1000 });
    await worker.ended;
    expect(worker.words.join(" ")).toContain("Another process has registered under this worker's name.");
  });

  it("ends although the server is away", async () => {
    const worker = start(openQueueParts(url), {
      queue: openWorkerQueue({ url: "postgres://zeph@127.0.0.1:1/none" }),
      runTask: async () => DONE,
    });
    await wait(50);
    worker.drain();
    await worker.ended;
  });
});

/** The line for beats is cut. */
const cutBeats = (queue: WorkerQueue, isCut: () => boolean): WorkerQueue => ({
  ...queue,
  beat: (held) => (isCut() ? Promise.reject(new Error("cut")) : queue.beat(held)),
});

async function deleteWorkers(url: string): Promise<void> {
  const db = openPg({ url, bare: true, max: 1 });
  await db.run("delete from workers");
  await db.close();
}
