import type { Reputation } from "../core/ports/store.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

/** One row a model. */
export function createReputation(db: Sqlite): Reputation {
  const add = db.statement(
    "insert into reputation (model, good, bad) values (?, ?, ?) on conflict (model) do update set good = good + excluded.good, bad = bad + excluded.bad",
  );
  const get = db.statement("select good, bad from reputation where model = ?");
  return {
    add: async (model, { good, bad }) => void add.run(model, good, bad),
    get: async (model) => {
      const row = get.get(model);
      return { good: (row?.good as number | undefined) ?? 0, bad: (row?.bad as number | undefined) ?? 0 };
    },
  };
}
