import type { Store } from "../../core/ports/store.ts";
import { createSharedConversations } from "./parts/conversations.ts";
import type { FenceNow } from "./parts/fence.ts";
import { createSharedGoals } from "./parts/goals.ts";
import { createSharedMemories } from "./parts/memories.ts";
import { createSharedOpenQuestions } from "./parts/open-questions.ts";
import { createSharedOverflow } from "./parts/overflow.ts";
import { createSharedPins } from "./parts/pins.ts";
import { createSharedReputation } from "./parts/reputation.ts";
import { createSharedSavings } from "./parts/savings.ts";
import { createSharedSchedule } from "./parts/schedule.ts";
import { createSharedSummaries } from "./parts/summaries.ts";
import { createSharedTrajectories } from "./parts/trajectories.ts";
import type { Transactions } from "./pg.ts";

/** The parts of a store that machines share. */
export type SharedParts = Omit<Store, "trust" | "anchors" | "strangerWrites" | "sessionMemory" | "close">;

export const createSharedParts = (db: Transactions, fence: FenceNow): SharedParts => ({
  conversations: createSharedConversations(db, fence),
  overflow: createSharedOverflow(db, fence),
  reputation: createSharedReputation(db),
  memories: createSharedMemories(db, fence),
  summaries: createSharedSummaries(db, fence),
  goals: createSharedGoals(db, fence),
  schedule: createSharedSchedule(db, fence),
  trajectories: createSharedTrajectories(db),
  pins: createSharedPins(db),
  openQuestions: createSharedOpenQuestions(db, fence),
  savings: createSharedSavings(db),
});
