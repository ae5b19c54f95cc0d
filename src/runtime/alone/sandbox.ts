import type { Walls } from "../../core/ports/walls.ts";
import type { CommandLimits } from "../../host/sandbox/limits.ts";

/** What a command may reach, and for how long. */
export interface WalledOptions {
  /** The folder it starts in. It may write there, unless `write` names other folders. Default: where the process runs. */
  readonly cwd?: string;
  /** More folders it may read, besides the programs of the system. */
  readonly read?: readonly string[];
  /** The folders it may write, in place of `cwd`. */
  readonly write?: readonly string[];
  /** `open` shares the machine's network, with its localhost services. Default: `closed`. */
  readonly network?: "open" | "closed";
  /** Variables it is given, besides harmless ones of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: Partial<CommandLimits>;
  /** When it is ended, with everything it started. Default: 120,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** What it reads. Default: nothing. */
  readonly stdin?: string;
  /** Most characters of its output that are kept. Default: 10,000,000. */
  readonly outputChars?: number;
}

/** How a command behind walls ended. */
export interface WalledRun {
  /** Null when it was ended from outside; `stopped` says why. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** There was more output than is kept. */
  readonly truncated: boolean;
  readonly stopped?: "timeout" | "aborted";
  /** What stood around it. */
  readonly walls: Walls;
}

/** Runs a command of bash behind the operating system's walls. Where none can be had it is not run: this throws a ToolError that says why. */
export async function runWalled(command: string, options: WalledOptions = {}): Promise<WalledRun> {
  const { runBehindWalls } = await import("./walled-run.ts");
  return runBehindWalls(command, options);
}

/** Which walls can be had here, and why there are no better ones. */
export async function findWalls(options: Pick<WalledOptions, "cwd"> = {}): Promise<Walls> {
  const { lookForWalls } = await import("./walled-run.ts");
  return lookForWalls(options);
}
