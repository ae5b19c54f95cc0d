export interface Clock {
  now: number;
  events: number;
  in(ms: number, work: () => void): void;
  run(until?: number): void;
  stop(): void;
}
export interface SeededRandom {
  next(): number;
  exponential(mean: number): number;
  around(mean: number): number;
  skewed(mean: number): number;
  skewedByLength(mean: number): number;
}
export function createClock(): Clock;
export function createRandom(seed: number): SeededRandom;
export function createServers(clock: Clock, count: number): { readonly busyMs: number; use(length: () => number, then: () => void): void };
export function createLog(
  clock: Clock,
  flushMs: () => number,
  options: { readonly bytesMs: number; readonly standbyMs: number },
): { readonly commits: number; readonly flushes: number; commit(size: number, then: () => void): void };
