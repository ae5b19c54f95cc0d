import type { CommandLine } from "../sandbox/backends/perl.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Bubblewrap, Sandbox } from "../sandbox/sandbox.ts";
import { type FindShipped, findRunner, findShipped } from "../sandbox/shipped.ts";
import { type Holder, openHolder } from "./holder.ts";

/** One closed network for the commands of a session: what one of them serves in the background, the next can reach. Nothing outside can be. */
export interface SessionNetwork {
  /** A place in it for one command, which starts it if need be. Null where there is none: the command then has a closed network of its own. */
  join(sandbox: Sandbox, policy: Policy): Promise<NetworkPlace | null>;
  /** Why there is none here; null as long as nothing failed. */
  problem(): string | null;
  close(): Promise<void>;
}

export interface NetworkPlace {
  /** What goes before bwrap's line. If the network has gone meanwhile, the line ends there and nothing is started. */
  readonly line: CommandLine;
  /** Whether the forwarded port leads to the socket. */
  readonly forwards: boolean;
  /** The command has ended. */
  leave(): void;
}

export interface SessionNetworkOptions {
  /** The unix socket that 127.0.0.1:3128 inside leads to, asked for when the network is made; null for none. */
  readonly socket?: () => Promise<string | null>;
  /** How long it stays when nobody is in it. */
  readonly idleMs?: number;
  /** Where zeph-net lies; tests put their own here. */
  readonly shipped?: FindShipped;
}

interface Live {
  readonly bwrap: string | null;
  readonly ready: Promise<Holder>;
  /** Whether another one has to be made. */
  isOver(): boolean;
  forwards: boolean;
  places: number;
}

const IDLE_MS = 5 * 60_000;

export function openSessionNetwork({
  socket = async () => null,
  idleMs = IDLE_MS,
  shipped = findShipped,
}: SessionNetworkOptions = {}): SessionNetwork {
  let live: Live | null = null;
  let idle: NodeJS.Timeout | undefined;
  let problem: string | null = null;
  let isClosed = false;

  const begin = (sandbox: Bubblewrap, program: string, runner: string): Live => {
    let holder: Holder | undefined;
    const ready = async () => {
      const path = await socket();
      made.forwards = path !== null;
      holder = await openHolder({ sandbox, program, runner, socket: path });
      return holder;
    };
    const made: Live = {
      bwrap: sandbox.bwrap,
      ready: Promise.resolve().then(ready),
      isOver: () => holder !== undefined && !holder.isAlive(),
      forwards: false,
      places: 0,
    };
    return made;
  };
  const leave = (one: Live) => {
    one.places--;
    if (one.places > 0 || one !== live) return;
    clearTimeout(idle);
    idle = setTimeout(() => {
      if (one.places > 0 || one !== live) return;
      live = null;
      void close(one);
    }, idleMs).unref();
  };

  return {
    async join(sandbox, policy) {
      if (isClosed || problem !== null || sandbox.backend !== "bubblewrap" || policy.network !== "closed") return null;
      const writable = [...policy.write, policy.cwd];
      const program = shipped({ name: "zeph-net", arch: sandbox.arch, writable });
      if ("why" in program) {
        problem = program.why;
        return null;
      }
      const runner = findRunner({ writable }, shipped);
      if (runner === null) {
        problem = "zeph-run cannot be used here";
        return null;
      }
      // One that has died is left to those who are in it.
      if (live === null || live.isOver() || live.bwrap !== sandbox.bwrap) live = begin(sandbox, program.path, runner);
      const one = live;
      one.places++;
      try {
        const { line } = await one.ready;
        let isIn = true;
        return {
          line: { file: program.path, args: line.args },
          forwards: one.forwards,
          leave: () => {
            if (isIn) leave(one);
            isIn = false;
          },
        };
      } catch (error) {
        leave(one);
        problem = (error as Error).message;
        return null;
      }
    },
    problem: () => problem,
    async close() {
      isClosed = true;
      clearTimeout(idle);
      if (live) await close(live);
    },
  };
}

const close = async ({ ready }: Live): Promise<void> => (await ready.catch(() => null))?.close();
