import { waitWithin } from "../../text/wait-within.ts";
import { QueueFull, type TaskQueue } from "../queue.ts";
import type { KeyedBatchTask } from "./batch-line.ts";

export interface BatchFeed {
  /** In order; a few hundred are held at a time. */
  readonly tasks: AsyncIterable<KeyedBatchTask>;
  readonly maxQueued: number;
  /** Lines whose task failed or was cancelled are tried again; without it they stay as they are. */
  readonly failed?: "again";
  readonly signal: AbortSignal;
  readonly onProgress?: (counts: BatchCounts) => void;
  /** Too many wait; it is tried again. */
  readonly onFull?: () => void;
}

export interface BatchCounts {
  /** Lines that were given to the queue. */
  readonly given: number;
  /** Tasks that were not there before. */
  readonly fresh: number;
  /** Tasks that had failed or were cancelled, and wait again. */
  readonly again: number;
}

const AT_ONCE = 500;
const FOREVER_MS = 2 ** 31 - 1;
const PAUSE_MS = { least: 250, most: 5000 };

/** Puts a batch into the queue, some at a time, and waits where too many wait already. The same tasks again add nothing, so it can be stopped anywhere. */
export async function feedBatch(queue: Pick<TaskQueue, "submit" | "retry">, feed: BatchFeed): Promise<BatchCounts> {
  const { tasks, maxQueued, failed, signal, onProgress, onFull } = feed;
  let counts: BatchCounts = { given: 0, fresh: 0, again: 0 };
  let size = AT_ONCE;
  let pauseMs = PAUSE_MS.least;
  let held: KeyedBatchTask[] = [];
  const send = async () => {
    while (held.length > 0 && !signal.aborted) {
      const some = held.slice(0, size);
      try {
        // A server that is away is waited for. Whoever stops does not wait: the same lines again add nothing.
        const put = await waitWithin(queue.submit(some, { maxQueued }), FOREVER_MS, null, signal);
        if (put === null) return;
        const fresh = new Set(put.filter(({ isNew }) => isNew).map(({ id }) => id)).size;
        counts = { ...counts, fresh: counts.fresh + fresh };
        const known = put.filter(({ isNew }) => !isNew).map(({ key }) => key);
        const again = failed === "again" && known.length > 0 ? await queue.retry(known, { maxQueued }) : 0;
        counts = { ...counts, given: counts.given + some.length, again: counts.again + again };
        held = held.slice(some.length);
        size = Math.min(AT_ONCE, size * 2);
        pauseMs = PAUSE_MS.least;
        onProgress?.(counts);
      } catch (error) {
        if (!(error instanceof QueueFull)) throw error;
        // Fewer may fit.
        if (size > 1) {
          size = Math.ceil(Math.min(size, some.length) / 2);
          continue;
        }
        onFull?.();
        await waitWithin(new Promise(() => {}), pauseMs, undefined, signal);
        pauseMs = Math.min(PAUSE_MS.most, pauseMs * 2);
      }
    }
  };
  for await (const task of tasks) {
    if (signal.aborted) break;
    held.push(task);
    if (held.length === AT_ONCE) await send();
  }
  await send();
  return counts;
}
