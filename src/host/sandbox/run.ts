import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import type { CommandStreams } from "../../core/ports/shell.ts";
import { type Launch, spawnLaunch } from "./fed-launch.ts";
import { type CommandEnd, isServable, startServed } from "./launcher/launcher.ts";
import type { ServedCommand } from "./launcher/wire.ts";
import { signalBehindWalls } from "./signal-tree.ts";

export interface LaunchRunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Every byte is handed over once and kept nowhere here. */
  onOutput(chunk: Buffer, stream: "stdout" | "stderr"): void;
  readonly stdin?: string | Buffer;
  /** One more descriptor the command may write to, apart from its output. */
  readonly side?: { readonly fd: number; onData(chunk: Buffer): void };
  /** Told of the command when it runs, and whether it has more to read than `stdin`. */
  readonly streams?: Pick<CommandStreams, "stdin" | "started"> | undefined;
}

export interface LaunchResult {
  /** 128 + n when a signal ended the command inside; null when we killed it or it never started. */
  readonly exitCode: number | null;
  readonly signal?: NodeJS.Signals;
  readonly stopped?: "timeout" | "aborted";
  /** The command itself was started, as far as the backend can tell. When we killed it: its sandbox was being set up or done. */
  readonly ran: boolean;
  readonly setupError?: string;
  /** Nothing was started, because something is not what was judged. */
  readonly changed?: true;
}

/** Runs one command to its end. After a timeout or an abort nothing it started is alive, where the backend can promise that. */
export async function runLaunch(launch: Launch, options: LaunchRunOptions): Promise<LaunchResult> {
  const { timeoutMs, signal } = options;
  if (signal?.aborted) {
    launch.cleanup();
    return { exitCode: null, stopped: "aborted", ran: false };
  }
  // bwrap speaks on stderr when it cannot set up; kept in case the command never ran.
  let words = "";
  const onOutput: LaunchRunOptions["onOutput"] = (chunk, stream) => {
    if (stream === "stderr" && words.length < 2000) words += chunk.toString();
    options.onOutput(chunk, stream);
  };
  const command = startLaunch(launch, { ...options, onOutput });
  if (command instanceof Error) return { exitCode: null, ran: false, setupError: command.message };
  let stopped: LaunchResult["stopped"];
  const stop = (why: LaunchResult["stopped"]) => {
    stopped ??= why;
    command.kill();
  };
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  const onAbort = () => stop("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const end = await command.ended;
    await launch.settled();
    if (end.error) return { exitCode: null, ran: false, setupError: end.error.message };
    const status = launch.status();
    if (stopped)
      return { exitCode: null, ...(end.signal && { signal: end.signal }), stopped, ran: status === "set up" || status === "ran" };
    if (status === "ran" || end.signal) return { exitCode: end.code, ...(end.signal && { signal: end.signal }), ran: status === "ran" };
    return {
      exitCode: end.code,
      ran: false,
      ...(status === "changed" && { changed: true }),
      setupError: words.trim() || `${launch.file} ended with ${end.code} before the command started`,
    };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    launch.cleanup();
  }
}

interface StartedLaunch {
  readonly ended: Promise<CommandEnd>;
  kill(): void;
}

/** By the launcher where it can be. It gives a command no stdin. */
function startLaunch(launch: Launch, options: LaunchRunOptions): StartedLaunch | Error {
  const { served } = launch;
  if (served && options.stdin === undefined && !options.streams?.stdin && isServable(served)) return serveLaunch(launch, served, options);
  try {
    return spawnedLaunch(launch, options);
  } catch (error) {
    launch.cleanup();
    return error as Error;
  }
}

function serveLaunch(launch: Launch, served: ServedCommand, { onOutput, side, streams }: LaunchRunOptions): StartedLaunch {
  launch.onReport("");
  const job = startServed(
    served,
    new Map<number, (chunk: Buffer) => void>([
      [1, (chunk) => onOutput(chunk, "stdout")],
      [2, (chunk) => onOutput(chunk, "stderr")],
      ...(launch.statusFd === null ? [] : [[launch.statusFd, (chunk: Buffer) => launch.onReport(chunk.toString())] as const]),
      ...(launch.reportFd === undefined ? [] : [[launch.reportFd, (chunk: Buffer) => launch.onInside(chunk.toString())] as const]),
      ...(side ? [[side.fd, side.onData] as const] : []),
    ]),
  );
  streams?.started({ write: () => true, end() {}, signal: (number) => signalTo(job.pid(), number) });
  return { ended: job.ended, kill: () => launch.kill(job) };
}

function spawnedLaunch(launch: Launch, { stdin, side, onOutput, streams }: LaunchRunOptions): StartedLaunch {
  const stdio = launch.stdio(stdin === undefined && !streams?.stdin ? "ignore" : "pipe", "pipe", "pipe");
  if (side) stdio[side.fd] = "pipe";
  const child = spawnLaunch(
    launch,
    Array.from(stdio, (stream) => stream ?? "ignore"),
  );
  child.stdout?.on("data", (chunk: Buffer) => onOutput(chunk, "stdout"));
  child.stderr?.on("data", (chunk: Buffer) => onOutput(chunk, "stderr"));
  if (side) (child.stdio?.[side.fd] as Readable | undefined)?.on("data", side.onData).on("error", () => {});
  const done = ended(child, launch.tree);
  try {
    launch.onSpawned(child);
    child.stdin?.on("error", () => {});
    if (streams?.stdin) lendStdin(child, streams);
    else child.stdin?.end(stdin);
  } catch (error) {
    launch.kill(child);
    throw error;
  }
  return { ended: done, kill: () => launch.kill(child) };
}

const signalTo = (pid: number | undefined, number: number): boolean => pid !== undefined && signalBehindWalls(pid, number);

function lendStdin(child: ChildProcess, streams: Pick<CommandStreams, "started">): void {
  const { stdin, pid } = child;
  streams.started({
    write(bytes, drained) {
      if (!stdin || stdin.destroyed || stdin.writableEnded || stdin.write(bytes)) return true;
      // A command that reads no more must not hold back who writes.
      const go = () => {
        stdin.off("drain", go).off("close", go);
        drained();
      };
      stdin.on("drain", go).on("close", go);
      return false;
    },
    end: () => void stdin?.end(),
    signal: (number) => signalTo(pid, number),
  });
}

const DRAIN_MS = 200;

/** A process that lingers may hold the pipes for ever, so after the command's own end they are read a little longer and closed. */
function ended(child: ChildProcess, tree: Launch["tree"]): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: null, signal: null, error }));
    child.on("close", (code, signal) => resolve({ code, signal }));
    if (tree === "dies") return;
    child.on("exit", (code, signal) => {
      const timer = setTimeout(() => {
        for (const stream of child.stdio) stream?.destroy();
        resolve({ code, signal });
      }, DRAIN_MS);
      child.on("close", () => clearTimeout(timer));
    });
  });
}
