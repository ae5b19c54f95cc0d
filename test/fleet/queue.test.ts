import { describe, expect, it } from "vitest";
import { QueueFull } from "../../src/fleet/queue.ts";
import { createSessionInbox } from "../../src/fleet/session/inbox.ts";
import { hasPostgres, makeSchema } from "./database.ts";
import { GOOD, newTask, openQueueParts } from "./queue-parts.ts";

describe.skipIf(!hasPostgres)("the queue", async () => {
  const url = hasPostgres ? await makeSchema() : "";
  const parts = () => openQueueParts(url);
  const keys = (tasks: readonly { readonly key: string | null }[]) => tasks.map(({ key }) => key);

  it("the same key is the same task, also twice in one submission", async () => {
    const { queue } = parts();
    const first = await queue.submit([newTask("a"), newTask("b"), newTask("a")]);
    expect(first.map(({ isNew }) => isNew)).toEqual([true, true, true]);
    expect(first[2]!.id).toBe(first[0]!.id);
    const again = await queue.submit([newTask("b", { payload: { format: 1, text: "other" } }), newTask("c")]);
    expect(again.map(({ isNew }) => isNew)).toEqual([false, true]);
    expect((await queue.get(first[1]!.id))?.payload.text).toBe("b");
    expect((await queue.status()).counts.queued).toBe(3);
  });

  it("a task without a key is put in once for each submission", async () => {
    const { queue } = parts();
    const { key: _, ...plain } = newTask("x");
    const [a, b] = [await queue.submit([plain]), await queue.submit([plain])];
    expect(a[0]!.id).not.toBe(b[0]!.id);
  });

  it("a payload keeps every character that JSON can hold", async () => {
    const { queue, submitOne, openWorker } = parts();
    const text = "a\u0000b \ud800 ü 😀 \\u0000";
    const id = await submitOne("x", { payload: { format: 1, text } });
    expect((await queue.get(id))?.payload.text).toBe(text);
    const worker = await openWorker("chars");
    const [task] = await worker.take(1, []);
    expect(await worker.finish(task!, "done", { ...GOOD, text })).toBe(true);
    expect((await queue.get(id))?.result?.text).toBe(text);
  });

  it("more than the tenant may have waiting is refused as a whole, and what is there already is not counted again", async () => {
    const { queue, openWorker } = parts();
    await queue.submit([newTask("a"), newTask("b")], { maxQueued: 2 });
    await expect(queue.submit([newTask("c")], { maxQueued: 2 })).rejects.toThrow(QueueFull);
    expect((await queue.submit([newTask("a"), newTask("b")], { maxQueued: 2 })).map(({ isNew }) => isNew)).toEqual([false, false]);
    expect((await queue.status()).counts.queued).toBe(2);
    await (await openWorker("room")).take(1, []);
    await queue.submit([newTask("c")], { maxQueued: 2 });
    await expect(queue.submit([newTask("d")], { maxQueued: 2 })).rejects.toThrow(QueueFull);
  });

  it("more than one statement holds is put in as a whole, or not at all", async () => {
    const { queue } = parts();
    const many = (count: number) => Array.from({ length: count }, () => ({ payload: { format: 1 as const, text: "x" } }));
    await expect(queue.submit(many(700), { maxQueued: 600 })).rejects.toThrow(QueueFull);
    expect((await queue.status()).counts.queued).toBe(0);
    const put = await queue.submit(many(700), { maxQueued: 700 });
    expect(new Set(put.map(({ id }) => id)).size).toBe(700);
    expect((await queue.status()).counts.queued).toBe(700);
  });

  it.each([
    "https://ghp_0123@host/r",
    "https://u:p@host/r",
    "git+https://u:p@host/r",
    "ssh://git:p@host/r",
    "u:p@host:r",
    "https://host/r?access_token=x",
  ])("no secret of an address is stored: %s", async (address) => {
    const { queue, db } = parts();
    const repo = { url: address };
    const inbox = createSessionInbox(db, queue);
    await expect(queue.submit([newTask("ok"), { payload: { format: 1, text: "x", repo } }])).rejects.toThrow(
      "secrets belong to the workers",
    );
    await expect(inbox.say("s", "x", { repo })).rejects.toThrow("secrets belong to the workers");
    expect(await db.all("select 1 from tasks union all select 1 from inbox")).toEqual([]);
    for (const fine of ["https://host/r.git", "ssh://git@host/r", "git@host:owner/r.git", "file:///srv/a@b.git"])
      await queue.submit([{ payload: { format: 1, text: "x", repo: { url: fine } } }]);
  });

  it("what is said to a session is not there when the queue is full, so saying it again says it once", async () => {
    const { queue, db } = parts();
    const inbox = createSessionInbox(db, queue);
    await queue.submit([newTask("a")]);
    await expect(inbox.say("s", "hello", { maxQueued: 1 })).rejects.toThrow(QueueFull);
    expect(await db.all("select message from inbox")).toEqual([]);
    await inbox.say("s", "hello", { maxQueued: 2 });
    expect(await db.all("select message from inbox")).toEqual([{ message: "hello" }]);
    expect((await queue.status()).counts.queued).toBe(2);
  });

  it("a session hears more while a text waits that the server cannot read, and one person's words wait for no other's", async () => {
    const { queue, db } = parts();
    const inbox = createSessionInbox(db, queue);
    const text = 'a\u0000b \ud800 "person":"lee"';
    await queue.submit([newTask("odd", { session: "s", payload: { format: 1, text, person: "kim" } })]);
    await inbox.say("s", "More.", { person: "kim" });
    expect((await queue.status()).counts.queued).toBe(1);
    await inbox.say("s", "From another.", { person: "lee" });
    expect((await queue.status()).counts.queued).toBe(2);
    await inbox.say("s", "From nobody.");
    expect((await queue.status()).counts.queued).toBe(3);
    await inbox.say("s", "Again.");
    expect((await queue.status()).counts.queued).toBe(3);
  });

  it("an id that is none finds nothing, and neither does another tenant's", async () => {
    const [mine, other] = [parts(), parts()];
    const id = await mine.submitOne("a");
    expect(await mine.queue.get("no id")).toBeNull();
    expect(await other.queue.get(id)).toBeNull();
    expect(await other.queue.cancel({ id }, "not mine")).toEqual([]);
    expect(await mine.queue.cancel({ id: "no id" }, "x")).toEqual([]);
    expect((await mine.queue.get(id))?.state).toBe("queued");
  });

  it("tasks are listed newest first, by state, batch and session", async () => {
    const { queue, openWorker } = parts();
    await queue.submit([newTask("a", { batch: "one" }), newTask("b", { batch: "two" }), newTask("c", { session: "s" })]);
    await (await openWorker("lister")).take(1, []);
    expect(keys(await queue.list())).toEqual(["c", "b", "a"]);
    expect(keys(await queue.list({ state: "running" }))).toEqual(["a"]);
    expect(keys(await queue.list({ batch: "two" }))).toEqual(["b"]);
    expect(keys(await queue.list({ session: "s" }))).toEqual(["c"]);
    expect(keys(await queue.list({ limit: 2 }))).toEqual(["c", "b"]);
    expect((await queue.depths()).filter(({ queued }) => queued === 2)).not.toEqual([]);
  });

  it("results of a batch come page by page, in the order of submission", async () => {
    const { queue, openWorker } = parts();
    await queue.submit(Array.from({ length: 1200 }, (_, n) => newTask(`k${n}`, { batch: "spring" })));
    await queue.submit([newTask("stranger")]);
    const worker = await openWorker("paging");
    const [first] = await worker.take(1, []);
    await worker.finish(first!, "done", { ...GOOD, text: "said" });
    const seen: string[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page = await queue.results("spring", after, 500);
      seen.push(...page.results.map(({ key }) => key));
      after = page.next;
    }
    expect(seen).toEqual(Array.from({ length: 1200 }, (_, n) => `k${n}`));
    expect((await queue.results("spring", 0, 1)).results[0]).toMatchObject({
      key: "k0",
      state: "done",
      result: { ok: true, text: "said" },
    });
    expect((await queue.status({ batch: "spring" })).counts).toMatchObject({ queued: 1199, done: 1 });
  });

  it("a cancelled batch ends what waits at once, and tells what runs", async () => {
    const { queue, openWorker } = parts();
    await queue.submit([newTask("a", { batch: "b" }), newTask("b", { batch: "b" }), newTask("other")]);
    const worker = await openWorker("batch");
    const [task] = await worker.take(1, []);
    expect(await queue.cancel({ batch: "b" }, "too dear")).toHaveLength(2);
    expect((await queue.status()).counts).toMatchObject({ running: 1, cancelled: 1, queued: 1 });
    expect(await worker.intent(task!, "c", "writes")).toBe("cancelled");
    expect([...(await worker.beat([task!])).held.values()]).toEqual(["cancelled"]);
    expect((await queue.get(task!.id))?.cancel).toBe("too dear");
    expect(await worker.giveBack(task!)).toBe("cancelled");
  });

  it("a worker is drained only by those who act as a gateway, and is told with its next beat", async () => {
    const { queue, openWorker } = parts();
    const worker = await openWorker("drained", { labels: ["gpu"], slots: 3, version: "7" });
    expect(await queue.drain("nobody")).toBe(false);
    expect(await queue.drain("drained")).toBe(true);
    expect((await worker.beat([])).state).toBe("draining");
    expect((await queue.workers()).find(({ name }) => name === "drained")).toMatchObject({
      version: "7",
      state: "draining",
      slots: 3,
      running: 0,
      labels: ["gpu"],
    });
    await queue.submit([newTask("a")]);
    expect(await worker.take(1, [])).toEqual([]);
    await worker.setState("gone");
    expect(await queue.drain("drained")).toBe(false);
  });
});
