import type { ConnectionActivity } from "./server-requests.ts";

/** Counts a request of ours while it is under way. When the last one is over nobody waits for an answer any more, and `idle` is told. */
export async function whileUnderWay<T>(doings: ConnectionActivity, idle: () => void, work: () => Promise<T>): Promise<T> {
  doings.calls++;
  try {
    return await work();
  } finally {
    if (--doings.calls === 0) {
      doings.over.abort();
      doings.over = new AbortController();
      idle();
    }
  }
}
