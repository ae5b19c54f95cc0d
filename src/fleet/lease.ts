/** A moment on both clocks of a machine: one of them stands still while it sleeps, the other can be set. */
export interface Moment {
  readonly mono: number;
  readonly wall: number;
}

export type FleetClock = () => Moment;

export const readClock: FleetClock = () => ({ mono: performance.now(), wall: Date.now() });

/** The longer of the two. */
export const elapsedBetween = (from: Moment, to: Moment): number => Math.max(to.mono - from.mono, to.wall - from.wall);

/** Beyond this share of a lease nothing is done until the next answer. */
const SURE_SHARE = 0.8;

/** What a worker knows by its own clock of a session that it was given: whether it is surely still its own. */
export interface Lease {
  /** The server has said so, to a question of that moment. */
  renew(asked: Moment): void;
  isSure(): boolean;
  /** Waits for the next answer. False: the signal was aborted. */
  untilSure(signal: AbortSignal): Promise<boolean>;
}

export function createLease(leaseMs: number, asked: Moment, clock: FleetClock = readClock): Lease {
  let last = asked;
  const waiting = new Set<() => void>();
  const isSure = () => elapsedBetween(last, clock()) < leaseMs * SURE_SHARE;
  return {
    renew(at) {
      last = at;
      if (isSure()) for (const go of [...waiting]) go();
    },
    isSure,
    async untilSure(signal) {
      while (!signal.aborted && !isSure())
        await new Promise<void>((resolve) => {
          const go = () => {
            waiting.delete(go);
            signal.removeEventListener("abort", go);
            resolve();
          };
          waiting.add(go);
          signal.addEventListener("abort", go, { once: true });
        });
      return !signal.aborted;
    },
  };
}
