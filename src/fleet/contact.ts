import { elapsedBetween, type FleetClock, type Moment, readClock } from "./lease.ts";

/** Since when a worker has been in touch with the server without a gap. */
export interface Contact {
  answered(asked: Moment): void;
  missed(): void;
  /** For a whole lease, and still. Only who has been may say that others have not: after an outage everybody gets that time. */
  hasLasted(): boolean;
}

export function createContact(leaseMs: number, clock: FleetClock = readClock): Contact {
  let since: Moment | null = null;
  let last: Moment | null = null;
  return {
    answered(asked) {
      // A worker that was frozen has missed no beat, and yet was out of touch.
      if (last === null || elapsedBetween(last, asked) > leaseMs / 2 || elapsedBetween(asked, clock()) > leaseMs / 2) since = null;
      last = asked;
      since ??= clock();
    },
    missed() {
      since = null;
      last = null;
    },
    hasLasted() {
      const now = clock();
      return since !== null && last !== null && elapsedBetween(since, now) >= leaseMs && elapsedBetween(last, now) <= leaseMs / 2;
    },
  };
}
