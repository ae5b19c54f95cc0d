import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio as serveSdk } from "@modelcontextprotocol/server/stdio";
import { untilAborted } from "../../text/abort.ts";
import { boundMessages } from "../../text/message-stream.ts";
import type { McpSession } from "./session.ts";

export interface StdioParts {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly session: McpSession;
  readonly signal: AbortSignal;
  warn(message: string): void;
}

const MOST_MESSAGE = 4 * 1024 * 1024;

/** MCP over two pipes, whichever era the client speaks. Resolves when the client has left or the signal fires, with everything closed. */
export async function serveStdio({ stdin, stdout, session, signal, warn }: StdioParts): Promise<void> {
  const messages = boundMessages(stdin, MOST_MESSAGE, (line) => void stdout.write(line));
  // The buffer holds a message and what came with it.
  const transport = new StdioServerTransport(messages, stdout, { maxBufferSize: 2 * MOST_MESSAGE });
  const handle = serveSdk(
    ({ era }) => {
      const server = session.server(era);
      session.onChange(() => void server.server.sendToolListChanged().catch(() => {}));
      return server;
    },
    { transport, onerror: ({ message }) => warn(`MCP: ${message}`) },
  );
  await left(transport, messages, signal);
  await session.close();
  await handle.close().catch(() => {});
}

/** The client closed its end, or somebody stopped us. */
function left(transport: StdioServerTransport, messages: Readable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    messages.once("end", resolve);
    messages.once("close", resolve);
    void untilAborted(signal).then(resolve);
  });
}
