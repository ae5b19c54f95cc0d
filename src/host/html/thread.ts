import { ToolError } from "../../core/error.ts";
import { openThread, type ThreadLimits } from "../thread.ts";
import type { ReadAnswer, ReadJob } from "./job.ts";

export interface ReadingThread {
  run(job: ReadJob, signal: AbortSignal): Promise<ReadAnswer>;
  close(): Promise<void>;
}

/** The thread that reads pages. */
export function openReadingThread(limits: Omit<ThreadLimits, "waiting">): ReadingThread {
  // Beside this file wherever it lies: in the library, in the command's bundle, and built there before tests.
  const thread = openThread(new URL("./html-worker.js", import.meta.url), { ...limits, waiting: MOST_WAITING }, WORDS);
  const slow = `longer than ${limits.timeMs / 1000} s`;
  return {
    async run(job, signal) {
      const isSelector = job.work.kind === "select";
      const tooSlow = isSelector
        ? `The selector took ${slow} on this page and was given up. Use a simpler one.`
        : `The page took ${slow} to read and was given up.`;
      try {
        return await thread.run(
          async ({ post, next }) => {
            // The body changes hands; one that lies in a larger buffer is copied first.
            const body = job.body.length === job.body.buffer.byteLength && job.body.length > 0 ? job.body : new Uint8Array(job.body);
            post({ ...job, body }, [body.buffer as ArrayBuffer]);
            return (await next()) as ReadAnswer;
          },
          tooSlow,
          signal,
        );
      } catch (error) {
        // A page is what it is; a selector can be written otherwise.
        if (isSelector && error instanceof ToolError && error.message === tooSlow) throw new ToolError("invalid_parameters", tooSlow);
        throw error;
      }
    },
    close: () => thread.close(),
  };
}

const MOST_WAITING = 256;
const WORDS = {
  closed: "The runtime was closed before the page was read.",
  full: "Too many pages are waiting to be read.",
  noStart: "Pages cannot be read",
  outOfMemory: "The page needs more memory than reading one may take.",
  crashed: "The page could not be read: it broke the reader, which starts again for the next page.",
};
