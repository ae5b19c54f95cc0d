import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { type Launch, spawnLaunch } from "./fed-launch.ts";

export interface LaunchRunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Every byte is handed over once and kept nowhere here. */
  onOutput(chunk: Buffer, stream: "stdout" | "stderr"): void;
  readonly stdin?: string | Buffer;
  /** One more descriptor the command may write to, apart from its output. */
  readonly side?: { readonly fd: number; onData(chunk: Buffer): void };
}

export interface LaunchResult {
  /** 128 + n when a signal ended the command inside; null when we killed it or it never started. */
  readonly exitCode: number | null;
  readonly signal?: NodeJS.Signals;
  readonly stopped?: "timeout" | "aborted";
  /** The command itself was started, as far as the backend can tell. When we killed it: its sandbox was being set up or done. */
  readonly ran: boolean;
  readonly setupError?: string;
}

/** Runs one command to its end. After a timeout or an abort nothing it started is alive, where the backend can promise that. */
export async function runLaunch(launch: Launch, { timeoutMs, signal, onOutput, stdin, side }: LaunchRunOptions): Promise<LaunchResult> {
  if (signal?.aborted) {
    launch.cleanup();
    return { exitCode: null, stopped: "aborted", ran: false };
  }
  const child = start(launch, stdin === undefined ? "ignore" : "pipe", side?.fd);
  if (child instanceof Error) return { exitCode: null, ran: false, setupError: child.message };
  let stopped: LaunchResult["stopped"];
  const stop = (why: LaunchResult["stopped"]) => {
    stopped ??= why;
    launch.kill(child);
  };
  const timer = setTimeout(() => stop("timeout"), timeoutMs);
  const onAbort = () => stop("aborted");
  signal?.addEventListener("abort", onAbort, { once: true });
  // bwrap speaks on stderr when it cannot set up; kept in case the command never ran.
  let words = "";
  child.stdout?.on("data", (chunk: Buffer) => onOutput(chunk, "stdout"));
  child.stderr?.on("data", (chunk: Buffer) => {
    if (words.length < 2000) words += chunk.toString();
    onOutput(chunk, "stderr");
  });
  if (side) (child.stdio?.[side.fd] as Readable | undefined)?.on("data", side.onData).on("error", () => {});
  try {
    launch.onSpawned(child);
    child.stdin?.on("error", () => {}).end(stdin);
    const end = await ended(child, launch.tree);
    await launch.settled();
    if (end.error) return { exitCode: null, ran: false, setupError: end.error.message };
    const status = launch.status();
    if (stopped) return { exitCode: null, ...(end.signal && { signal: end.signal }), stopped, ran: status !== "not started" };
    if (status === "ran" || end.signal) return { exitCode: end.code, ...(end.signal && { signal: end.signal }), ran: status === "ran" };
    return {
      exitCode: end.code,
      ran: false,
      setupError: words.trim() || `${launch.file} ended with ${end.code} before the command started`,
    };
  } catch (error) {
    launch.kill(child);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    launch.cleanup();
  }
}

function start(launch: Launch, stdin: "ignore" | "pipe", side: number | undefined): ChildProcess | Error {
  try {
    const stdio = launch.stdio(stdin, "pipe", "pipe");
    if (side !== undefined) stdio[side] = "pipe";
    return spawnLaunch(
      launch,
      Array.from(stdio, (stream) => stream ?? "ignore"),
    );
  } catch (error) {
    launch.cleanup();
    return error as Error;
  }
}

const DRAIN_MS = 200;

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error?: Error;
}

/** A process that lingers may hold the pipes for ever, so after the command's own end they are read a little longer and closed. */
function ended(child: ChildProcess, tree: Launch["tree"]): Promise<End> {
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
