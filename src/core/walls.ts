/** What stands between a command and the machine. Every result of a command and its audit line carry it. */
export interface Walls {
  readonly backend: "bubblewrap" | "seatbelt" | "landlock" | "none";
  /** Which parts really hold here, for example namespaces, seccomp, limits. */
  readonly layers: readonly string[];
  readonly network: "open" | "closed";
  /** Why there is no better backend, in words, with what to do. */
  readonly reason?: string;
}

/** What the probe found, once per process. Gates are told this; they cannot see the machine themselves. */
export interface WallsFacts {
  /** Waits for the probe, which runs once. */
  walls(): Promise<Walls>;
}

/** In one line, for logs and people. */
export const wallsText = ({ backend, layers, network }: Walls): string =>
  `${backend}${layers.length > 0 ? ` (${layers.join(", ")})` : ""}, network ${network}`;
