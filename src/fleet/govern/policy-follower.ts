import type { PolicySource } from "../../core/ports/fleet/govern.ts";
import type { Bus } from "../../core/ports/fleet/session.ts";
import type { Pg } from "../../store/pg/pg.ts";
import { SUBJECTS } from "../bus/subjects.ts";
import { elapsedBetween, type Moment, readClock } from "../lease.ts";
import { createWaker } from "../waker.ts";
import { createPolicies, type FleetPolicies, type StoredPolicy } from "./policies.ts";

export interface PolicyFollowing {
  readonly db: Pg;
  /** Null: a new version is found by looking. */
  readonly bus: Bus | null;
  /** How often the version is asked for, and how old an answer may be before this process counts as behind. */
  readonly beatMs: number;
  /** Throws where this version of Zeph cannot read it. */
  readonly check: (policy: StoredPolicy) => void;
  readonly warn: (message: string) => void;
}

/** The policy of a tenant, for all runtimes of a process. */
export interface PolicyFollower extends PolicySource {
  /** A beat told the newest version. */
  heard(version: number): void;
  /** How long ago the policy in force was last known to be the newest, in milliseconds. */
  policyAge(): number;
  /** More than one beat behind: whoever is takes nothing new. */
  isBehind(): boolean;
  /** The newest version is in force, or could not be had, when it resolves. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** Resolves when the first answer is there, and waits for a server that is away: nobody knows by which rules to begin. */
export async function openPolicyFollower({ db, bus, beatMs, check, warn }: PolicyFollowing): Promise<PolicyFollower> {
  const policies = createPolicies(db, null);
  const patient = createPolicies({ ...db, ...db.patient }, null);
  const listeners = new Set<() => void>();
  const waker = createWaker();
  let current: StoredPolicy | null = null;
  let newest = 0;
  /** When the question was asked after whose answer ours was the newest. */
  let confirmed: Moment = readClock();
  let problem = "";
  let isOpen = true;

  const take = async (policies: Pick<FleetPolicies, "newest" | "get">): Promise<void> => {
    const asked = readClock();
    newest = Math.max(newest, await policies.newest());
    if (newest > (current?.version ?? 0)) {
      const found = await policies.get();
      if (found) check(found);
      if (found && found.version > (current?.version ?? 0)) {
        current = found;
        newest = Math.max(newest, found.version);
        for (const listener of listeners) listener();
      }
    }
    confirmed = asked;
    problem = "";
  };
  const look = async (): Promise<void> => {
    try {
      await take(policies);
    } catch (error) {
      const told = `The policy of the fleet could not be read: ${(error as Error).message}`;
      if (told !== problem) warn(told);
      problem = told;
    }
  };
  await take(patient);
  const hearing = bus?.hear(SUBJECTS.policy(db.tenant), waker.wake).catch(() => null) ?? Promise.resolve(null);
  const looking = (async () => {
    while (isOpen) {
      await waker.nap(beatMs);
      if (isOpen) await look();
    }
  })();
  const age = () => elapsedBetween(confirmed, readClock());
  return {
    current: () => current,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    heard(version) {
      if (version <= newest) return;
      newest = version;
      waker.wake();
    },
    policyAge: age,
    // An answer is up to a beat old when the next one comes; after two, one is missing.
    isBehind: () => age() > 2 * beatMs,
    look,
    async close() {
      isOpen = false;
      waker.wake();
      (await hearing)?.();
      await looking;
    },
  };
}
