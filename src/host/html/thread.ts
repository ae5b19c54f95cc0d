import { openThread, type ThreadLimits } from "../thread.ts";
import type { Answer, Job } from "./job.ts";

export interface ReadingThread {
  run(job: Job, signal: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** The thread that reads pages. */
export function openReadingThread(limits: Omit<ThreadLimits, "waiting">): ReadingThread {
  // Beside this file wherever it lies: in the library, in the command's bundle, and built there before tests.
  const thread = openThread(new URL("./html-worker.js", import.meta.url), { ...limits, waiting: MOST_WAITING }, WORDS);
  return {
    run: (job, signal) =>
      thread.run(
        async ({ post, next }) => {
          // The body changes hands; one that lies in a larger buffer is copied first.
          const body = job.body.length === job.body.buffer.byteLength && job.body.length > 0 ? job.body : new Uint8Array(job.body);
          post({ ...job, body }, [body.buffer as ArrayBuffer]);
          return (await next()) as Answer;
        },
        `The page took longer than ${limits.timeMs / 1000} s to read${job.work.kind === "select" ? " with this selector" : ""} and was given up.`,
        signal,
      ),
    close: thread.close,
  };
}

const MOST_WAITING = 256;
const WORDS = {
  closed: "The runtime was closed before the page was read.",
  full: "Too many pages are waiting to be read.",
  noStart: "Pages cannot be read",
  outOfMemory: "The page needs more memory than reading one may take.",
  crashed: "The page could not be read: it broke the reader, which starts anew for the next one.",
};
