import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio as serveSdk } from "@modelcontextprotocol/server/stdio";
import { untilAborted } from "../../text/abort.ts";
import { boundMessages } from "../../text/message-stream.ts";
import type { FirstAnswer } from "./first-answer.ts";
import type { McpSession } from "./session.ts";

export interface StdioParts {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly session: McpSession;
  readonly signal: AbortSignal;
  /** What the client was answered before this was there. */
  readonly answered?: FirstAnswer | undefined;
  warn(message: string): void;
}

const MOST_MESSAGE = 4 * 1024 * 1024;

/** MCP over two pipes, whichever era the client speaks. Resolves when the client has left or the signal fires, with everything closed. */
export async function serveStdio({ stdin, stdout, session, signal, answered, warn }: StdioParts): Promise<void> {
  const messages = boundMessages(stdin, MOST_MESSAGE, (line) => void stdout.write(line));
  // The buffer holds a message and what came with it.
  const transport = new StdioServerTransport(messages, stdout, { maxBufferSize: 2 * MOST_MESSAGE });
  if (answered) leaveOut(answered, transport);
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

/** A request is answered once. */
function leaveOut({ id }: FirstAnswer, transport: StdioServerTransport): void {
  const send = transport.send.bind(transport);
  transport.send = async (message) => {
    if (!("id" in message) || "method" in message || message.id !== id) return send(message);
    transport.send = send;
  };
}
