import { parentPort } from "node:worker_threads";
import { ToolError } from "../../core/error.ts";
import type { ReadAnswer, ReadJob } from "./job.ts";
import { readPage, selectIn } from "./read.ts";

// The thread that reads pages. It holds nothing between two of them, and whatever it does, it can be ended.
parentPort!.on("message", (job: ReadJob) => parentPort!.postMessage(answer(job)));

function answer({ body, source, work }: ReadJob): ReadAnswer {
  try {
    return { value: work.kind === "page" ? readPage(body, source, work.as) : selectIn(body, source, work.query) };
  } catch (error) {
    if (error instanceof ToolError) return { error: { category: error.category, message: error.message } };
    const deep = error instanceof RangeError;
    return {
      error: {
        category: "permanent_failure",
        message: deep
          ? "The page is nested too deeply to be read."
          : `The page could not be read: ${error instanceof Error ? error.message : String(error)}`,
      },
    };
  }
}
