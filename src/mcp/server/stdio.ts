import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio as serveSdk } from "@modelcontextprotocol/server/stdio";
import type { Session } from "./session.ts";

export interface StdioParts {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly session: Session;
  readonly signal: AbortSignal;
  warn(message: string): void;
}

const MOST_MESSAGE = 4 * 1024 * 1024;

/** MCP over two pipes, whichever era the client speaks. Resolves when the client has left or the signal fires, with everything closed. */
export async function serveStdio({ stdin, stdout, session, signal, warn }: StdioParts): Promise<void> {
  const transport = new StdioServerTransport(stdin, stdout, { maxBufferSize: MOST_MESSAGE });
  const handle = serveSdk(
    ({ era }) => {
      const server = session.server(era);
      session.onChange(() => void server.server.sendToolListChanged().catch(() => {}));
      return server;
    },
    { transport, onerror: ({ message }) => warn(`MCP: ${message}`) },
  );
  await left(transport, stdin, signal);
  await session.close();
  await handle.close().catch(() => {});
}

/** The client closed its end, sent more than fits, or somebody stopped us. */
function left(transport: StdioServerTransport, stdin: Readable, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    stdin.once("end", resolve);
    stdin.once("close", resolve);
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
