import { constants } from "node:os";
import { ToolError } from "../../core/error.ts";
import type { CommandStreams, Ran } from "../../core/ports/shell.ts";
import type { Walls } from "../../core/ports/walls.ts";
import type { NetworkPlace } from "../network/session-network.ts";
import type { HeldPlaces } from "../sandbox/held-places.ts";
import { assertUnchanged } from "../sandbox/judged-start.ts";
import { type LaunchOptions, launch, openLaunch } from "../sandbox/launch.ts";
import type { Policy } from "../sandbox/policy.ts";
import { runLaunch } from "../sandbox/run.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { OtherUser } from "../sandbox/user.ts";
import { type CapturedOutput, createOutputCapture, type OutputCapture } from "./capture.ts";
import type { CommandClock } from "./command-clock.ts";
import { type LentTerminal, runInTerminal, terminalRefusal } from "./terminal.ts";
import { MAX_STATE, STATE_FD } from "./turn-state.ts";

/** A command and its walls. */
export interface CommandPlan {
  /** The walls as they are where there are none, and that is agreed; null behind walls. */
  readonly open: Walls | null;
  readonly found: Sandbox;
  readonly policy: Policy;
  readonly argv: readonly string[];
  /** The places of the policy, held since it was made; undefined where no walls are built. */
  readonly places: HeldPlaces | undefined;
  /** Its place in the session's network; null where it has a network of its own, or none. */
  readonly place: NetworkPlace | null;
}

export interface CommandSettings {
  readonly callId: string;
  /** Its time, and the clock that counts it. */
  readonly timeoutMs: number;
  readonly clock: CommandClock;
  readonly signal: AbortSignal;
  readonly outputBytes: number;
  /** It says where it ended up. */
  readonly tells: boolean;
  readonly user: OtherUser | undefined;
  readonly lent: LentTerminal | undefined;
  readonly streams: CommandStreams | undefined;
  /** Told of what it prints, as it comes. */
  readonly hear?: OutputCapture["add"] | undefined;
  /** Called when its walls stand. */
  readonly onReady?: (() => void) | undefined;
}

export interface CommandResult {
  readonly end: Pick<Awaited<ReturnType<typeof runLaunch>>, "exitCode" | "stopped"> & { readonly signal?: string };
  readonly captured: CapturedOutput;
  /** Where it would say what went wrong. */
  readonly complaints: string;
  /** What it said about its state. */
  readonly spoken: Buffer;
  readonly walls: Walls;
  readonly notes: readonly string[];
}

/** Ends it when its time is up. A command that was cancelled then has another reason. */
export async function runCommand(plan: CommandPlan, how: CommandSettings): Promise<CommandResult> {
  const { clock, signal } = how;
  try {
    const done = await startCommand(plan, how);
    const isLate = done.end.stopped === "aborted" && clock.over.aborted && !signal.aborted;
    const end = isLate ? { ...done.end, stopped: "timeout" as const } : done.end;
    how.streams?.ended(commandEnd(end).exitCode);
    return { ...done, end };
  } finally {
    clock.close();
  }
}

/** Its clock ends it, no timer. */
const NO_LIMIT_MS = 24 * 60 * 60_000;

/** In the editor's terminal where one is lent; here when that one starts nothing. Never in both. */
async function startCommand(plan: CommandPlan, how: CommandSettings): Promise<CommandResult> {
  const { lent, user } = how;
  if (!lent) return here(plan, how);
  const why = terminalRefusal(lent, plan.policy, user) ?? (await there(plan, how, lent));
  if (typeof why === "object") return why;
  const ran = await here(plan, how);
  return { ...ran, notes: [`The editor's terminal was not used: ${why.replace(/\.$/, "")}. The command ran outside of it.`, ...ran.notes] };
}

async function there(
  plan: CommandPlan,
  { callId, timeoutMs, clock, outputBytes, tells, signal, onReady }: CommandSettings,
  lent: LentTerminal,
): Promise<CommandResult | string> {
  const launched = launchFor(plan, { starter: "other", onReady });
  const job = {
    callId,
    launch: launched,
    cwd: plan.policy.cwd,
    timeoutMs,
    over: clock.over,
    outputBytes,
    side: tells ? { fd: STATE_FD, most: MAX_STATE } : null,
  };
  const shown = await runInTerminal(lent, job, signal);
  if (typeof shown === "string") return shown;
  const { end, captured, side } = shown;
  return { end, captured, complaints: captured.text.slice(-COMPLAINTS), spoken: side, walls: launched.walls, notes: [] };
}

async function here(
  plan: CommandPlan,
  { clock, outputBytes, tells, signal, user, streams, hear, onReady }: CommandSettings,
): Promise<CommandResult> {
  const launched = launchFor(plan, { user, onReady });
  const output = createOutputCapture(outputBytes);
  const spoken: Buffer[] = [];
  let told = 0;
  const listen = (chunk: Buffer) => {
    // What is longer is no state; anyone can write there.
    if (told <= MAX_STATE) spoken.push(chunk);
    told += chunk.length;
  };
  const end = await runLaunch(launched, {
    timeoutMs: NO_LIMIT_MS,
    signal: AbortSignal.any([signal, clock.over]),
    onOutput(chunk, stream) {
      output.add(stream, chunk);
      hear?.(stream, chunk);
      streams?.output(chunk, stream);
    },
    streams,
    ...(tells && { side: { fd: STATE_FD, onData: listen } }),
  });
  assertUnchanged(end);
  if (end.setupError !== undefined) throw notStarted(end.setupError);
  const captured = { ...(await output.result()), sizes: output.sizes() };
  return { end, captured, complaints: captured.stderr.slice(-COMPLAINTS), spoken: Buffer.concat(spoken), walls: launched.walls, notes: [] };
}

/** What a command died of stands at the end. */
const COMPLAINTS = 64 * 1024;

const notStarted = (why: string) =>
  new ToolError(
    "permanent_failure",
    `The command could not be started: ${why.includes("E2BIG") ? "it is longer than this system takes in one piece (E2BIG). Write it into a file and run that." : why}`,
  );

const launchFor = ({ open, found, policy, argv, place, places }: CommandPlan, how: LaunchOptions) =>
  open ? openLaunch(open, policy, argv, how) : launch(found, policy, argv, { ...how, places, join: place?.line });

/** A signal by its name; editors also write it without SIG, or as its number. What nobody knows killed it. */
function numberOf(signal = "SIGKILL"): number {
  const number = Number(signal);
  if (Number.isInteger(number) && number > 0 && number < 128) return number;
  const name = signal.toUpperCase();
  return (constants.signals as Record<string, number>)[name.startsWith("SIG") ? name : `SIG${name}`] ?? constants.signals.SIGKILL;
}

export function commandEnd({ exitCode, signal, stopped }: CommandResult["end"]): Pick<Ran, "exitCode" | "ended"> {
  if (stopped === "timeout") return { exitCode: 124, ended: "time limit" };
  if (stopped === "aborted") return { exitCode: 130, ended: "cancelled" };
  return { exitCode: exitCode ?? 128 + numberOf(signal), ended: "by itself" };
}
