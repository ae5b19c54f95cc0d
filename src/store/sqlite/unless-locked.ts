import { setTimeout } from "node:timers/promises";
import { isLocked } from "./error.ts";

/** SQLite waits with the whole process standing still, so it waits briefly and we wait for the rest. */
export const PATIENCE_MS = 20;
const PAUSE_MS = 25;
const TRIES = 100;

/** For a statement with that patience: tried again while another process writes. */
export async function unlessLocked<T>(work: () => T): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || tries === TRIES) throw error;
      await setTimeout(PAUSE_MS);
    }
  }
}
