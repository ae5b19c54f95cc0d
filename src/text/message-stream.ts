import { type Readable, Transform } from "node:stream";
import { JsonLines } from "./json-lines.ts";

/**
 * The same messages, one a line, without those that are too long. A request of that kind is refused by an error that goes to whoever sent it; for an
 * answer the reader finds an error in its place, so that nobody waits for it for ever.
 */
export function boundMessages(input: Readable, most: number, refuse: (line: string) => void): Readable {
  const lines = new JsonLines(most);
  const why = `The message is longer than ${most / 1024 / 1024} MiB and was not read. Send it in parts, or put what is long into a file.`;
  const bounded = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      for (const line of lines.read(chunk)) {
        if ("text" in line) this.push(`${line.text}\n`);
        else if (line.tooLong.kind === "answer" && line.tooLong.id !== null) this.push(errorLine(line.tooLong.id, why));
        else refuse(errorLine(line.tooLong.id, why));
      }
      done();
    },
  });
  // A pipe that breaks has no end of its own.
  input.once("close", () => bounded.end());
  input.once("error", (error) => bounded.destroy(error));
  return input.pipe(bounded);
}

const INVALID_REQUEST = -32_600;

const errorLine = (id: string | number | null, message: string): string =>
  `${JSON.stringify({ jsonrpc: "2.0", id, error: { code: INVALID_REQUEST, message } })}\n`;
