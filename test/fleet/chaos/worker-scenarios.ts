import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { expectSound, runningOn, type Scenario, since, until, untilBusy, WORKERS } from "./scenario.ts";
import type { StepFleet } from "./step-fleet.ts";

/** What happens to workers. */
export const WORKER_SCENARIOS: readonly Scenario[] = [
  {
    name: "nothing fails, and everything is done once",
    async run(fleet) {
      const start = performance.now();
      const ids = await fleet.submit(200, { steps: 3, ms: 5 });
      await fleet.settle(ids);
      const ms = since(start);
      const account = await fleet.account(ids);
      expect(account).toEqual({ states: { done: 200 }, effects: 600, doubled: 0, unfounded: 0, unknown: 0, repeated: 0 });
      return { ms, ...account };
    },
  },
  {
    name: "a killed worker's tasks run elsewhere, and no call is repeated",
    async run(fleet) {
      const ids = await fleet.submit(60, { steps: 4, ms: 60 });
      await untilBusy(fleet, "w2", 3);
      const start = performance.now();
      await fleet.end("w2", "SIGKILL");
      const held = await leftBy(fleet, "w2");
      expect(held.length).toBeGreaterThan(0);
      await until(async () => (await runningOn(fleet, "w2")).length === 0);
      await until(async () => (await countIn(fleet, held, "queued")) === 0);
      const ms = since(start);
      await fleet.start(["w2"]);
      await fleet.settle(ids);
      const account = await fleet.account(ids);
      expectSound(account);
      expect(account.states).toEqual({ done: 60 });
      expect(account.repeated).toBe(held.length);
      expect(account.unknown).toBeGreaterThan(0);
      expect(account.unknown).toBeLessThanOrEqual(held.length);
      expect(account.effects).toBeGreaterThanOrEqual(240 - account.unknown);
      return { ms, ...account };
    },
  },
  {
    name: "a frozen worker that wakes after its lease does nothing more",
    async run(fleet) {
      const ids = await fleet.submit(40, { steps: 5, ms: 80, doze: 40 });
      await untilBusy(fleet, "w3", 3);
      const start = performance.now();
      fleet.worker("w3").kill("SIGSTOP");
      const held = await leftBy(fleet, "w3");
      await until(async () => (await runningOn(fleet, "w3")).length === 0);
      await until(async () => (await countIn(fleet, held, "queued")) === 0);
      const ms = since(start);
      const before = fleet.log().length;
      fleet.worker("w3").kill("SIGCONT");
      const woken = () =>
        fleet
          .log()
          .slice(before)
          .filter(({ worker, task }) => worker === "w3" && task !== undefined && held.includes(task));
      await until(
        () =>
          new Set(
            woken()
              .filter(({ type }) => type === "ended")
              .map(({ task }) => task),
          ).size === held.length,
      );
      expect(woken().filter(({ type, what }) => type === "ended" && what !== "lost" && what !== "refused")).toEqual([]);
      await fleet.settle(ids);
      const account = await fleet.account(ids);
      expectSound(account);
      expect(account.states).toEqual({ done: 40 });
      expect(account.unknown).toBeLessThanOrEqual(held.length);
      return { ms, ...account };
    },
  },
  {
    name: "a worker that does not listen to the ledger is found out by doubled effects",
    async run(fleet) {
      const heedless = ["h1", "h2", "h3"];
      await fleet.start(heedless, { isHeedless: true, labels: ["heedless"], slots: 4 });
      const ids = await fleet.submit(24, { steps: 6, ms: 150 }, { label: "heedless" });
      await untilBusy(fleet, "h3", 3);
      fleet.worker("h3").kill("SIGSTOP");
      await until(async () => (await runningOn(fleet, "h3")).length === 0);
      fleet.worker("h3").kill("SIGCONT");
      await fleet.settle(ids);
      await wait(500);
      const { doubled } = await fleet.account(ids);
      for (const name of heedless) await fleet.end(name, "SIGKILL");
      expect(doubled).toBeGreaterThan(0);
      return { doubled };
    },
  },
  {
    name: "a task that stops at an unknown outcome is left to a person",
    async run(fleet) {
      const ids = await fleet.submit(24, { steps: 3, ms: 30, doze: 200 }, { onUnknown: "stop" });
      await untilBusy(fleet, "w1", 2);
      await fleet.end("w1", "SIGKILL");
      await fleet.start(["w1"]);
      await fleet.settle(ids);
      const account = await fleet.account(ids);
      expectSound(account);
      expect(account.states.unknown).toBeGreaterThan(0);
      expect(account.states.unknown! + account.states.done!).toBe(24);
      return account;
    },
  },
  {
    name: "a cancelled task ends at its next step, and nothing of it happens afterwards",
    async run(fleet) {
      const ids = await fleet.submit(9, { steps: 1000, ms: 40 });
      await until(async () => (await countIn(fleet, ids, "running")) === 9);
      const times: number[] = [];
      for (const id of ids) {
        const start = performance.now();
        await fleet.queue.cancel({ id }, "a test");
        await fleet.settle([id]);
        times.push(since(start));
      }
      const before = fleet.effectsOf(ids);
      await wait(300);
      const account = await fleet.account(ids);
      expectSound(account);
      expect(account).toMatchObject({ states: { cancelled: 9 }, unknown: 0, effects: before });
      return { ms: Math.max(...times), ...account };
    },
  },
  {
    name: "a worker that is told to end gives back what it has, and no attempt is counted",
    async run(fleet) {
      const ids = await fleet.submit(60, { steps: 10, ms: 30 });
      await untilBusy(fleet, "w1");
      const start = performance.now();
      await fleet.end("w1", "SIGTERM");
      const ms = since(start);
      expect(await runningOn(fleet, "w1")).toEqual([]);
      await fleet.start(["w1"], { version: "2" });
      await fleet.settle(ids);
      const account = await fleet.account(ids);
      expect(account).toEqual({ states: { done: 60 }, effects: 600, doubled: 0, unfounded: 0, unknown: 0, repeated: 0 });
      return { ms, ...account };
    },
  },
  {
    name: "all workers are drained and replaced under load, and no task notices",
    async run(fleet) {
      const ids: string[] = [];
      for (const name of WORKERS) {
        ids.push(...(await fleet.submit(60, { steps: 6, ms: 40 })));
        await untilBusy(fleet, name);
        const gone = once(fleet.worker(name), "exit");
        expect(await fleet.queue.drain(name)).toBe(true);
        await gone;
        await fleet.start([name], { version: "3" });
      }
      await fleet.settle(ids);
      const account = await fleet.account(ids);
      expect(account).toEqual({ states: { done: 180 }, effects: 1080, doubled: 0, unfounded: 0, unknown: 0, repeated: 0 });
      return account;
    },
  },
];

/** What the server had been asked by then is answered. */
async function leftBy(fleet: StepFleet, worker: string): Promise<string[]> {
  await wait(200);
  return runningOn(fleet, worker);
}

const countIn = async ({ db }: StepFleet, ids: readonly string[], state: string): Promise<number> =>
  (await db.patient.one("select count(*) as count from tasks where id = any (?::uuid[]) and state = ?", ids, state))!.count;
