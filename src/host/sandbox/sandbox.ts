import type { Walls, WallsBuilder } from "../../core/ports/walls.ts";
import type { Arch } from "./backends/syscalls.ts";

/** What was found to work on this machine, with what is needed to use it. */
export type Sandbox = Bubblewrap | LandlockOnly | Seatbelt | Nothing;

/** Namespaces, as bubblewrap makes them. */
export interface Bubblewrap {
  readonly backend: "bubblewrap";
  readonly walls: Walls;
  readonly builder: WallsBuilder;
  /** The bwrap that builds. Null where Zeph's own builder does, which is part of `zeph-run`. */
  readonly bwrap: string | null;
  readonly options: ReadonlySet<string>;
  readonly arch: Arch;
  readonly prlimit: string | null;
  /** For scoping abstract sockets when the network is shared. */
  readonly landlock: Landlock | null;
}

/** Whether Zeph's own builder makes the walls. */
export const isOwnBuilder = (found: Sandbox | null): boolean => found?.backend === "bubblewrap" && found.bwrap === null;

/** The second tier: no namespaces. */
export interface LandlockOnly {
  readonly backend: "landlock";
  readonly walls: Walls;
  readonly landlock: Landlock;
  readonly arch: Arch;
  readonly prlimit: string | null;
}

export interface Seatbelt {
  readonly backend: "seatbelt";
  readonly walls: Walls;
}

export interface Nothing {
  readonly backend: "none";
  readonly walls: Walls;
}

export interface Landlock {
  readonly perl: string;
  readonly abi: number;
}
