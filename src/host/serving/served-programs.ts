import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { ToolError } from "../../core/error.ts";
import type { Serve, Served, ServedEnd, ServedProgram } from "../../core/ports/served.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { type Launch, spawnLaunch } from "../sandbox/fed-launch.ts";
import { changedPath, PlaceChanged } from "../sandbox/held-places.ts";
import { createFetchFirst } from "./fetch-first.ts";
import { type FoldersFor, KEEPS_NOTHING } from "./server-folders.ts";
import type { StartProgram } from "./walls.ts";

export interface ServedPrograms {
  readonly serve: Serve;
  /** Ends all that still run; nothing is started any more. */
  close(): Promise<void>;
}

/**
 * Programs that run for long, each behind walls of its own. `prepare` decides about those, and throws where there are none. `starting` is told of them before
 * the program begins.
 */
export function openServedPrograms(
  prepare: StartProgram,
  keptFor: FoldersFor = KEEPS_NOTHING,
  starting: (walls: Walls) => void = () => {},
): ServedPrograms {
  const running = new Set<Served>();
  let isClosed = false;
  const start = async (program: ServedProgram, purpose: "serve" | "fetch"): Promise<Served> => {
    const served = await prepare(program, purpose, async ({ launch, look }) => {
      if (isClosed) {
        launch.cleanup();
        throw new ToolError("cancelled", "Zeph is closing, so no program is started any more.");
      }
      starting(launch.walls);
      return started(launch, program.argv[0], look);
    });
    running.add(served);
    void served.ended.then(() => running.delete(served));
    if (isClosed) await served.stop();
    return served;
  };
  return {
    serve: createFetchFirst(start, keptFor),
    async close() {
      isClosed = true;
      await Promise.all([...running].map((served) => served.stop()));
    },
  };
}

/** How long a program has to end by itself once its input is closed. */
const GRACE_MS = 300;
const KILL_MS = 2000;
/** So long is waited for walls; a program that is started later is not judged again. */
const START_MS = 10_000;
const DRAIN_MS = 200;
/** Most bytes that wait to be read by the program. */
const MAX_WAITING = 32 * 1024 * 1024;
const MAX_SAID = 4096;

async function started(launch: Launch, name: string, look: Served["look"]): Promise<Served> {
  const child = await spawned(launch, name);
  launch.onSpawned(child);
  const stdin = child.stdin as Writable;
  const stdout = child.stdout as Readable;
  const said = lastOf(child.stderr as Readable);
  for (const emitter of [child, stdin, stdout]) emitter.on("error", () => {});
  const ended = end(child, launch, said);
  const stop = stopping(child, launch, ended);
  // Until its walls stand it can still be found out that something has changed; then it is judged again.
  const late = sleep(START_MS, false, { ref: false });
  const isGone = await Promise.race([launch.ready.then(() => false), ended.then(() => true), late]);
  if (isGone && launch.status() === "changed") throw new PlaceChanged(changedPath(said()));

  let listener: Served["onOutput"] = () => {};
  const hear = (chunk: Buffer) => {
    try {
      listener(chunk);
    } catch {
      // Whoever listens has lost the thread, and there is nobody else to talk to.
      void stop();
    }
  };
  return {
    walls: launch.walls,
    pid: child.pid,
    get onOutput() {
      return listener;
    },
    // Until somebody listens nothing is read, so the program waits and nothing piles up here.
    set onOutput(next) {
      listener = next;
      if (stdout.listenerCount("data") === 0) stdout.on("data", hear);
    },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        if (stdin.writableLength > MAX_WAITING) return reject(new Error(`${name} does not read what it is sent.`));
        stdin.write(bytes, (error) => (error ? reject(new Error(`${name} takes nothing any more: ${error.message}`)) : resolve()));
      }),
    ended,
    ...(look && { look }),
    stop,
  };
}

async function spawned(launch: Launch, name: string): Promise<ChildProcess> {
  try {
    const child = spawnLaunch(launch, launch.stdio("pipe", "pipe", "pipe"));
    await once(child, "spawn");
    return child;
  } catch (error) {
    launch.cleanup();
    throw new ToolError("permanent_failure", `${name} could not be started: ${(error as Error).message}`, { cause: error });
  }
}

/** The end of what it says, and no more than that is kept. */
function lastOf(stderr: Readable): () => string {
  let kept = Buffer.alloc(0);
  stderr
    .on("error", () => {})
    .on("data", (chunk: Buffer) => {
      kept = Buffer.concat([kept, chunk.subarray(-MAX_SAID)]).subarray(-MAX_SAID);
    });
  // A character that was cut at the front is left out.
  return () => kept.toString("utf8").replace(/^\uFFFD+/, "");
}

function end(child: ChildProcess, launch: Launch, said: () => string): Promise<ServedEnd> {
  return new Promise((resolve) => {
    const finish = async (exitCode: number | null, signal: NodeJS.Signals | null) => {
      await launch.settled();
      launch.cleanup();
      resolve({ exitCode, ...(signal && { signal }), said: said() });
    };
    child.once("close", finish);
    child.once("exit", () => {
      // What it left behind in its group goes with it. Inside a namespace the kernel sees to that.
      if (launch.tree === "may linger") launch.kill(child);
      void drain(child, launch);
    });
  });
}

/** Nobody may be listening, and somebody who got away may hold the pipes for ever: they are closed when nothing comes any more. */
async function drain({ stdio, stdout }: ChildProcess, { tree }: Launch): Promise<void> {
  for (let before = -1; stdout && before !== stdout.readableLength + bytesOf(stdout); ) {
    before = stdout.readableLength + bytesOf(stdout);
    await sleep(DRAIN_MS, undefined, { ref: false });
    if (tree === "dies" && stdout.listenerCount("data") > 0) return;
  }
  for (const stream of stdio) stream?.destroy();
}

const bytesOf = (stream: Readable): number => (stream as Readable & { readonly bytesRead?: number }).bytesRead ?? 0;

const stopping = (child: ChildProcess, launch: Launch, ended: Promise<ServedEnd>) => {
  const stop = async () => {
    child.stdin?.end();
    await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
    if (child.exitCode === null && child.signalCode === null) launch.kill(child);
    await Promise.race([ended, sleep(KILL_MS, undefined, { ref: false })]);
  };
  let stopped: Promise<void> | undefined;
  return (): Promise<void> => {
    stopped ??= stop();
    return stopped;
  };
};
