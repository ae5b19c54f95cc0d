import type { ApprovedCall } from "../door.ts";
import type { CallContext } from "../tool.ts";
import type { TurnContext } from "../turn.ts";
import type { Walls } from "./walls.ts";

/** Commands, behind walls. Working directory and exported variables carry on from call to call inside one turn. */
export interface Shell {
  run(permit: ApprovedCall, command: string, ctx: CommandContext): Promise<Ran>;
  /** Runs a command on a copy of what it may change, and tells what it changed there. Nothing is kept. */
  rehearse(permit: ApprovedCall, command: string, ctx: CommandContext): Promise<Rehearsed>;
  /** Starts a command that outlives its call, behind the same walls. It is watched for a second. */
  start(permit: ApprovedCall, command: string, ctx: CommandContext): Promise<Started & Watched & { readonly walls?: Walls }>;
  /** The runs of whoever calls: a caller sees none of another's. What was printed comes along where one alone has new lines. */
  list(permit: ApprovedCall, turn: TurnContext): Promise<readonly (Started & Look & { readonly newLines?: number })[]>;
  /** Waits until a run ends or the time is up. How it ended, with what nobody has looked at yet; or that alone, when it still runs. */
  wait(permit: ApprovedCall, runId: string, seconds: number, ctx: CallContext): Promise<Ran | Look | null>;
  kill(permit: ApprovedCall, runId: string, turn: TurnContext): Promise<Ran>;
}
/** A call that runs a command. */
export interface CommandContext extends CallContext {
  /** Seconds it may take, in place of what is configured; never more than is configured as the most. */
  readonly seconds?: number | undefined;
}
/** How a command ended, and what it printed. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  /** Both as they came. */
  readonly text: string;
  /** Never null: 128 + n on a signal, 124 at the time limit, 130 when cancelled. */
  readonly exitCode: number;
  readonly signal?: string;
  /** How many bytes each stream printed. Absent where a host does not count them. */
  readonly sizes?: StreamSizes;
  /** The capture cap cut something. */
  readonly truncated: boolean;
  readonly ended: "by itself" | "time limit" | "cancelled";
  /** The folder in which the turn's next command starts, in words: from the workspace, and whether the person chose it. Absent at the workspace's top. */
  readonly folder?: string;
  /** The command itself went there, or back to the top: from which folder, unless that was the top. */
  readonly moved?: { readonly from?: string };
  readonly walls: Walls;
  /** A guess which wall caused a failure. */
  readonly hint?: string;
  /** Names with their ports that it could not reach because nobody was there to say yes. */
  readonly unanswered?: readonly string[];
  /** What a transaction did, where there was one. */
  readonly rollback?: string;
  /** Things that happened on the way that the caller should know. */
  readonly notes: readonly string[];
  /** Files it made, changed or removed that programs outside the walls run or obey (`core/protected.ts`). All of them. */
  readonly later?: readonly Later[];
  /** Of a command in the background. */
  readonly run?: { readonly command: string; readonly wasLookedAt: boolean };
}

/** Bytes of the two streams of a command. */
export interface StreamSizes {
  readonly stdout: number;
  readonly stderr: number;
}

/** A path that something else changed while a command ran. */
export interface Later {
  readonly path: string;
  readonly how: "appeared" | "changed" | "is gone" | "was moved away" | "was not looked into";
  /** Where it was moved to. */
  readonly to?: string;
  /** Why it was not looked into, in words that follow its name. */
  readonly why?: string;
  /** It is the folder of Zeph itself. */
  readonly isZeph?: true;
}

/** A command that was started in the background. */
export interface Started {
  readonly runId: string;
  readonly command: string;
  readonly startedAt: number;
}

/** A look at a background command that goes on. */
export interface Look {
  readonly command?: string;
  /** What it has printed since somebody looked last. */
  readonly output?: string;
  /** The last line of that has no end yet, as a question has none. It is told again when it has. */
  readonly isUnfinished?: boolean;
}

/** What is known of a background command so far. */
export interface Watched extends Look {
  /** How it ended, where it has. Nobody is told of it again. */
  readonly ran?: Ran;
  /** The folder it runs in, where that is not the workspace's top. */
  readonly folder?: string;
}

/** A background command as a person is shown it. */
export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** When it was started, in milliseconds since 1970. */
  readonly since: number;
  /** `killed`: somebody ended it. `timed_out`: the time limit did. `failed`: it could not be started. */
  readonly state: "running" | "ended" | "killed" | "timed_out" | "failed";
  /** When it ended, in milliseconds since 1970. Absent while it runs. */
  readonly until?: number;
  /** Absent while it runs, and when it could not be started. */
  readonly exitCode?: number;
}

/** A command that was tried where nothing is kept. */
export interface Rehearsed {
  readonly ran: Ran;
  readonly changes: readonly Change[];
  /** How many more changes there are than are listed. */
  readonly unlisted: number;
  /** Whether everything it did was looked at. */
  readonly isComplete: boolean;
  /** The folder from which the paths are shown to people. */
  readonly workspace: string;
}

/** What a command did to one path. The texts are there when they are short and are text. */
export interface Change {
  readonly path: string;
  readonly kind: "created" | "changed" | "deleted";
  readonly before?: string;
  readonly after?: string;
  /** What the texts do not show, such as a mode. */
  readonly detail?: string;
}

/** The streams of whoever waits for a command, lent to it while it runs. What it prints is also kept, as for any command. */
export interface CommandStreams {
  /** Whether there is anything for it to read. */
  readonly stdin: boolean;
  /** Variables for this command alone. */
  readonly env: Readonly<Record<string, string>>;
  /** Every byte once, as it comes. */
  output(bytes: Buffer, stream: "stdout" | "stderr"): void;
  started(running: RunningCommand): void;
  /** As a shell says it: 128 and the signal's number for a command that was killed. */
  ended(exitCode: number): void;
  /** What it left that programs outside the walls run or obey. Of that, what steers other agents was moved away. */
  left(later: readonly Later[]): void;
}

/** What can be done to a command that runs. */
export interface RunningCommand {
  /** Hands over what it is to read. False when it has not read the last of it; `drained` is called when it has. */
  write(bytes: Buffer, drained: () => void): boolean;
  /** There is nothing more to read. */
  end(): void;
  /** To everything it started, as a terminal does. Its walls are not told. False when nothing was found that hears it. */
  signal(number: number): boolean;
}
