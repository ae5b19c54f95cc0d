import { createServer, type Server, type Socket } from "node:net";
import { type HookdLimits, type HookdRequestParts, type HookdWork, serveHookdRequest } from "./connection.ts";
import { makeHookdFolder, openSocketPlace } from "./socket-place.ts";

export interface HookdParts {
  readonly folder: string;
  readonly version: string;
  readonly work: HookdWork;
  readonly limits?: Partial<HookdLimits & { readonly idleMs: number; readonly lookMs: number }>;
}

/** The resident process as its clients see it. */
export interface HookdServer {
  /** Resolves when it has ended, for whatever reason, and nothing is under way any more. */
  readonly ended: Promise<void>;
  /** Takes no more, finishes what is under way, ends. */
  drain(): void;
}

const LIMITS = { lineMs: 5_000, answerMs: 3_000, longerMs: 20_000, idleMs: 15 * 60_000, lookMs: 2_000 };
/** One person's agents and what they do at once. */
const MOST_CONNECTIONS = 128;

/** Listens on the private socket of this user. Another one that listens there already loses its place, and ends. */
export async function openHookdServer({ folder, version, work, limits }: HookdParts): Promise<HookdServer> {
  const { idleMs, lookMs, ...within } = { ...LIMITS, ...limits };
  makeHookdFolder(folder);
  const place = openSocketPlace(folder);
  const server = createServer({ pauseOnConnect: false, allowHalfOpen: true });
  const open = new Set<Promise<void>>();
  let resolve: () => void = () => {};
  const ended = new Promise<void>((done) => {
    resolve = done;
  });
  let isDraining = false;
  const drain = () => {
    if (isDraining) return;
    isDraining = true;
    clearTimeout(idle);
    clearInterval(look);
    place.close();
    server.close();
    const finish = async () => {
      while (open.size > 0) await Promise.allSettled(open);
      resolve();
    };
    void finish();
  };
  let idle = setTimeout(drain, idleMs);
  // Whoever took the place over, or took the file away, has the next call.
  const look = setInterval(() => void (place.isTaken() || drain()), lookMs);
  const parts: HookdRequestParts = { ...within, version, work, outdated: drain };
  server.on("connection", (socket: Socket) => {
    if (open.size >= MOST_CONNECTIONS) return void socket.destroy();
    clearTimeout(idle);
    const served = serveHookdRequest(socket, parts).finally(() => {
      open.delete(served);
      if (open.size === 0 && !isDraining) idle = setTimeout(drain, idleMs);
    });
    open.add(served);
  });
  try {
    await listening(server, place.address);
    place.take();
  } catch (error) {
    drain();
    throw error;
  }
  return { ended, drain };
}

const listening = (server: Server, address: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(address, () => {
      server.off("error", reject).on("error", () => {});
      resolve();
    });
  });
