import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openBus } from "../../src/fleet/bus/bus.ts";
import { SUBJECTS } from "../../src/fleet/bus/subjects.ts";
import { createFleetApprovals } from "../../src/fleet/govern/approvals.ts";
import { openFleet } from "../../src/runtime/library/library.ts";
import { openPg } from "../../src/store/pg/pg.ts";
import { asks, says } from "../talking.ts";
import { fleet, folder, modelOf } from "./agent-fleet.ts";
import { hasPostgres, makeSchema } from "./database.ts";

const url = hasPostgres ? await makeSchema() : "";

/** Runs a command for each step, and goes by how many have a result. */
const steps = (commands: readonly string[]) =>
  modelOf(({ messages }) => {
    const done = messages.filter(({ role }) => role === "tool").length;
    return done < commands.length ? [asks("bash", { command: commands[done] })] : [says("All steps.")];
  });

describe.skipIf(!hasPostgres)("a turn on a worker that is stopped", () => {
  it("by a cancel ends in the middle of a command, which is killed", async () => {
    const { submit, ended, worker, queue } = fleet(url);
    const { root } = worker(steps(["echo begun > begun; sleep 600; echo late > late"]));
    const id = await submit({ text: "Wait.", session: "s1" });
    const file = (name: string) => join(root, "sessions", "s1", name);
    await expect.poll(() => existsSync(file("begun"))).toBe(true);
    expect(await queue.cancel({ id }, "enough")).toEqual([id]);
    expect(await ended(id)).toMatchObject({
      state: "cancelled",
      cancel: "enough",
      result: { ok: false, text: "It was cancelled.", unknown: 0 },
    });
    expect(existsSync(file("late"))).toBe(false);
  });

  it("by a cancel takes its question back, and those who could answer are told", async () => {
    const { submit, ended, worker, tenant, queue } = fleet(url);
    const db = openPg({ url, tenant, role: "zeph_gateway" });
    const bus = await openBus({ db: { url } });
    onTestFinished(async () => {
      await bus.close();
      await db.close();
    });
    const approvals = createFleetApprovals(db, null);
    const open = async () => (await approvals.open()).map(({ session }) => session);
    const told: unknown[] = [];
    await bus.hear(SUBJECTS.ask(tenant), (data) => told.push(data));
    worker(steps(["echo never > never.txt"]), { config: { tools: { permissions: { bash: [{ pattern: "*", action: "ask" }] } } } });
    const id = await submit({ text: "Write.", session: "s1", payload: { format: 1, text: "Write.", person: "kim" } });
    await expect.poll(open).toEqual(["s1"]);
    const [asked] = await approvals.open();
    await expect.poll(() => told.length).toBe(1);
    await queue.cancel({ id }, "enough");
    await expect.poll(() => told).toEqual([{ session: "s1" }, { session: "s1" }]);
    expect(await open()).toEqual([]);
    expect(await approvals.answer(asked!.id, { answer: "once", digest: asked!.digest, by: "lee" })).toBe("over");
    expect(await ended(id)).toMatchObject({ state: "cancelled" });
  });

  it("by a cancel goes on when it is tried again, and does nothing twice", async () => {
    const shared = folder();
    const { submit, ended, worker, queue } = fleet(url);
    const line = (n: number) => `echo ${n} >> ${shared}/ledger`;
    const config = { autonomy: "full", tools: { sandbox: { allow_write: [".", shared] } } };
    const model = steps([line(1), `touch ${shared}/begun; until test -e ${shared}/may; do sleep 0.02; done`, line(3)]);
    worker(model, { config });
    const id = await submit({ text: "Do the steps.", key: "again" });
    await expect.poll(() => existsSync(join(shared, "begun"))).toBe(true);
    await queue.cancel({ id }, "enough");
    expect(await ended(id)).toMatchObject({ state: "cancelled" });
    writeFileSync(join(shared, "may"), "");
    expect(await queue.retry(["again"])).toBe(1);
    expect(await ended(id)).toMatchObject({ state: "done", cancel: null, attempt: 1, result: { ok: true, text: "All steps." } });
    expect(readFileSync(join(shared, "ledger"), "utf8")).toBe("1\n3\n");
    expect(await queue.retry(["again"])).toBe(0);
  });

  it("by a drain is given back between two steps, goes on elsewhere, and does nothing twice", async () => {
    const shared = folder();
    const line = (n: number) => `echo ${n} >> ${shared}/ledger`;
    const model = steps([line(1), `touch ${shared}/begun; until test -e ${shared}/may; do sleep 0.02; done; ${line(2)}`, line(3)]);
    const config = { autonomy: "full", tools: { sandbox: { allow_write: [".", shared] } } };
    const { submit, ended, worker, queue } = fleet(url);
    const first = worker(model, { config });
    const id = await submit({ text: "Do the steps.", session: "s1" });
    await expect.poll(() => existsSync(join(shared, "begun"))).toBe(true);
    const stopping = first.stop();
    await expect.poll(async () => (await queue.workers()).some(({ state }) => state === "draining")).toBe(true);
    writeFileSync(join(shared, "may"), "");
    await stopping;
    expect(await queue.get(id)).toMatchObject({ state: "queued", attempt: 0 });
    const asked = model.given.length;
    worker(model, { config, name: "second" });
    expect(await ended(id)).toMatchObject({ state: "done", attempt: 1, result: { ok: true, unknown: 0, worker: "second" } });
    expect(readFileSync(join(shared, "ledger"), "utf8")).toBe("1\n2\n3\n");
    const told = model.given[asked]!.messages.at(-1)!;
    expect(told).toMatchObject({ role: "user", from: "loop", text: expect.stringContaining("Go on with the task") });
  });

  it("by a question waits for another person, and goes by what they say", async () => {
    const { submit, ended, worker, tenant } = fleet(url);
    const db = openPg({ url, tenant, role: "zeph_gateway" });
    const approvals = createFleetApprovals(db, null);
    worker(steps(["echo allowed > allowed.txt"]), { config: { tools: { permissions: { bash: [{ pattern: "*", action: "ask" }] } } } });
    const id = await submit({ text: "Write.", session: "s1", payload: { format: 1, text: "Write.", person: "kim" } });
    await expect.poll(async () => (await approvals.open()).length).toBe(1);
    const [asked] = await approvals.open();
    expect(await approvals.answer(asked!.id, { answer: "once", digest: asked!.digest, by: "kim" })).not.toBe("counted");
    expect(await approvals.answer(asked!.id, { answer: "no", digest: asked!.digest, by: "lee", reason: "not today" })).toBe("counted");
    expect(await ended(id)).toMatchObject({ state: "done", result: { ok: false, text: expect.stringContaining("1 call refused") } });
    await db.close();
  });

  it("by a limit ends as failed, and says which", async () => {
    const { submit, ended, worker } = fleet(url);
    worker(steps(["echo 1", "echo 2", "echo 3"]));
    const id = await submit({ text: "Go.", payload: { format: 1, text: "Go.", limits: { turns: 2 } } });
    expect(await ended(id)).toMatchObject({ state: "failed", result: { ok: false, text: expect.stringContaining("2 rounds") } });
  });

  it("by what is wrong with its repository or its model fails with words", async () => {
    const { submit, ended, worker } = fleet(url);
    worker(steps([]));
    const wrong = (payload: object) => submit({ text: "x", payload: { format: 1, text: "x", ...payload } });
    expect(await ended(await wrong({ repo: { url: "https://host/a/b" } }))).toMatchObject({
      state: "failed",
      result: { text: expect.stringContaining("Workers may not fetch") },
    });
    expect(await ended(await wrong({ model: "nobody" }))).toMatchObject({
      state: "failed",
      result: { text: expect.stringContaining("nobody") },
    });
  });

  it("tells nobody a secret, neither in events nor in its result", async () => {
    const secret = "sk-ant-api03-Zx9Qw7Er5Ty3Ui1Op2As4Df6Gh8Jk0Lz9Xc7Vb5Nm3Qw1Er2Ty4Ui6Op8As0Df-Gh2Jk4Lz6AA";
    const { worker, tenant } = fleet(url);
    worker(
      modelOf(({ messages }) => {
        const last = messages.at(-1)!;
        return last.role === "tool" ? [says(`It is ${secret}.`)] : [asks("bash", { command: `echo ${secret}` })];
      }),
    );
    await using program = await openFleet({ store: url, tenant });
    const turn = program.session("s1").send("Show it.");
    const heard: unknown[] = [];
    for await (const event of turn) heard.push(event);
    const task = await turn.result();
    expect(task.state).toBe("done");
    expect(heard.length).toBeGreaterThan(3);
    expect(JSON.stringify([heard, task])).not.toContain(secret);
  });
});
