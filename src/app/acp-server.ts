import { Readable } from "node:stream";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";

export { serveEditor } from "../acp/serve.ts";
export { editorDesk } from "./acp.ts";

/** No message of an editor is longer than this: a line without an end must not fill the memory. */
const LONGEST_MESSAGE = 16 * 1024 * 1024;

/** One message a line. What we say goes straight out: the way through a web stream costs more than the message. */
export function editorStream(output: NodeJS.WritableStream, input: Readable): Stream {
  const put = (line: string | Uint8Array): Promise<void> | undefined => (output.write(line) ? undefined : room(output));
  const bytes = Readable.toWeb(input) as ReadableStream<Uint8Array>;
  const { readable } = ndJsonStream(new WritableStream({ write: put }), bytes, { maxMessageBytes: LONGEST_MESSAGE });
  return { readable, writable: new WritableStream({ write: (message) => put(`${JSON.stringify(message)}\n`) }) };
}

/** Until the editor has read some of it, or is gone. */
const room = (output: NodeJS.WritableStream): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      for (const name of ENDS) output.off(name, go);
      resolve();
    };
    for (const name of ENDS) output.once(name, go);
  });
const ENDS = ["drain", "close", "error"] as const;
