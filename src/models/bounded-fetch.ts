import { ModelError } from "../core/model-error.ts";
import { modelFetch } from "./model-fetch.ts";

/** A whole answer as it comes over the wire, one line of it (the last event of OpenAI repeats everything), and the text of a refusal. */
const LIMITS = { body: 64 * 1024 * 1024, line: 16 * 1024 * 1024, refusal: 256 * 1024 };

export interface BoundedFetch {
  readonly fetch: typeof fetch;
  /** Whether the other side began to answer with a yes. */
  answered(): boolean;
  /** Ends the answer here, as if the other side had closed it. */
  close(): void;
}

/** The `fetch` of one request. It tells of every chunk, and no answer can fill memory. */
export function openBoundedFetch(onChunk: () => void, limits = LIMITS): BoundedFetch {
  let answered = false;
  let close = () => {};
  return {
    answered: () => answered,
    close: () => close(),
    async fetch(input, init) {
      // A redirect would take the key along to a place nobody configured.
      const response = await modelFetch(input, { ...init, redirect: "manual" });
      onChunk();
      answered = response.ok;
      if (response.ok && /^text\/html\b/i.test(response.headers.get("content-type") ?? "")) {
        response.body?.cancel().catch(() => {});
        throw new ModelError("bad_request", "A web page came back, not an answer of a model. Check base_url.");
      }
      if (!response.body) return response;
      // Of a refusal the beginning is enough.
      const bounds = response.ok ? { max: limits.body, line: limits.line } : { max: limits.refusal, line: null };
      const body = bounded(response.body, { ...bounds, onChunk });
      close = body.close;
      return new Response(body.stream, response);
    },
  };
}

interface Bounds {
  readonly max: number;
  /** Null: too much is cut, and no failure. */
  readonly line: number | null;
  readonly onChunk: () => void;
}

function bounded(source: ReadableStream<Uint8Array>, { max, line, onChunk }: Bounds) {
  const reader = source.getReader();
  let total = 0;
  let sinceNewline = 0;
  let isOver = false;
  let control: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      control = controller;
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (isOver) return;
      if (done) {
        isOver = true;
        return controller.close();
      }
      onChunk();
      total += value.length;
      const newline = value.lastIndexOf(10);
      sinceNewline = newline === -1 ? sinceNewline + value.length : value.length - newline - 1;
      if (total > max || (line !== null && sinceNewline > line)) {
        isOver = true;
        reader.cancel().catch(() => {});
        if (line === null) return controller.close();
        throw new ModelError(
          "runaway",
          sinceNewline > line
            ? "A line of the answer has no end. Check base_url."
            : "More was sent than any answer can be. Check base_url.",
        );
      }
      controller.enqueue(value);
    },
    cancel(reason) {
      isOver = true;
      return reader.cancel(reason);
    },
  });
  return {
    stream,
    close() {
      if (isOver) return;
      isOver = true;
      control.close();
      reader.cancel().catch(() => {});
    },
  };
}
