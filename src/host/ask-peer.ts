import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { processKey, uptime } from "../files/agent-process.ts";
import { attempt } from "../text/attempt.ts";
import { archOf } from "./sandbox/backends/syscalls.ts";
import { type FindShipped, findShipped } from "./sandbox/shipped.ts";

/** The process at the other end of a Unix socket, as the system tells it. */
export interface Peer {
  readonly pid: number;
  /** Tells it from a later process with the same number (`processKey`). */
  readonly key: string;
  readonly uid: number;
}

export interface PeerQuestion {
  readonly socket: Socket;
  /** When the connection was accepted, by `performance.now()`. */
  readonly acceptedAt: number;
  /** Folders that commands can write: the program that asks is not started from there. */
  readonly writable: readonly string[];
}

const LATEST_MS = 1000;
/** Of the numbers in `/proc/<pid>/stat`, on every machine we have a program for. */
const TICKS_PER_SECOND = 100;
const SOCKET = 3;

/** Node has no call for it, so a small program asks that is given the socket. Null where the system does not tell, or there is no such program. */
export async function askPeer({ socket, acceptedAt, writable }: PeerQuestion, shipped: FindShipped = findShipped): Promise<Peer | null> {
  const arch = process.platform === "linux" ? archOf(process.arch) : null;
  const program = arch && shipped({ name: "zeph-peer", arch, writable });
  const fd = descriptorOf(socket);
  if (!program || !("path" in program) || fd === null) return null;
  const said = /^(\d+) (\d+) \d+ (\d+) ([01])\n$/.exec(await run(program.path, fd));
  if (!said) return null;
  const [, pid = "", uid = "", started = "", exact] = said;
  // A process that is younger than the connection got the number of the one that connected.
  if (exact === "0" && Number(started) > ticksAt(acceptedAt)) return null;
  const key = `${pid} ${started}`;
  return processKey(Number(pid)) === key ? { pid: Number(pid), key, uid: Number(uid) } : null;
}

/** Handing the socket over whole, as Node's documentation has it, would stop the reading from it. */
function descriptorOf(socket: Socket): number | null {
  const { fd } = (socket as unknown as { readonly _handle?: { readonly fd?: unknown } })._handle ?? {};
  return typeof fd === "number" && fd > 2 ? fd : null;
}

function run(program: string, fd: number): Promise<string> {
  return new Promise((resolve) => {
    const stdio: ("ignore" | "pipe" | number)[] = ["ignore", "pipe", "ignore"];
    stdio[SOCKET] = fd;
    const child = attempt(() => spawn(program, [], { env: {}, cwd: "/", stdio, timeout: LATEST_MS, killSignal: "SIGKILL" }), null);
    if (!child) return resolve("");
    let text = "";
    child.stdout?.setEncoding("latin1").on("data", (piece: string) => {
      text += piece;
    });
    child.once("error", () => resolve(""));
    child.once("close", (code) => resolve(code === 0 ? text : ""));
  });
}

/** A moment in clock ticks since the machine started; one more, because both are rounded. */
const ticksAt = (moment: number): number => (uptime() - (performance.now() - moment) / 1000) * TICKS_PER_SECOND + 1;
