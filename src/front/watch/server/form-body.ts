import type { IncomingMessage } from "node:http";
import type { RequestRefusal } from "../../http/guard.ts";

const MOST_BYTES = 128 * 1024;
const MOST_FIELDS = 50;

/** What a form posted, or why it is not taken. */
export async function readForm(request: IncomingMessage): Promise<{ readonly form: URLSearchParams } | RequestRefusal> {
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(request.headers["content-type"] ?? ""))
    return { status: 415, message: "Only forms are taken." };
  if (Number(request.headers["content-length"] ?? 0) > MOST_BYTES) return TOO_LONG;
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > MOST_BYTES) return TOO_LONG;
    pieces.push(piece);
  }
  const form = new URLSearchParams(Buffer.concat(pieces).toString("utf8"));
  return form.size > MOST_FIELDS ? { status: 400, message: "The form has too many fields." } : { form };
}

/** What is left of the body is not read, so the connection cannot be used again. */
const TOO_LONG: RequestRefusal = {
  status: 413,
  message: `The form is larger than ${MOST_BYTES / 1024} KiB.`,
  headers: { connection: "close" },
};
