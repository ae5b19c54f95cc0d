import type { Worker } from "node:worker_threads";
import { ToolError } from "../../core/error.ts";
import type { Answer, Job } from "./job.ts";

export interface ThreadLimits {
  /** For one page. A thread that takes longer is ended. */
  readonly timeMs: number;
  readonly memoryMb: number;
  /** An idle thread is ended after this. */
  readonly idleMs: number;
  /** After so many pages the next one gets a new thread: whatever it has gathered goes with it. */
  readonly pages: number;
}
export interface Thread {
  run(job: Job, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

const CLOSED = "The runtime was closed before the page was read.";
/** Beyond this many waiting pages, something is wrong. */
const MOST_WAITING = 256;

/** One thread, started with the first page and kept warm. Pages go through it one by one; one that crashes or hangs it takes only itself along. */
export function readingThread({ timeMs, memoryMb, idleMs, pages }: ThreadLimits): Thread {
  let worker: Promise<Worker> | null = null;
  let running: Worker | null = null;
  let served = 0;
  let waiting = 0;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    clearTimeout(idle);
    const ending = worker;
    worker = running = null;
    served = 0;
    await (await ending?.catch(() => null))?.terminate();
  };

  const one = async (job: Job, signal: AbortSignal): Promise<Answer> => {
    if (closed) throw new ToolError("cancelled", CLOSED);
    signal.throwIfAborted();
    clearTimeout(idle);
    worker ??= start(memoryMb, (gone) => {
      if (running === gone) worker = running = null;
    });
    const thread = await worker.catch((error) => {
      worker = null;
      throw new ToolError("permanent_failure", `Pages cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    });
    running = thread;
    const answer = await exchange(thread, job, timeMs, signal).catch(async (error) => {
      await end();
      throw closed ? new ToolError("cancelled", CLOSED) : error;
    });
    if (++served >= pages) await end();
    else {
      idle = setTimeout(() => void end(), idleMs);
      idle.unref();
    }
    return answer;
  };

  return {
    run(job, signal) {
      if (waiting >= MOST_WAITING) return Promise.reject(new ToolError("server_error", "Too many pages are waiting to be read."));
      waiting++;
      const mine = last.then(() => one(job, signal)).finally(() => waiting--);
      last = mine.catch(() => {});
      return mine;
    },
    async close() {
      closed = true;
      await end();
    },
  };
}

async function start(memoryMb: number, onGone: (worker: Worker) => void): Promise<Worker> {
  const { Worker: Started } = await import("node:worker_threads");
  // Beside this file wherever it lies: in the library, in the command's bundle, and built there before tests.
  const worker = new Started(new URL("./html-worker.js", import.meta.url), {
    // A tree is young for as long as it lives: with room for it the collector has half the work.
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 256, stackSizeMb: 4 },
    // A page has no business with the person's variables or options, nor with the terminal.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  worker.unref();
  // Between two pages nobody else listens.
  worker.on("error", () => {}).on("exit", () => onGone(worker));
  return worker;
}

function exchange(worker: Worker, job: Job, timeMs: number, signal: AbortSignal): Promise<Answer> {
  return new Promise<Answer>((resolve, reject) => {
    const slow = `The page took longer than ${timeMs / 1000} s to read${job.work.kind === "select" ? " with this selector" : ""} and was given up.`;
    const timer = setTimeout(() => settle(() => reject(new ToolError("permanent_failure", slow))), timeMs);
    const onMessage = (answer: Answer) => settle(() => resolve(answer));
    const onError = (error: unknown) => settle(() => reject(new ToolError("permanent_failure", crash(error))));
    const onExit = () => settle(() => reject(new ToolError("permanent_failure", crash(null))));
    const onAbort = () => settle(() => reject(signal.reason));
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      worker.off("message", onMessage).off("error", onError).off("exit", onExit);
      signal.removeEventListener("abort", onAbort);
      worker.unref();
      finish();
    };
    worker.on("message", onMessage).on("error", onError).on("exit", onExit);
    signal.addEventListener("abort", onAbort);
    worker.ref();
    // The body changes hands; one that lies in a larger buffer is copied first.
    const body = job.body.length === job.body.buffer.byteLength && job.body.length > 0 ? job.body : new Uint8Array(job.body);
    worker.postMessage({ ...job, body }, [body.buffer as ArrayBuffer]);
  });
}

const crash = (error: unknown): string =>
  (error as { code?: string } | null)?.code === "ERR_WORKER_OUT_OF_MEMORY"
    ? "The page needs more memory than reading one may take."
    : "The page could not be read: it broke the reader, which starts anew for the next one.";
