interface Times {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
}
export interface FleetRun {
  readonly seconds: number;
  readonly submitted: number;
  readonly taken: number;
  readonly done: number;
  readonly takes: number;
  readonly emptyTakes: number;
  readonly waitedMs: number;
  readonly waiting: number;
  readonly running: number;
  /** Tasks that ran at once, at most. */
  readonly most: number;
  readonly commits: number;
  readonly depth: { readonly mean: number; readonly most: number };
  readonly wait: Times;
  readonly turn: Times;
  readonly writes: Times;
  readonly doneRate: number;
  readonly commitRate: number;
  readonly emptyRate: number;
  readonly group: number;
  readonly shares: { readonly cores: number; readonly log: number; readonly slots: number };
  readonly isOverrun: boolean;
}
export function simulateFleet(parameters: Record<string, unknown>): FleetRun;
