// Apart from app.ts, so that a small command does not load every rule.
import { LONG_TEXT, type TextJob, type Texts } from "../../core/ports/texts.ts";
import { NEVER } from "../../core/tool.ts";
import { filtersConfig } from "../../filters/config.ts";
import { type FilteredOutput, type FilterRequest, filterOutput } from "../../filters/output.ts";
import { openTextThreads } from "../texts.ts";

export { type FilteredOutput, type FilterRequest, filterOutput };

/** What the thread is asked for. The text goes beside it. */
export interface FilterJob extends TextJob {
  readonly kind: "filter";
  readonly request: Omit<FilterRequest, "raw">;
}

/** The thread rests by itself, and holds no process open. */
let threads: Texts | undefined;

/**
 * As `filterOutput`, but a long output is worked on in a thread, so that the event loop goes on. Rejects when that fails, takes longer than it may
 * or is cancelled: a text that was not searched for secrets is not handed on.
 */
export async function filterOutputAsync(
  { raw, ...request }: FilterRequest,
  { signal = NEVER }: { readonly signal?: AbortSignal } = {},
): Promise<FilteredOutput> {
  if (raw.length <= LONG_TEXT) return filterOutput({ raw, ...request });
  // What is wrong with them is thrown here as it is there.
  filtersConfig().parse(request.filters ?? {});
  threads ??= openTextThreads();
  const job: FilterJob = { kind: "filter", request };
  const { answer, texts } = await threads.work(job, [raw], signal);
  return { ...(answer as Omit<FilteredOutput, "text">), text: texts[0]! };
}
