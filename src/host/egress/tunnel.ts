import type { Socket } from "node:net";
import { Transform } from "node:stream";
import { type BodyReader, createBodyReader } from "./http-body.ts";
import type { Framing } from "./http-head.ts";

/** Two sockets with bytes flowing between them. */
export interface Joined {
  readonly client: Socket;
  readonly server: Socket;
  /** What the client sent with its head. */
  readonly early: Buffer;
  /** Of a plain request: how much of what the client sends belongs to it. Absent in a tunnel, where all does. */
  readonly framing?: Framing;
  /** Nothing for so long ends it. */
  readonly idleMs: number;
}

/** Hands bytes on until both sides are done, whoever ends first. Resolves when both sockets are closed: null, or why no whole answer came. */
export async function joinSockets({ client, server, early, framing, idleMs }: Joined): Promise<string | null> {
  let broken: string | null = null;
  let silent = "no answer came";
  const end = () => {
    client.destroy();
    server.destroy();
  };
  const closed = Promise.all([client, server].map((socket) => gone(socket)));
  client.on("error", end);
  server.on("error", (error: NodeJS.ErrnoException) => {
    // Many servers reset a connection that either side has ended already.
    if (!client.readableEnded && !server.readableEnded) broken ??= `the server broke it off (${error.code ?? error.message})`;
    end();
  });
  for (const socket of [client, server])
    socket.setTimeout(idleMs, () => {
      silent = `no answer came in ${Math.round(idleMs / 1000)} s`;
      end();
    });
  // One that is closed on both sides has nobody behind it. What was taken for the other is still handed over.
  client.once("close", () => server.destroySoon());
  server.once("close", () => client.destroySoon());
  if (framing) sendRequest(client, server, early, framing, end);
  else {
    if (early.length > 0) server.write(early);
    client.pipe(server);
  }
  server.pipe(client);
  await closed;
  return broken ?? (server.bytesRead === 0 ? silent : null);
}

/** Exactly one body goes to the server. What comes after it is somebody's second request, which nobody has judged. */
function sendRequest(client: Socket, server: Socket, early: Buffer, framing: Framing, end: () => void): void {
  const body = onlyBody(createBodyReader(framing));
  body.on("error", end);
  // The server is not told that there is no more: many take that for a client who has left. The head says that this request is the last.
  body.pipe(server, { end: false });
  if (early.length > 0) body.write(early);
  client.pipe(body);
  // The answer is whole, and there is no other request to answer.
  server.once("end", () => {
    server.end();
    client.destroySoon();
  });
}

const onlyBody = (reader: BodyReader): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        for (const part of reader.take(chunk)) this.push(part);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });

const gone = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve();
    else socket.once("close", () => resolve());
  });
