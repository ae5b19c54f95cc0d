import { expect } from "vitest";
import type { NewTask } from "../../../src/fleet/task.ts";
import { expectSound, type Scenario, since } from "./scenario.ts";

const task = (key: string, text: string, more: Partial<NewTask> = {}): NewTask => ({ key, payload: { format: 1, text }, ...more });
let made = 0;

/** Who comes when, and how many at a time. */
export const ORDER_SCENARIOS: readonly Scenario[] = [
  {
    name: "the same keys from six at once are the same tasks",
    async run(fleet) {
      const round = made++;
      const tasks = Array.from({ length: 50 }, (_, n) => task(`same-${round}-${n}`, '{"steps":2,"ms":2}'));
      const answers = (await Promise.all(Array.from({ length: 6 }, () => fleet.queue.submit(tasks)))).flat();
      const ids = [...new Set(answers.map(({ id }) => id))];
      expect(ids).toHaveLength(50);
      expect(answers.filter(({ isNew }) => isNew)).toHaveLength(50);
      await fleet.settle(ids);
      const account = await fleet.account(ids);
      expect(account).toEqual({ states: { done: 50 }, effects: 100, doubled: 0, unfounded: 0, unknown: 0, repeated: 0 });
      return account;
    },
  },
  {
    name: "tasks of a session follow each other in their order",
    async run(fleet) {
      const ids = await fleet.submit(30, { steps: 1, ms: 3 }, { session: `one-session-${made++}` });
      await fleet.settle(ids);
      const account = await fleet.account(ids);
      expectSound(account);
      const rows = await fleet.db.all("select id, started_at, ended_at from tasks where id = any (?::uuid[]) order by ended_at", ids);
      expect(rows.map(({ id }) => id)).toEqual(ids);
      for (const [n, row] of rows.entries()) if (n > 0) expect(row.started_at >= rows[n - 1]!.ended_at).toBe(true);
      return account;
    },
  },
  {
    name: "a small tenant is served while a big one waits",
    async run(fleet) {
      const [big, small] = [fleet.queueOf(`big-${made}`), fleet.queueOf(`small-${made++}`)];
      const text = '{"steps":1,"ms":20}';
      await big.submit(Array.from({ length: 400 }, (_, n) => task(`b-${n}`, text)));
      const start = performance.now();
      await small.submit(Array.from({ length: 10 }, (_, n) => task(`s-${n}`, text)));
      while ((await small.status()).counts.done < 10);
      const ms = since(start);
      const { counts } = await big.status();
      expect(counts.queued).toBeGreaterThan(200);
      while ((await big.status()).counts.done < 400);
      return { ms };
    },
  },
  {
    name: "a limit of four is never five",
    async run(fleet) {
      const key = `provider-${made++}`;
      await fleet.queue.setLimit(key, 4);
      const ids = await fleet.submit(60, { steps: 2, ms: 10 }, { limit: key });
      await fleet.settle(ids);
      const row = await fleet.db.one(
        `select max(together) as most from (
           select (select count(*) from tasks o where o.limit_key = t.limit_key and o.started_at <= t.started_at and o.ended_at > t.started_at) as together
           from tasks t where t.limit_key = ?) counted`,
        key,
      );
      const account = await fleet.account(ids);
      expectSound(account);
      expect(account.states).toEqual({ done: 60 });
      expect(row!.most).toBe(4);
      return account;
    },
  },
];
