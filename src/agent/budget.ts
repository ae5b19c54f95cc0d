import type { LimitName, Limits, Totals } from "../core/event.ts";
import { grouped, groupedPlural } from "../text/words.ts";

/** How much of one limit is used. */
export interface LimitUse {
  readonly limit: LimitName;
  readonly used: number;
  readonly most: number;
}

/** What was used, by name of the limit. */
export type Use = Readonly<Record<LimitName, number>>;

/** What whoever the limits are for has used: a run, an agent, a caller. Runs that are under way count as they go. */
export interface Ledger {
  used(): Use;
  add(use: Partial<Use>): void;
  /** A run begins; what is returned ends it. */
  join(run: () => Use): () => void;
}

/** Limits, and what is used of them. */
export interface BudgetAccount {
  readonly limits: Limits;
  readonly ledger: Ledger;
}

/** Watches the limits of one run. All that count for it are looked at together. */
export interface Budget {
  /** The limit that is used up; null while there is none. */
  over(): LimitUse | null;
  /** The limits of which four fifths are used, each told once. */
  takeNear(): readonly LimitUse[];
  /** Counts a call that is about to be made. False when no more may be made: it is not made then. */
  mayCall(): boolean;
  /** Milliseconds until the time is over; null for no limit. */
  readonly msLeft: number | null;
  /** The run is over; what it used stays in the accounts. */
  end(): void;
}

const NOTHING_USED: Use = { turns: 0, tokens: 0, usd: 0, ms: 0, calls: 0 };
const LIMIT_NAMES = Object.keys(NOTHING_USED) as readonly LimitName[];
const NEAR = 0.8;

export function createLedger(): Ledger {
  let past = NOTHING_USED;
  const running = new Set<() => Use>();
  const add = (use: Partial<Use>) => {
    past = addUse(past, { ...NOTHING_USED, ...use });
  };
  return {
    used: () => [...running].reduce((sum, run) => addUse(sum, run()), past),
    add,
    join(run) {
      running.add(run);
      return () => {
        if (running.delete(run)) add(run());
      };
    },
  };
}

/** Counts a call that no run makes. */
export function takeCall({ limits: { calls: most = Number.POSITIVE_INFINITY }, ledger }: BudgetAccount): {
  readonly ok: boolean;
  readonly near?: LimitUse;
} {
  const before = ledger.used().calls;
  if (before >= most) return { ok: false };
  ledger.add({ calls: 1 });
  const isNear = before + 1 >= NEAR * most && before < NEAR * most;
  return { ok: true, ...(isNear && { near: { limit: "calls", used: before + 1, most } }) };
}

export function createBudget(accounts: readonly BudgetAccount[], totals: () => Totals): Budget {
  const began = performance.now();
  let calls = 0;
  const told = new Set<string>();
  const used = (): Use => {
    const { usage, cost = 0, requests } = totals();
    return { turns: requests, tokens: usage.input + usage.output, usd: cost, ms: performance.now() - began, calls };
  };
  const left = accounts.flatMap(({ limits, ledger }) => (limits.ms === undefined ? [] : [Math.max(0, limits.ms - ledger.used().ms)]));
  const ends = accounts.map(({ ledger }) => ledger.join(used));
  const uses = (): readonly (LimitUse & { readonly key: string })[] =>
    accounts.flatMap(({ limits, ledger }, n) => {
      const all = ledger.used();
      return LIMIT_NAMES.flatMap((limit) => {
        const most = limits[limit];
        return most === undefined ? [] : [{ limit, used: all[limit], most, key: `${n} ${limit}` }];
      });
    });
  return {
    over: () => uses().find(({ used, most }) => used >= most) ?? null,
    takeNear: () =>
      uses().filter(({ used, most, key }) => {
        if (used < NEAR * most || told.has(key)) return false;
        told.add(key);
        return true;
      }),
    mayCall() {
      if (uses().some(({ limit, used, most }) => limit === "calls" && used >= most)) return false;
      calls++;
      return true;
    },
    msLeft: left.length === 0 ? null : Math.min(...left),
    end() {
      for (const end of ends) end();
    },
  };
}

const addUse = (a: Use, b: Use): Use => Object.fromEntries(LIMIT_NAMES.map((name) => [name, a[name] + b[name]])) as Use;

/** Throws a TypeError for what is no limit: one that was misspelt would never be reached. */
export function assertLimits(limits: Limits): void {
  for (const [name, most] of Object.entries(limits)) {
    if (!LIMIT_NAMES.includes(name as LimitName))
      throw new TypeError(`There is no limit "${name}". The limits are ${LIMIT_NAMES.join(", ")}.`);
    if (most !== undefined && !(typeof most === "number" && most > 0))
      throw new TypeError(`limits.${name} must be a number above 0, not ${most}.`);
  }
}

const UNITS: Readonly<Record<LimitName, (count: number) => string>> = {
  turns: (count) => groupedPlural(count, "request to the model", "requests to the model"),
  tokens: (count) => groupedPlural(count, "token"),
  usd: (count) => `$${count.toFixed(2)}`,
  ms: (count) => `${grouped(Math.round(count / 100) / 10)} s`,
  calls: (count) => groupedPlural(count, "call"),
};

export const overText = ({ limit, most }: LimitUse): string => `Stopped: the budget of ${UNITS[limit](most)} is used up (limits.${limit}).`;

export const nearText = ({ limit, used, most }: LimitUse): string =>
  `[budget] ${Math.floor((100 * used) / most)} % of the ${UNITS[limit](most)} for this task are used. Come to an end before they are used up.`;
