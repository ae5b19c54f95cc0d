import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { killNow } from "../../../files/process.ts";
import { createFrameReader, encodeEnd, encodeStart, FRAME, type ServedCommand } from "./wire.ts";

export interface CommandEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

export interface ServedJob {
  /** When it has ended, and everything it wrote was handed over. */
  readonly ended: Promise<CommandEnd>;
  /** Ends it and everything it started. */
  end(): void;
  /** The program that was started; unknown until it was. */
  pid(): number | undefined;
}

/** Who takes what the command writes to which of its descriptors. */
export type OutputTakers = ReadonlyMap<number, (chunk: Buffer) => void>;

/**
 * Starts a command through the launcher of this process, `zeph-run serve` (native/zeph-serve.c): a small program that lives as long as we do.
 * To start a program a process copies itself, which takes Node milliseconds and the launcher none.
 */
export function startServed(command: ServedCommand, takers: OutputTakers): ServedJob {
  const key = keyOf(command.runner);
  const launcher = launchers.get(key) ?? openLauncher(command.runner, key);
  launchers.set(key, launcher);
  return launcher.start(command, takers);
}

/** What the kernel takes as one argument or variable, and what all may have together on any machine: longer lines are for Node, who says why not. */
const MOST_TEXT_BYTES = 128 * 1024 - 1;
const MOST_BYTES = 512 * 1024;

export function isServable({ file, args, env, cwd }: ServedCommand): boolean {
  let bytes = 0;
  for (const text of [file, ...args, cwd, ...Object.keys(env), ...Object.values(env)]) {
    const length = Buffer.byteLength(text);
    bytes += length;
    if (length >= MOST_TEXT_BYTES - 256 || text.includes("\0")) return false;
  }
  return bytes < MOST_BYTES;
}

interface Launcher {
  start(command: ServedCommand, takers: OutputTakers): ServedJob;
}

/** By the program they are and the user we are: a process that gave up its rights has none of them through an older launcher. One that has died is forgotten. */
const launchers = new Map<string, Launcher>();
const keyOf = (runner: string) => `${process.geteuid?.()} ${process.getegid?.()} ${runner}`;

interface Job {
  readonly takers: OutputTakers;
  readonly resolve: (end: CommandEnd) => void;
  pid: number | undefined;
}

function openLauncher(runner: string, key: string): Launcher {
  const child = spawn(runner, ["serve"], { stdio: ["pipe", "pipe", "ignore"], env: {}, cwd: "/", detached: true });
  const jobs = new Map<number, Job>();
  let counter = 0;
  const finish = (id: number, end: CommandEnd) => {
    jobs.get(id)?.resolve(end);
    jobs.delete(id);
    if (jobs.size === 0 && !holdOpen(child, false)) {
      if (launchers.get(key) === opened) launchers.delete(key);
      child.stdin?.end();
    }
  };
  const fail = (error?: Error) => {
    if (launchers.get(key) === opened) launchers.delete(key);
    for (const id of [...jobs.keys()]) finish(id, error ? { code: null, signal: null, error } : { code: null, signal: "SIGKILL" });
  };
  const takeFrame = createFrameReader({
    onOutput: (id, fd, chunk) => jobs.get(id)?.takers.get(fd)?.(chunk),
    onTold(id, what, bytes) {
      const job = jobs.get(id);
      if (what === FRAME.started && job) job.pid = bytes.readUInt32LE();
      else if (what === FRAME.ended) finish(id, endOf(bytes.readUInt32LE()));
      else if (what === FRAME.failed) finish(id, { code: null, signal: null, error: new Error(bytes.toString()) });
    },
  });
  child.on("error", fail).on("exit", () => fail());
  child.stdin?.on("error", () => {});
  child.stdout
    ?.on("data", takeFrame)
    .on("error", () => {})
    .on("end", () => fail());
  child.unref();
  const opened: Launcher = {
    start(command, takers) {
      const id = counter++;
      let resolve: Job["resolve"] = () => {};
      const ended = new Promise<CommandEnd>((done) => {
        resolve = done;
      });
      jobs.set(id, { takers, resolve, pid: undefined });
      holdOpen(child, true);
      child.stdin?.write(encodeStart(id, command, [...takers.keys()]));
      return {
        ended,
        pid: () => jobs.get(id)?.pid,
        end() {
          if (!jobs.has(id)) return;
          child.stdin?.write(encodeEnd(id));
          insist(
            () => jobs.get(id),
            () => child.kill("SIGKILL"),
          );
        },
      };
    },
  };
  return opened;
}

/** While a command runs, this process waits for it; the launcher alone keeps nobody. False where its pipes cannot be let go, as in Bun: then it has to end. */
function holdOpen({ stdin, stdout }: ChildProcess, isHeld: boolean): boolean {
  const pipes = [stdin, stdout] as (Partial<Socket> | null)[];
  for (const pipe of pipes) isHeld ? pipe?.ref?.() : pipe?.unref?.();
  return pipes.every((pipe) => typeof pipe?.unref === "function");
}

const PATIENCE_MS = 2000;

/**
 * Without walls a command can stop its watchdog, or the launcher itself. A watchdog is killed with its group; then the launcher, and with it
 * everything it has started: what was told to end must end.
 */
function insist(job: () => Pick<Job, "pid"> | undefined, killLauncher: () => void): void {
  setTimeout(() => {
    const pid = job()?.pid;
    if (pid !== undefined) killNow(-pid);
    setTimeout(() => job() && killLauncher(), PATIENCE_MS).unref();
  }, PATIENCE_MS).unref();
}

/** As `wait` tells it. */
function endOf(status: number): CommandEnd {
  const number = status & 0x7f;
  return number === 0 ? { code: (status >> 8) & 0xff, signal: null } : { code: null, signal: signalName(number) };
}

const signalName = (number: number): NodeJS.Signals =>
  (Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? "SIGKILL") as NodeJS.Signals;
