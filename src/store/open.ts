import type { Store } from "../core/ports/store.ts";
import { createAnchors } from "./audit/anchors.ts";
import { createConversations } from "./conversations.ts";
import { createGoals } from "./goals.ts";
import { createMemories } from "./memory/memories.ts";
import { createOpenQuestions } from "./open-questions.ts";
import { createOverflow } from "./overflow.ts";
import { createPins } from "./pins.ts";
import { createReputation } from "./reputation.ts";
import { createSavings } from "./savings.ts";
import { createSchedule } from "./schedule.ts";
import { createSessionMemory } from "./session-memory.ts";
import { openSqlite } from "./sqlite/sqlite.ts";
import { createStrangerWrites } from "./stranger-writes.ts";
import { createSummaries } from "./summaries.ts";
import { createTrajectories } from "./trajectories.ts";
import { createTrustRecords } from "./trust.ts";

/** What is kept between runs, in one SQLite file, or in memory for as long as it is open. */
export function openStore(path: string | "memory"): Store {
  const db = openSqlite(path);
  const { finishExpiry, ...texts } = createOverflow(db);
  return {
    conversations: createConversations(db),
    trust: createTrustRecords(db),
    anchors: createAnchors(db),
    overflow: texts,
    reputation: createReputation(db),
    memories: createMemories(db),
    summaries: createSummaries(db),
    goals: createGoals(db),
    schedule: createSchedule(db),
    trajectories: createTrajectories(db),
    pins: createPins(db),
    strangerWrites: createStrangerWrites(db),
    openQuestions: createOpenQuestions(db),
    savings: createSavings(db),
    sessionMemory: createSessionMemory(db),
    async close() {
      finishExpiry();
      db.close();
    },
  };
}
