import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { safeProgram, startTyped } from "../../../files/programs.ts";
import { foregroundLine } from "../../../runtime/filter/foreground.ts";
import { quoteShell } from "../../../text/quote-shell.ts";
import { groupedPlural } from "../../../text/words.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { type Capture, createCapture } from "./capture.ts";

export interface CapturedRun {
  readonly printed: Capture;
  /** As a shell says it: 128 and the signal's number for a program that was killed. */
  readonly exitCode: number;
  /** Something it started still holds its output open. What that prints later is not seen. */
  readonly leftRunning: boolean;
}

/** Runs a person's own command as they would: their rights, their stdin, no gates. Both streams go into one pipe, so their order is the true one. */
export async function runCaptured(words: readonly string[], terminal: Terminal): Promise<CapturedRun> {
  const fromTerminal = terminal.stdin.isTTY || terminal.stdout.isTTY || terminal.stderr.isTTY;
  const { file, args, env, isWatched } = foregroundLine(shellCall(words), {
    pass: SIGNALS.filter((name) => !isHeard(name, fromTerminal)).map(short),
    hear: SIGNALS.filter((name) => isHeard(name, fromTerminal)).map(short),
  });
  const child = startTyped(file, args, { env, stdio: ["inherit", "pipe", "inherit", ...(isWatched ? ["pipe" as const] : [])] });
  child.stdio[3]?.on("error", () => {});
  const printed = createCapture();
  child.stdout!.on("data", (bytes: Buffer) => printed.add(bytes));
  const ended = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
  const closed = new Promise<boolean>((resolve) => void child.once("close", () => resolve(true)));
  const stopListening = passOnSignals(child, fromTerminal);
  const hide = showProgress(printed, terminal);
  try {
    const [code, signal] = await ended;
    const done = await Promise.race([closed, sleep(LINGER_MS, false, { ref: false })]);
    child.stdout!.destroy();
    return { printed, exitCode: code ?? 128 + constants.signals[signal!], leftRunning: !done };
  } finally {
    hide();
    stopListening();
  }
}

/** The command as one line, for the rules. One word with a space in it is a line for the shell already. */
export const commandLine = (words: readonly string[]): string => (isLine(words) ? words[0]! : words.map(quoteShell).join(" "));

const isLine = (words: readonly string[]): boolean => words.length === 1 && /\s/.test(words[0]!);
const LINGER_MS = 1000;

/** A program that is not there is told apart from what programs print. */
const EXEC = `command -v "$1" >/dev/null 2>&1 || { printf 'zeph filter: there is no program "%s".\\n' "$1" >&2; exit 127; }; exec "$@" 2>&1`;

const shellCall = (words: readonly string[]) =>
  isLine(words)
    ? { file: safeProgram("bash"), args: ["-c", `exec 2>&1\n${words[0]}`] }
    : { file: "/bin/sh", args: ["-c", EXEC, "sh", ...words] };

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const short = (name: string): string => name.slice("SIG".length);

/** A terminal gives Ctrl-C to everyone in front of it. Told twice, many programs would take it for "at once". */
const isHeard = (name: string, fromTerminal: boolean): boolean => name === "SIGINT" && fromTerminal;

function passOnSignals(child: ChildProcess, fromTerminal: boolean): () => void {
  const listeners = SIGNALS.map((name) => {
    const listener = () => void (isHeard(name, fromTerminal) ? null : child.kill(name));
    process.on(name, listener);
    return () => void process.off(name, listener);
  });
  return () => {
    for (const off of listeners) off();
  };
}

const STEP_MS = 500;

/** A line that says how far it is, and goes when the output comes. */
function showProgress(printed: Capture, { stderr, err }: Terminal): () => void {
  if (!stderr.isTTY) return () => {};
  const started = performance.now();
  let drawn = false;
  const draw = () => {
    const seconds = Math.floor((performance.now() - started) / 1000);
    if (seconds === 0) return;
    stderr.write(`\r\u001b[K${err.dim(`… ${seconds}s, ${groupedPlural(printed.lines(), "line")}`)}`);
    drawn = true;
  };
  const timer = setInterval(draw, STEP_MS);
  return () => {
    clearInterval(timer);
    if (drawn) stderr.write("\r\u001b[K");
  };
}
