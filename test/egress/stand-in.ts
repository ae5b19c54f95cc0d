import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { EgressAnswer, EgressCommand, EgressQuestion } from "../../src/host/egress/approvals.ts";
import type { ConnectionEnd } from "../../src/host/egress/connection.ts";
import { type EgressLimits, type EgressProxy, openEgress } from "../../src/host/egress/egress.ts";

/** A public address, as far as anybody here knows. Nothing is sent there: whatever is dialled is the stand-in. */
export const PUBLIC = "93.184.215.14";

export interface StandIn {
  readonly egress: EgressProxy;
  /** Lines as the audit log would get them. */
  readonly lines: ConnectionEnd[];
  readonly asked: EgressQuestion[];
  /** Addresses that were dialled. */
  readonly dialled: string[];
  /** Everything that reached the server, connection by connection. */
  readonly heard: string[];
  /** A command that runs. */
  command(text?: string): EgressCommand;
  /** A connection to the proxy. */
  client(): Promise<Talk>;
}

export interface Options {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly registries?: () => Promise<readonly string[]>;
  readonly ask?: ((question: EgressQuestion) => Promise<EgressAnswer>) | null;
  readonly lookup?: (host: string) => Promise<readonly string[]>;
  readonly limits?: Partial<EgressLimits>;
  readonly audit?: (line: ConnectionEnd) => void;
  /** What the server does with a connection. */
  readonly server?: (socket: Socket) => void;
  readonly port?: number;
}

/** The proxy, with a server on loopback in place of the internet. All of it is gone when the test is over. */
export async function standIn(options: Options = {}): Promise<StandIn> {
  const heard: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const n = heard.push("") - 1;
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      heard[n] += chunk.toString("latin1");
    });
    (options.server ?? echo)(socket);
  });
  const port = options.port ?? (await listening(server));
  const [lines, asked, dialled]: [ConnectionEnd[], EgressQuestion[], string[]] = [[], [], []];
  const egress = await openEgress({
    rules: () => ({ allow: options.allow ?? ["a.example"], deny: options.deny ?? [] }),
    registries: options.registries ?? (async () => []),
    ask:
      options.ask === null
        ? null
        : async (question) => {
            asked.push(question);
            return options.ask ? options.ask(question) : "no";
          },
    audit(line) {
      lines.push(line);
      options.audit?.(line);
    },
    wires: {
      lookup: options.lookup ?? (async () => [PUBLIC]),
      dial({ address }) {
        dialled.push(address);
        return connect({ port, host: "127.0.0.1", allowHalfOpen: true });
      },
    },
    ...(options.limits && { limits: options.limits }),
  });
  onTestFinished(async () => {
    await egress.close();
    server.close();
  });
  return {
    egress,
    lines,
    asked,
    dialled,
    heard,
    command: (text = "npm ci") => ({ command: text, permit: { call: { id: text } }, ctx: { turn: {} } }) as unknown as EgressCommand,
    client: () => talkTo(egress.socket),
  };
}

/** Sends back what it is sent, in a tunnel. */
const echo = (socket: Socket): void => void socket.pipe(socket);

export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

export interface Talk {
  readonly socket: Socket;
  say(bytes: string | Buffer): void;
  /** All that came so far, once it holds this. */
  hears(words: string): Promise<string>;
  /** All that came until the other side was done. */
  rest(): Promise<string>;
}

export async function talkTo(path: string): Promise<Talk> {
  const socket = connect({ path, allowHalfOpen: true });
  let text = "";
  let isOver = false;
  const wake = new Set<() => void>();
  const tell = () => {
    for (const one of wake) one();
  };
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
    tell();
  });
  for (const event of ["end", "close"])
    socket.on(event, () => {
      isOver = true;
      tell();
    });
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isSo()) return;
        wake.delete(look);
        resolve();
      };
      wake.add(look);
      look();
    });
  await once(socket, "connect");
  return {
    socket,
    say: (bytes) => void socket.write(bytes),
    async hears(words) {
      await until(() => isOver || text.includes(words));
      if (!text.includes(words)) throw new Error(`It ended with ${JSON.stringify(text)}, without ${JSON.stringify(words)}.`);
      return text;
    },
    async rest() {
      await until(() => isOver);
      return text;
    },
  };
}
