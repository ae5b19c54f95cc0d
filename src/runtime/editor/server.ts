import { Readable } from "node:stream";
import { ndJsonStream, type Stream } from "@agentclientprotocol/sdk";
import { boundMessages } from "../../text/message-stream.ts";

export { serveEditor } from "../../front/acp/serve.ts";
export { createEditorAgents } from "./editor-agents.ts";

/** A line without an end must not fill the memory. A longer message is answered with an error. */
const LONGEST_MESSAGE = 16 * 1024 * 1024;

/** One message a line. What we say goes straight out: the way through a web stream costs more than the message. */
export function createEditorStream(output: NodeJS.WritableStream, input: Readable): Stream {
  const put = (line: string | Uint8Array): Promise<void> | undefined => (output.write(line) ? undefined : room(output));
  const bounded = boundMessages(input, LONGEST_MESSAGE, (line) => void put(line));
  const bytes = Readable.toWeb(bounded) as ReadableStream<Uint8Array>;
  // With room for the line's end: what is too long was left out before.
  const { readable } = ndJsonStream(new WritableStream({ write: put }), bytes, { maxMessageBytes: LONGEST_MESSAGE + 1024 });
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
