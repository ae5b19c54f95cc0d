import type { Walls } from "./walls.ts";

/** A program that runs for long, behind the same walls as a command, and is talked to through its standard input and output. It starts in an empty folder of its own, never in the workspace. */
export interface ServedProgram {
  /** The program is named by its whole path, or looked up outside the workspace. `${WORKSPACE}` in the words after it, and in variables, is the workspace. */
  readonly argv: readonly [string, ...string[]];
  /** All it gets besides what every command gets. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Names: a network of its own, with a way to these alone. `install`: closed. What it is made of is fetched first, once: by the same words, where
   * the package registries can be reached and nothing of the person's is there.
   */
  readonly network: "open" | "closed" | "install" | readonly string[];
  /** Names two folders that are kept for it alone, from start to start: its home, and its packages. `${DATA}` is the home. */
  readonly kept?: string;
  /** What is said to it to see whether it is there; any answer will do. */
  readonly greeting?: string;
  /** More that it may read, as `tools.sandbox.allow_read` says it. */
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}

export interface Served {
  readonly walls: Walls;
  readonly pid: number | undefined;
  /** What it prints on its standard output, as it comes. Set it at once. */
  onOutput: (chunk: Uint8Array) => void;
  /** Resolves when it has been taken. */
  write(bytes: Uint8Array | string): Promise<void>;
  /** How it ended, and the end of what it printed on its standard error. */
  readonly ended: Promise<ServedEnd>;
  /** Files that programs outside the walls may run, and that appeared or changed since this was last asked: a sentence for each. */
  look?(): readonly string[];
  /** It fetches what it is made of by itself before it says anything, and has not been here yet: so long that may take besides. */
  readonly fetchMs?: number;
  /** Ends it and everything it started. */
  stop(): Promise<void>;
}

export interface ServedEnd {
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly said: string;
}

/** Throws a ToolError when there are no walls to run it behind, or no such program. */
export type Serve = (program: ServedProgram) => Promise<Served>;
