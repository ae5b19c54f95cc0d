import { ToolError } from "../../core/error.ts";
import { EditorRefused, type EditorTerminal, type TerminalEnd, TerminalUnavailable } from "../../core/ports/editor.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { isWithin } from "../../text/path.ts";
import { createInlineLine, type InlineLine, type SideChannel } from "../sandbox/backends/inline.ts";
import { realDisk } from "../sandbox/disk.ts";
import type { Launch } from "../sandbox/fed-launch.ts";
import { changedPath, PlaceChanged } from "../sandbox/held-places.ts";
import { limitsLayer } from "../sandbox/limits.ts";
import { realOrParent } from "../sandbox/listed-paths.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { type CapturedOutput, createOutputCapture } from "./capture.ts";

/** An editor's terminal, and a folder of ours for what a line needs there. Commands must never reach that folder. */
export interface LentTerminal {
  readonly terminal: EditorTerminal;
  readonly folder: string;
}

export interface TerminalJob {
  readonly callId: string;
  readonly launch: Launch;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Aborts when the time is up. */
  readonly over: AbortSignal;
  readonly outputBytes: number;
  readonly side: SideChannel | null;
}

export interface TerminalResult {
  readonly end: Pick<TerminalEnd, "exitCode" | "signal" | "stopped">;
  readonly captured: CapturedOutput;
  readonly side: Buffer;
}

/** How long an editor may take to say that it has stopped a command. */
const GRACE_MS = 5000;

/** Runs one command where the person watches. A text says why nothing was started: then it may be run elsewhere. */
export async function runInTerminal(
  { terminal, folder }: LentTerminal,
  job: TerminalJob,
  signal: AbortSignal,
): Promise<TerminalResult | string> {
  let line: InlineLine;
  try {
    line = createInlineLine(job.launch, folder, job.side);
  } catch (error) {
    job.launch.cleanup();
    return (error as Error).message;
  }
  try {
    if (isTooLong(line.argv)) return "the command is too long for its command line";
    if (signal.aborted) return { end: { exitCode: null, stopped: "aborted" }, captured: await captured("", job), side: Buffer.alloc(0) };
    const end = await answer(terminal, line, job, signal);
    if (typeof end === "string") return end;
    if (end.stopped) await line.end();
    else {
      const status = line.status();
      const words = end.output.trim().slice(0, 500) || `exit code ${end.exitCode}`;
      if (status === "changed") throw new PlaceChanged(changedPath(words));
      if (status === "not started") return `it did not start there: ${words}`;
      if (status === "set up" && NOT_STARTED.includes(end.exitCode))
        throw new ToolError("permanent_failure", `The command could not be started: ${words}`);
    }
    const printed = await captured(end.output, job, end.truncated);
    return { end, captured: { ...printed, stderr: complaintsIn(printed.text) }, side: line.side() };
  } finally {
    line.remove();
  }
}

/** How bwrap and zeph-run end when the walls could not be built. */
const NOT_STARTED: readonly (number | null)[] = [1, 125];

/** Linux takes no single argument of 128 KiB, and nobody knows what else the editor adds to all of them. */
const LONGEST_ARGUMENT = 128 * 1024 - 1;
const LONGEST_LINE = 512 * 1024;
const isTooLong = (argv: readonly string[]): boolean => {
  const lengths = argv.map((word) => Buffer.byteLength(word));
  return lengths.some((length) => length > LONGEST_ARGUMENT) || lengths.reduce((sum, length) => sum + length, 0) > LONGEST_LINE;
};

async function answer(terminal: EditorTerminal, line: InlineLine, job: TerminalJob, signal: AbortSignal): Promise<TerminalEnd | string> {
  const { callId, cwd, timeoutMs, over, outputBytes } = job;
  const wait = patience(over, signal);
  try {
    const running = terminal.run({ callId, argv: line.argv, cwd, env: {}, timeoutMs, over, outputBytes }, signal);
    const end = await Promise.race([running, wait.over]);
    if (typeof end === "object" && typeof end.output === "string")
      return { ...end, exitCode: isExitCode(end.exitCode) ? end.exitCode : null };
    await line.end();
    if (end === "aborted") return { output: "", truncated: false, exitCode: null, stopped: "aborted" };
    throw new Error("it does not answer");
  } catch (error) {
    if (error instanceof TerminalUnavailable) return error.message;
    if (error instanceof EditorRefused)
      throw new ToolError("policy_blocked", `The editor refused to open a terminal for this command (${error.message}). It was not run.`);
    await line.end();
    throw new ToolError(
      "network_error",
      `The editor's terminal failed (${(error as Error).message}), so it is not known whether the command ran or what it did.`,
      { advice: "Look at what the command would have changed before you run it again.", cause: error },
    );
  } finally {
    wait.stop();
  }
}

const isExitCode = (code: number | null) => code !== null && Number.isInteger(code) && code >= 0 && code <= 255;

/** An editor that says nothing must not keep a call for ever. */
function patience(late: AbortSignal, signal: AbortSignal): { readonly over: Promise<"timeout" | "aborted">; stop(): void } {
  const timers: NodeJS.Timeout[] = [];
  const ends: (() => void)[] = [];
  const over = new Promise<"timeout" | "aborted">((resolve) => {
    for (const [why, from] of [["timeout", late] as const, ["aborted", signal] as const]) {
      const begin = () => void timers.push(setTimeout(() => resolve(why), GRACE_MS));
      if (from.aborted) begin();
      else from.addEventListener("abort", begin, { once: true });
      ends.push(() => from.removeEventListener("abort", begin));
    }
  });
  return {
    over,
    stop: () => {
      for (const timer of timers) clearTimeout(timer);
      for (const end of ends) end();
    },
  };
}

/** One text: a terminal does not keep the two streams apart, and it ends its lines in its own way. */
async function captured(output: string, { outputBytes }: TerminalJob, cut = false): Promise<CapturedOutput> {
  const truncated = cut || output.length > outputBytes;
  const kept = createOutputCapture(outputBytes);
  kept.add("stdout", Buffer.from(output.slice(-outputBytes).replaceAll("\r\n", "\n")));
  const { text, truncated: cutHere } = await kept.result();
  const whole = truncated ? `[earlier output is left out here]\n${text}` : text;
  return { stdout: whole, stderr: "", text: whole, truncated: truncated || cutHere };
}

/**
 * What a program says before it gives up, as far as one can tell where both streams are one: a name, a colon and the system's words. How a command
 * failed is read from it, as it is from the stream of errors elsewhere.
 */
const complaintsIn = (text: string): string =>
  text
    .slice(-LONGEST_COMPLAINTS)
    .split("\n")
    .filter((line) => /^[^\s:][^:\n]{0,200}: .{0,2000}\b(permission denied|no such file or directory)\b/i.test(line))
    .join("\n");
const LONGEST_COMPLAINTS = 65_536;

/** Why an editor's terminal is not used for this command; null when it can be. Another user cannot be put on there. */
export function terminalRefusal({ folder }: LentTerminal, policy: Policy, user: object | undefined): string | null {
  if (user) return "tools.scope.run_as_user is set";
  const real = realOrParent(folder, realDisk);
  // What the line opens decides about its walls, so a command that could write it would build them for the next.
  const open = [...policy.write, ...policy.read].find((root) => isWithin(root, real));
  return open === undefined ? null : `commands can reach ${real}, where its files would lie`;
}

/** The walls as they stand around a command in an editor's terminal: nobody can put it in a cgroup there. */
export function terminalWalls(sandbox: Sandbox): Walls {
  if (sandbox.backend !== "bubblewrap") return sandbox.walls;
  const root = process.getuid?.() === 0;
  const kept = sandbox.walls.layers.filter((layer) => !["limits", "rlimit-only", "memory"].includes(layer));
  return { ...sandbox.walls, layers: [...kept, ...limitsLayer(sandbox.prlimit, { root, cgroup: false })] };
}
