import type { Store } from "../core/ports/store.ts";
import { anchors } from "./audit/anchors.ts";
import { conversations } from "./conversations.ts";
import { goals } from "./goals.ts";
import { memories } from "./memory/memories.ts";
import { overflow } from "./overflow.ts";
import { pins } from "./pins.ts";
import { reputation } from "./reputation.ts";
import { schedule } from "./schedule.ts";
import { openSqlite } from "./sqlite/sqlite.ts";
import { strangerWrites } from "./stranger-writes.ts";
import { summaries } from "./summaries.ts";
import { trajectories } from "./trajectories.ts";
import { trust } from "./trust.ts";

/** What is kept between runs, in one SQLite file, or in memory for as long as it is open. */
export function openStore(path: string | "memory"): Store {
  const db = openSqlite(path);
  const { finishExpiry, ...texts } = overflow(db);
  return {
    conversations: conversations(db),
    trust: trust(db),
    anchors: anchors(db),
    overflow: texts,
    reputation: reputation(db),
    memories: memories(db),
    summaries: summaries(db),
    goals: goals(db),
    schedule: schedule(db),
    trajectories: trajectories(db),
    pins: pins(db),
    strangerWrites: strangerWrites(db),
    async close() {
      finishExpiry();
      db.close();
    },
  };
}
