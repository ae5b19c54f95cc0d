/** What stands between a command and the machine. Every result of a command and its audit line carry it. */
export interface Walls {
  /** `host`: those of a machine that a program brought, in its own words. */
  readonly backend: "bubblewrap" | "seatbelt" | "landlock" | "host" | "none";
  /** Which parts really hold here, for example namespaces, seccomp, limits. */
  readonly layers: readonly string[];
  readonly network: "open" | "closed";
  /** With namespaces (`bubblewrap`): the program that builds them. */
  readonly builder?: WallsBuilder;
  /** Why there is no better backend, in words, with what to do. */
  readonly reason?: string;
}

/** Zeph's own builder, the machine's bwrap, or the bwrap that Zeph brings along. */
export type WallsBuilder = "own" | "system" | "shipped";

/** Why no walls stood around a command; undefined where some did, or nothing was run. */
export const missingWalls = (walls: Walls | undefined): string | undefined =>
  walls?.backend === "none" ? (walls.reason ?? "no reason is known") : undefined;

/** What the probe found, once per process. Gates are told this; they cannot see the machine themselves. */
export interface WallsFacts {
  /** Waits for the probe, which runs once. */
  walls(): Promise<Walls>;
}

/** The program that makes the walls. */
export const wallsName = ({ backend, builder }: Pick<Walls, "backend" | "builder">): string => (builder === "own" ? "zeph-run" : backend);

/** In one line, for logs and people. */
export const wallsText = ({ layers, network, ...walls }: Walls): string =>
  `${wallsName(walls)}${layers.length > 0 ? ` (${layers.join(", ")})` : ""}, network ${network}`;

/** What a command could still do, with the walls as they stand now. */
export interface WallReach {
  readonly walls: Walls;
  /** Null where there are no walls: what its user can do, the command can do. */
  readonly confined: Confined | null;
  /** The names of the variables it sees; their values are nobody's business. */
  readonly variables: readonly string[];
  /** When it is killed. */
  readonly seconds: number;
  /** What of the settings could not be followed. */
  readonly warnings: readonly string[];
  /** Settings that might be taken for a limit of commands and are none. */
  readonly notes?: readonly string[];
}

/** How far a command behind walls gets. All paths are real and absolute. */
export interface Confined {
  readonly cwd: string;
  readonly write: readonly string[];
  /** Inside those folders, and read-only all the same. */
  readonly frozen: readonly string[];
  /** Readable besides what it can write and the system's own programs. */
  readonly read: readonly string[];
  /** The parts of the system it can read, where they are listed one by one. */
  readonly system: readonly string[];
  readonly network: "open" | "closed";
  /** Null: not limited here. */
  readonly limits: {
    readonly processes: number | null;
    readonly memoryBytes: number | null;
    readonly fileBytes: number | null;
  };
}
