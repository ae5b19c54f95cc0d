import type { Trajectories } from "../core/store.ts";
import type { Sqlite } from "./sqlite.ts";

export function trajectories(_db: Sqlite): Trajectories {
  return {
    add: async (trajectory) => ({ ...trajectory, id: "", createdAt: Date.now() }),
    bad: async () => [],
    judge: async () => null,
    count: async () => ({ ok: 0, error: 0, violation: 0, unacceptable: 0 }),
    expire: async () => 0,
  };
}
