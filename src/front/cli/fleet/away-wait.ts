import { isAway } from "../../../runtime/fleet/fleet-client.ts";
import { waitWithin } from "../../../text/wait-within.ts";

/** Waits through the time that a database is away: what was asked of the fleet goes on meanwhile, and the answer is there later. */
export interface AwayWait {
  /** Null: it could not be asked. Ask again, unless the signal is aborted. */
  ask<T>(question: () => Promise<T>): Promise<T | null>;
}

const PAUSE_MS = 1000;

export function createAwayWait(warn: (words: string) => void, signal: AbortSignal): AwayWait {
  let isTold = false;
  return {
    async ask(question) {
      try {
        const answer = await question();
        isTold = false;
        return answer;
      } catch (error) {
        if (!isAway(error)) throw error;
        if (!isTold) warn(`${(error as Error).message} Waiting for it; Ctrl-C ends the waiting.`);
        isTold = true;
        await waitWithin(new Promise(() => {}), PAUSE_MS, undefined, signal);
        return null;
      }
    },
  };
}
