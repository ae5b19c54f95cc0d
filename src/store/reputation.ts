import type { Reputation } from "../core/ports/store.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";

/** One row a model. */
export function createReputation(db: Sqlite): Reputation {
  const add = db.statement(
    "insert into reputation (model, good, bad) values (?, ?, ?) on conflict (model) do update set good = good + excluded.good, bad = bad + excluded.bad",
  );
  const get = db.statement<{ good: number; bad: number }>("select good, bad from reputation where model = ?");
  return {
    add: async (model, { good, bad }) => void add.run(model, good, bad),
    get: async (model) => get.get(model) ?? { good: 0, bad: 0 },
  };
}
