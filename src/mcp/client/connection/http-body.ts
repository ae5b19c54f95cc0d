import { type Transformer, TransformStream } from "node:stream/web";
import { MOST_BYTES } from "./stdio.ts";

/** The same response, whose body ends in an error where one message of it is too long. */
export function boundBody(response: Response): Response {
  if (response.body === null) return response;
  const events = response.headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") ?? false;
  const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(events ? perEvent() : inAll()));
  const same = new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  // The SDK looks where a redirect began.
  Object.defineProperty(same, "url", { value: response.url });
  return same;
}

const tooLong = () => new Error(`It sent a message of more than ${MOST_BYTES / 1024 / 1024} MiB.`);

function inAll(): Transformer<Uint8Array, Uint8Array> {
  let length = 0;
  return {
    transform(chunk, controller) {
      length += chunk.length;
      if (length > MOST_BYTES) controller.error(tooLong());
      else controller.enqueue(chunk);
    },
  };
}

/** A stream of events may be long; the lines from one empty line to the next may not. */
function perEvent(): Transformer<Uint8Array, Uint8Array> {
  let length = 0;
  let line = 0;
  let only = 0;
  return {
    transform(chunk, controller) {
      for (let from = 0; from < chunk.length; ) {
        const end = chunk.indexOf(LF, from);
        const until = end === -1 ? chunk.length : end;
        if (until > from) only = chunk[until - 1]!;
        line += until - from;
        length += until - from + 1;
        if (length > MOST_BYTES) return controller.error(tooLong());
        if (end !== -1) {
          if (line === 0 || (line === 1 && only === CR)) length = 0;
          line = 0;
        }
        from = until + 1;
      }
      controller.enqueue(chunk);
    },
  };
}

const LF = 10;
const CR = 13;
