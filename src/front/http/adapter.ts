import type { IncomingMessage, ServerResponse } from "node:http";
import { waitWithin } from "../../text/wait-within.ts";
import type { RequestRefusal } from "./guard.ts";

/** A client that takes nothing for so long is gone. */
const STALLED_MS = 60_000;

/** Node's request as the web has it, without the body. Its signal fires when the client goes before it has its answer. */
export function webRequest(request: IncomingMessage, response: ServerResponse, url: URL): Request {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
  return new Request(url, { method: request.method ?? "GET", headers, signal: gone.signal });
}

/** The body as JSON, or why there is none: it may have `most` bytes. */
export async function jsonBody(request: IncomingMessage, most: number): Promise<{ readonly body: unknown } | RequestRefusal> {
  if (Number(request.headers["content-length"] ?? 0) > most) return tooLarge(most);
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > most) return tooLarge(most);
    pieces.push(piece);
  }
  try {
    return { body: JSON.parse(Buffer.concat(pieces).toString("utf8")) };
  } catch {
    return { status: 400, message: "Parse error: the body is not JSON." };
  }
}

/** What is left of the body is not read, so the connection cannot be used again. */
const tooLarge = (most: number): RequestRefusal => ({
  status: 413,
  message: `The body is larger than ${most / 1024 / 1024} MiB.`,
  headers: { connection: "close" },
});

/** Sends the answer piece by piece, no faster than the client takes it. */
export async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (!answer.body) return void response.end();
  response.flushHeaders();
  const reader = answer.body.getReader();
  const closed = new Promise<"closed">((resolve) => response.once("close", () => resolve("closed")));
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), closed]);
      if (next === "closed") return;
      if (next.done) return void response.end();
      if (response.write(next.value)) continue;
      if (!(await drained(response, closed))) return void response.destroy();
    }
  } finally {
    // The writer of the stream learns that nobody reads it.
    await reader.cancel().catch(() => {});
  }
}

/** Whether a client takes what was written before it counts as gone. */
export function drained(response: ServerResponse, closed: Promise<unknown>): Promise<boolean> {
  const taken = new Promise<boolean>((resolve) => void response.once("drain", () => resolve(true)));
  return waitWithin(Promise.race([taken, closed.then(() => false)]), STALLED_MS, false);
}
