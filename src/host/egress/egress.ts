import { randomBytes } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createTemporary } from "../temporary.ts";
import { type ApprovalParts, callerOf, createApprovals, type EgressCommand } from "./approvals.ts";
import { type ConnectionEnd, serveConnection } from "./connection.ts";
import { dialName, type EgressWires, MACHINE_WIRES } from "./dial.ts";
import { createRefusalLines, type RefusalLines } from "./refusal-lines.ts";

/** The one way out of a closed network: a proxy on a unix socket that opens names, not addresses. */
export interface EgressProxy {
  /** Only we can enter its folder. */
  readonly socket: string;
  /** A command begins that may want to reach something. */
  begin(command: EgressCommand): EgressRun;
  /** Whether a command could reach anything without a question. */
  isAnyOpen(): boolean;
  close(): Promise<void>;
}

export interface EgressRun {
  /** By which the proxy knows the command's connections; no other command is given it. */
  readonly credential: string;
  /** The command has ended: what it could not reach, and what it would have had to ask. Its connections are recorded by then. */
  end(): Promise<EgressReport>;
}

export interface EgressReport {
  readonly refusals: readonly EgressRefusal[];
}

export interface EgressRefusal {
  readonly host: string;
  readonly port: number;
  readonly why: string;
  /** `closed` by a rule or an answer; or it was open, and could not be reached. */
  readonly how: "closed" | "unreachable";
  /** Nobody was there to ask. */
  readonly unanswered?: true;
}

export interface EgressParts extends ApprovalParts {
  /** Told of every connection when it is over, with the commands that may have made it, or the program that is served. What throws here closes the way out. */
  audit(end: ConnectionEnd, commands: readonly EgressCommand[], program?: string): void;
  readonly wires?: Partial<EgressWires>;
  readonly limits?: Partial<EgressLimits>;
}

export interface EgressLimits {
  readonly connections: number;
  readonly headBytes: number;
  readonly headMs: number;
  readonly idleMs: number;
  /** How long connections may take to end after their command has. */
  readonly settleMs: number;
  /** How long what an ended command has sent may be on its way. */
  readonly leftoverMs: number;
}

const LIMITS: EgressLimits = {
  connections: 256,
  headBytes: 64 * 1024,
  headMs: 60_000,
  idleMs: 15 * 60_000,
  settleMs: 500,
  leftoverMs: 5000,
};
/** Names told of one command. */
const MOST_TOLD = 50;

/** Listens before it returns. */
export async function openEgress(parts: EgressParts): Promise<EgressProxy> {
  const limits = { ...LIMITS, ...parts.limits };
  const wires = { ...MACHINE_WIRES, ...parts.wires };
  const approvals = createApprovals(parts);
  const runs = new Map<EgressCommand, RunState>();
  const clients = new Set<Client>();
  let broken: string | null = null;

  const running = () => [...runs.keys()];
  const nobodys = createRefusalLines();
  const record = (end: ConnectionEnd, commands: readonly EgressCommand[]) => {
    try {
      parts.audit(end, commands);
    } catch (error) {
      broken ??= `connections cannot be recorded (${(error as Error).message})`;
    }
  };
  const leftovers = createLeftovers(limits.leftoverMs, () => clients.size >= limits.connections);
  /** The commands that the connection may belong to: all that run where it did not say. */
  const ownersOf = ({ owner }: Client) => (owner === "unsaid" ? running() : owner === "nobody" ? [] : [owner]);
  const onEnd = (client: Client, end: ConnectionEnd) => {
    const owners = ownersOf(client);
    const states = owners.flatMap((owner) => runs.get(owner) ?? []);
    for (const state of states) note(state, end);
    const lines = states.at(-1)?.lines ?? nobodys;
    if (end.verdict === "ok" || lines.note(end)) record(end, owners);
  };
  const serve = (socket: Socket) => {
    const client: Client = { socket, owner: "unsaid", ended: leftovers.ended() };
    clients.add(client);
    const done = serveConnection(socket, {
      identify(credential) {
        const [first, ...others] = running();
        if (credential !== null) client.owner = [...runs].find(([, state]) => state.credential === credential)?.[0] ?? "nobody";
        else if (first !== undefined && others.length === 0 && client.ended.size === 0) client.owner = first;
      },
      decide: async (wanted) =>
        broken === null
          ? approvals.decide(wanted, { commands: ownersOf(client), ended: client.owner === "unsaid" ? [...client.ended.values()] : [] })
          : { ...wanted, verdict: "refused", why: broken },
      hold() {
        const held = ownersOf(client).map(({ hold }) => hold?.());
        return () => {
          for (const goOn of held) goOn?.();
        };
      },
      dial: (to, signal) => dialName({ ...to, wires, signal, isRegistry: async () => (await parts.registries()).includes(to.host) }),
      onEnd: (end) => onEnd(client, end),
      ...limits,
    });
    void done.catch(() => socket.destroy()).finally(() => clients.delete(client));
  };
  const folder = createTemporary({ kind: "egress", ...(process.platform === "linux" && { base: "/tmp" }) });
  const socket = join(folder.path, "socket");
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, serve);
  server.maxConnections = limits.connections;
  // Nobody waits for the proxy: a process that has nothing else to do may end.
  server.unref();
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve));
  } catch (error) {
    folder.remove();
    throw error;
  }
  server.on("error", () => {});

  /** Connections that only this command can have: its own, and while no other command runs also those that did not say whose they are. */
  const connectionsOf = (command: EgressCommand) =>
    [...clients].filter(({ owner }) => owner === command || (runs.size === 1 && owner === "unsaid"));
  /** What is still open when a command has ended is closed. Its end is recorded before the result is told. */
  const settle = async (command: EgressCommand) => {
    const grace = Date.now() + limits.settleMs;
    while (connectionsOf(command).length > 0 && Date.now() < grace) await pause(5);
    for (const { socket } of connectionsOf(command)) socket.destroy();
    for (const latest = Date.now() + limits.settleMs; connectionsOf(command).length > 0 && Date.now() < latest; ) await pause(1);
  };
  return {
    socket,
    isAnyOpen: approvals.isAnyOpen,
    begin(command) {
      const state: RunState = { credential: randomBytes(16).toString("hex"), refusals: new Map(), lines: createRefusalLines() };
      runs.set(command, state);
      return {
        credential: state.credential,
        async end() {
          await settle(command);
          for (const end of state.lines.counted()) record(end, [command]);
          runs.delete(command);
          leftovers.add(command);
          for (const client of clients) client.ended.set(callerOf(command), command);
          approvals.ended(running());
          return { refusals: [...state.refusals.values()] };
        },
      };
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const { socket } of clients) socket.destroy();
      await closed;
      leftovers.close();
      for (const end of nobodys.counted()) record(end, []);
      folder.remove();
    },
  };
}

/** A connection. `unsaid`: it may belong to each of several commands. `nobody`: it named one that does not run. */
interface Client {
  readonly socket: Socket;
  owner: EgressCommand | "unsaid" | "nobody";
  /** One command for each caller whose commands have ended and may have sent it. */
  readonly ended: Map<string, EgressCommand>;
}

/** Commands that have ended, while something that they sent may still be on its way: through the session's network, whose queues nobody here sees. */
function createLeftovers(ms: number, isFull: () => boolean) {
  const ended = new Map<string, EgressCommand>();
  let calm = 0;
  let looked = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const now = performance.now();
    // What waits for its turn while this process is busy, or while no more connections are taken, is not there yet.
    calm = isFull() || now - looked > (2 * ms) / LOOKS ? 0 : calm + 1;
    looked = now;
    if (calm < LOOKS) return;
    ended.clear();
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add(command: EgressCommand) {
      ended.set(callerOf(command), command);
      calm = 0;
      looked = performance.now();
      timer ??= setInterval(look, ms / LOOKS).unref();
    },
    ended: () => new Map(ended),
    close: () => clearInterval(timer),
  };
}
const LOOKS = 10;

interface RunState {
  readonly credential: string;
  readonly refusals: Map<string, EgressRefusal>;
  readonly lines: RefusalLines;
}

function note({ refusals }: RunState, end: ConnectionEnd): void {
  if (end.verdict === "ok") return;
  const { host, port, why, how, unanswered } = end;
  if (refusals.size < MOST_TOLD) refusals.set(`${host}:${port} ${why}`, { host, port, why, how, ...(unanswered && { unanswered }) });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
