import { setTimeout as wait } from "node:timers/promises";
import { expect } from "vitest";
import { expectSound, type Scenario, since, until } from "./scenario.ts";
import { LEASE_MS } from "./step-fleet.ts";

/** What happens to PostgreSQL and NATS. */
export const SERVER_SCENARIOS: readonly Scenario[] = [
  {
    name: "PostgreSQL crashes and is back, and no outcome is unknown",
    async run(fleet) {
      const ids = await fleet.submit(150, { steps: 4, ms: 20 });
      await until(async () => (await fleet.left(ids)) < 130);
      await fleet.server.crash();
      await fleet.server.start();
      const start = performance.now();
      await fleet.settle(ids);
      const ms = since(start);
      const account = await fleet.account(ids);
      expect(account).toEqual({ states: { done: 150 }, effects: 600, doubled: 0, unfounded: 0, unknown: 0, repeated: 0 });
      return { ms, ...account };
    },
  },
  {
    name: "PostgreSQL is away for three leases, and nothing is lost, unknown or begun again",
    async run(fleet) {
      const ids = await fleet.submit(100, { steps: 4, ms: 20 });
      await until(async () => (await fleet.left(ids)) < 90);
      await fleet.server.crash();
      await wait(3 * LEASE_MS);
      await fleet.server.start();
      const start = performance.now();
      await fleet.settle(ids);
      const ms = since(start);
      const account = await fleet.account(ids);
      expect(account).toEqual({ states: { done: 100 }, effects: 400, doubled: 0, unfounded: 0, unknown: 0, repeated: 0 });
      return { ms, ...account };
    },
  },
  {
    name: "PostgreSQL stands still for two leases, and a question that lay around takes nothing from anybody",
    async run(fleet) {
      const ids = await fleet.submit(100, { steps: 4, ms: 20 });
      await until(async () => (await fleet.left(ids)) < 90);
      fleet.server.freeze();
      await wait(2 * LEASE_MS);
      fleet.server.thaw();
      const start = performance.now();
      await fleet.settle(ids);
      const ms = since(start);
      const account = await fleet.account(ids);
      expect(account).toEqual({ states: { done: 100 }, effects: 400, doubled: 0, unfounded: 0, unknown: 0, repeated: 0 });
      return { ms, ...account };
    },
  },
  {
    name: "one of three NATS servers stops, and clients move on",
    buses: ["nats"],
    async run(fleet) {
      const ids = await fleet.submit(100, { steps: 4, ms: 20 });
      await until(async () => (await fleet.left(ids)) < 90);
      await fleet.nats!.nodes[0]!.stop();
      await fleet.settle(ids);
      const times: number[] = [];
      for (let n = 0; n < 5; n++) {
        const start = performance.now();
        const one = await fleet.submit(1, { steps: 1, ms: 1 });
        await fleet.settle(one);
        times.push(since(start));
        ids.push(...one);
      }
      await fleet.nats!.nodes[0]!.start();
      const account = await fleet.account(ids);
      expect(account).toEqual({ states: { done: 105 }, effects: 405, doubled: 0, unfounded: 0, unknown: 0, repeated: 0 });
      return { ms: Math.max(...times), ...account };
    },
  },
  {
    name: "all NATS servers stop, and tasks are found by looking",
    buses: ["nats"],
    async run(fleet) {
      for (const node of fleet.nats!.nodes) await node.stop();
      const start = performance.now();
      const ids = await fleet.submit(40, { steps: 2, ms: 5 });
      await fleet.settle(ids);
      const ms = since(start);
      const account = await fleet.account(ids);
      for (const node of fleet.nats!.nodes) await node.start();
      expectSound(account);
      expect(account).toMatchObject({ states: { done: 40 }, unknown: 0, repeated: 0 });
      return { ms, ...account };
    },
  },
];
