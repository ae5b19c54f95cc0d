import type { TextJob, Worked } from "../core/ports/texts.ts";
import { filterOutput } from "../filters/output.ts";
import { serveTexts } from "../host/texts/serve.ts";
import { runCleanJob } from "../pipeline/clean-job.ts";
import type { FilterJob } from "./filter/filters.ts";

// The thread that works on long texts.
serveTexts((job, texts) => WORK[job.kind]!(job, texts));

const WORK: Readonly<Record<string, (job: TextJob, texts: readonly string[]) => Worked>> = { clean: runCleanJob, filter };

function filter(job: TextJob, [raw = ""]: readonly string[]): Worked {
  const { text, ...answer } = filterOutput({ ...(job as FilterJob).request, raw });
  return { answer, texts: [text] };
}
