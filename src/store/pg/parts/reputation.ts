import type { CallCounts, Reputation } from "../../../core/ports/store.ts";
import type { Transactions } from "../pg.ts";
import { createFencedWrites } from "./fence.ts";

export function createSharedReputation(db: Transactions): Reputation {
  const writes = createFencedWrites(db, () => null, "soon");
  return {
    add: async (model, { good, bad }) =>
      void (await writes.run(
        `insert into reputation as r (model, good, bad) select ?, ?, ? from fence
         on conflict (tenant, model) do update set good = r.good + excluded.good, bad = r.bad + excluded.bad`,
        model,
        good,
        bad,
      )),
    get: async (model) => (await db.one<CallCounts>("select good, bad from reputation where model = ?", model)) ?? { good: 0, bad: 0 },
  };
}
