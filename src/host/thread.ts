import type { Worker } from "node:worker_threads";
import { ToolError } from "../core/error.ts";
import { ownFile } from "../files/own-place.ts";
import { createQueue } from "../text/queue.ts";

export interface ThreadLimits {
  /** For one job. A thread that takes longer is ended. */
  readonly timeMs: number;
  readonly memoryMb: number;
  /** An idle thread is ended after this. */
  readonly idleMs: number;
  /** After so many jobs the next one gets a new thread: whatever it has gathered goes with it. */
  readonly jobs: number;
  /** Beyond this many waiting jobs, something is wrong. */
  readonly waiting: number;
}

/** What is said when a job cannot be done. */
export interface ThreadWords {
  readonly closed: string;
  readonly full: string;
  readonly noStart: string;
  readonly outOfMemory: string;
  readonly crashed: string;
}

/** One exchange of messages with the thread. */
export interface ThreadWire {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** The next message of the thread. */
  next(): Promise<unknown>;
}

export interface Thread {
  /** `slow` is said when the time is over. */
  run<T>(talk: (wire: ThreadWire) => Promise<T>, slow: string, signal: AbortSignal): Promise<T>;
  /** Jobs that run or wait. */
  readonly busy: number;
  close(): Promise<void>;
}

/** One thread, started with the first job and kept warm. Jobs go through it one by one; one that crashes or hangs it takes only itself along. */
export function openThread(file: URL, { timeMs, memoryMb, idleMs, jobs, waiting: most }: ThreadLimits, words: ThreadWords): Thread {
  let worker: Promise<Worker> | null = null;
  let running: Worker | null = null;
  let served = 0;
  let waiting = 0;
  let closed = false;
  const queue = createQueue();
  let idle: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = worker;
    worker = running = null;
    served = 0;
    await (await ending?.catch(() => null))?.terminate();
  };

  const one = async <T>(talk: (wire: ThreadWire) => Promise<T>, slow: string, signal: AbortSignal): Promise<T> => {
    if (closed) throw new ToolError("cancelled", words.closed);
    signal.throwIfAborted();
    clearTimeout(idle);
    worker ??= start(file, memoryMb, (gone) => {
      if (running === gone) worker = running = null;
    });
    const thread = await worker.catch((error) => {
      worker = null;
      throw new ToolError("permanent_failure", `${words.noStart}: ${error instanceof Error ? error.message : String(error)}`);
    });
    running = thread;
    const answer = await exchange(thread, talk, { timeMs, slow, words }, signal).catch(async (error) => {
      await end();
      throw closed ? new ToolError("cancelled", words.closed) : error;
    });
    if (++served >= jobs) await end();
    else {
      idle = setTimeout(() => void end(), idleMs);
      idle.unref();
    }
    return answer;
  };

  return {
    get busy() {
      return waiting;
    },
    run(talk, slow, signal) {
      if (waiting >= most) return Promise.reject(new ToolError("server_error", words.full));
      waiting++;
      return queue(() => one(talk, slow, signal)).finally(() => waiting--);
    },
    async close() {
      closed = true;
      await end();
    },
  };
}

async function start(file: URL, memoryMb: number, onGone: (worker: Worker) => void): Promise<Worker> {
  const { Worker: Started } = await import("node:worker_threads");
  const worker = new Started(ownFile(file), {
    // What a job makes is young for as long as it lives: with room for it the collector has half the work.
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 256, stackSizeMb: 4 },
    // A text has no business with the person's variables or options, nor with the terminal.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  worker.unref();
  // Between two jobs nobody else listens.
  worker.on("error", () => {}).on("exit", () => onGone(worker));
  return worker;
}

function exchange<T>(
  worker: Worker,
  talk: (wire: ThreadWire) => Promise<T>,
  { timeMs, slow, words }: { readonly timeMs: number; readonly slow: string; readonly words: ThreadWords },
  signal: AbortSignal,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const heard: unknown[] = [];
    let listener: ((message: unknown) => void) | null = null;
    const timer = setTimeout(() => settle(() => reject(new ToolError("permanent_failure", slow))), timeMs);
    const onMessage = (message: unknown) => {
      if (!listener) return void heard.push(message);
      const tell = listener;
      listener = null;
      tell(message);
    };
    const onError = (error: unknown) => settle(() => reject(new ToolError("permanent_failure", crash(error, words))));
    const onExit = () => settle(() => reject(new ToolError("permanent_failure", words.crashed)));
    const onAbort = () => settle(() => reject(signal.reason));
    let settled = false;
    const settle = (finish: () => void) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      signal.removeEventListener("abort", onAbort);
      worker.unref();
      finish();
    };
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    signal.addEventListener("abort", onAbort);
    worker.ref();
    talk({
      post(message, transfer = []) {
        if (!settled) worker.postMessage(message, transfer);
      },
      next: () =>
        new Promise((tell) => {
          if (heard.length > 0) tell(heard.shift());
          else listener = tell;
        }),
    }).then(
      (answer) => settle(() => resolve(answer)),
      (error) => settle(() => reject(error)),
    );
  });
}

const crash = (error: unknown, words: ThreadWords): string =>
  (error as { code?: string } | null)?.code === "ERR_WORKER_OUT_OF_MEMORY" ? words.outOfMemory : words.crashed;
