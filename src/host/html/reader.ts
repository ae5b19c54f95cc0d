import { ToolError } from "../../core/error.ts";
import type { ThreadLimits } from "../thread.ts";
import type { HtmlReader, ReadItems, ReadPage } from "../web/reader.ts";
import type { ReadJob } from "./job.ts";
import { bodyKind } from "./kind.ts";
import { openReadingThread } from "./thread.ts";

const LIMITS: Omit<ThreadLimits, "waiting"> & { readonly bytes: number } = {
  timeMs: 10_000,
  memoryMb: 512,
  idleMs: 5 * 60_000,
  jobs: 500,
  bytes: 16 * 1024 * 1024,
};
/** Text that is shown as it is, and no longer than this, is decoded on the spot. */
const SMALL = 256 * 1024;

/** Reads pages in a thread of its own, which starts with the first one. What is no text never gets there. */
export function openHtmlReader(limits: Partial<typeof LIMITS> = {}): HtmlReader {
  const { bytes, ...rest } = { ...LIMITS, ...limits };
  const thread = openReadingThread(rest);
  const run = async (job: ReadJob, signal: AbortSignal): Promise<ReadPage | ReadItems> => {
    if (job.body.length > bytes)
      throw new ToolError("permanent_failure", `The page is ${job.body.length} bytes long; at most ${bytes} can be read.`);
    const answer = await thread.run(job, signal);
    if ("error" in answer) throw new ToolError(answer.error.category, answer.error.message);
    return answer.value;
  };
  return {
    async page(body, { type, charset, url }, as, signal) {
      if (isEmpty(body)) return { title: null, text: "", empty: true } satisfies ReadPage;
      const source = { kind: bodyKind(type, body), charset, url };
      if (source.kind !== "html" && body.length <= SMALL) return (await import("./read-text.ts")).readPlainText(body, source);
      return (await run({ body, source, work: { kind: "page", as } }, signal)) as ReadPage;
    },
    async select(body, { type, charset, url }, query, signal) {
      if (isEmpty(body)) return { items: [], more: false, title: null, elements: 0, empty: true } satisfies ReadItems;
      const source = { kind: bodyKind(type, body), charset, url };
      return (await run({ body, source, work: { kind: "select", query } }, signal)) as ReadItems;
    },
    close: () => thread.close(),
  };
}

/** Whatever its type: of nothing, nothing can be read wrongly. */
const isEmpty = (body: Uint8Array): boolean => body.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
