import { describe, expect, it, onTestFinished } from "vitest";
import { openBus } from "../../src/fleet/bus/bus.ts";
import { SUBJECTS } from "../../src/fleet/bus/subjects.ts";
import { createTaskQueue } from "../../src/fleet/queue.ts";
import { openWorkerQueue } from "../../src/fleet/worker-queue.ts";
import { openFleetClient } from "../../src/runtime/fleet/fleet-client.ts";
import { openFleet } from "../../src/runtime/library/library.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { hasPostgres, makeSchema, newTenant } from "./database.ts";

const url = hasPostgres ? await makeSchema() : "";

/** A task that runs, and a bus as its worker has it. */
async function running() {
  const tenant = newTenant();
  const db = openPg({ url, tenant, role: "zeph_gateway" });
  const [submitted] = await createTaskQueue(db).submit([{ session: "s", payload: { format: 1, text: "Do it." } }]);
  await db.close();
  const queue = openWorkerQueue({ url });
  const bus = await openBus({ db: { url } });
  onTestFinished(async () => {
    await bus.close();
    await queue.close();
  });
  await queue.register({ name: `w-${tenant}`, version: "1", slots: 1, labels: [], tenant, formats: [1], leaseMs: 60_000 });
  const [task] = await queue.take(1, []);
  const tell = (type: string) => bus.tell(SUBJECTS.out(tenant, "s"), { type, task: submitted!.id });
  return { tenant, task: task!, tell, bus, end: () => queue.finish(task!, "done", { ok: true, text: "Done.", unknown: 0, worker: "w" }) };
}

/** Whoever follows listens when something was heard. */
async function untilHeard(next: Promise<unknown>, tell: (type: string) => void): Promise<void> {
  while ((await Promise.race([next, new Promise((resolve) => setTimeout(resolve, 100))])) === undefined) tell("turn_start");
}

describe.skipIf(!hasPostgres)("whoever follows a task", () => {
  it("hears what was under way when its row ended", async () => {
    const { tenant, task, tell, bus, end } = await running();
    await using program = await openFleet({ store: url, tenant });
    const isAllHeard = new Promise<void>((resolve) => {
      void bus.hear(SUBJECTS.out(tenant, "s"), (data) => (data as { type: string }).type === "end" && resolve());
    });
    const types: string[] = [];
    const events = program.follow(task.id)[Symbol.asyncIterator]();
    await untilHeard(events.next(), tell);
    await end();
    tell("text");
    while (types.at(-1) !== "text") types.push((await events.next()).value!.type);
    // The row was over when this was told.
    tell("done");
    tell("end");
    await isAllHeard;
    for (let next = events.next(); !(await next).done; next = events.next()) types.push((await next).value!.type);
    expect(types.slice(types.indexOf("text"))).toEqual(["text", "done"]);
  });

  it("hears of its end also where no hint comes", async () => {
    const { tenant, task, tell, end } = await running();
    const client = await openFleetClient({ store: url, tenant });
    onTestFinished(client.close);
    const events = client.follow({ task: task.id });
    await untilHeard(events.next(), tell);
    await end();
    let last = await events.next();
    while (!last.done) last = await events.next();
    expect(last.value).toMatchObject({ state: "done", result: { text: "Done." } });
  });
});
