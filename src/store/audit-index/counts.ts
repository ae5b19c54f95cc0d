import type { Sqlite } from "../sqlite/sqlite.ts";
import { WAYS } from "./take-in.ts";

/** How many calls there were, how they ended, and where something went. */
export interface IndexTotals {
  readonly calls: number;
  readonly sessions: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly gates: readonly { readonly gate: string; readonly times: number }[];
  readonly hosts: readonly { readonly host: string; readonly sent: number; readonly failed: number; readonly held: number }[];
}

/** The most frequent first. */
export interface IndexChoices {
  readonly tools: readonly string[];
  readonly gates: readonly string[];
  readonly callers: readonly string[];
}

interface Count {
  readonly name: string;
  readonly n: number;
}

const MOST_LISTED = 200;

/** Counts of the whole log are kept as lines come; those from a moment on are made when somebody asks. */
export function createIndexCounts(db: Sqlite) {
  const whole = db.statement<Count>(
    "select names.name, sum(n) as n from counts join names on names.id = counts.name where what = ? group by counts.name order by 2 desc, 1 limit ?",
  );
  const different = db.statement<{ n: number }>("select count(distinct name) as n from counts where what = ?");
  const sinceBy = (column: string) =>
    db.statement<Count>(
      `select names.name, n from (select ${column} as id, count(*) as n from calls where ts >= ? and ${column} is not null group by 1) c join names on names.id = c.id order by n desc, names.name limit ${MOST_LISTED}`,
    );
  const outcomesSince = sinceBy("outcome");
  const gatesSince = sinceBy("gate");
  const callsSince = db.statement<{ calls: number; sessions: number }>(
    "select count(*) as calls, count(distinct session) as sessions from calls where ts >= ?",
  );
  const hostsSince = db.statement<Count & { way: number }>(
    "select names.name, way, n from (select host, way, sum(times) as n from others where host is not null and ts >= ? group by host, way) h join names on names.id = h.host order by n desc",
  );
  const byGate = db.statement<{ gate: string; outcome: string | null; n: number }>(
    `select g.name as gate, o.name as outcome, n from (select gate, outcome, count(*) as n from calls where gate is not null group by 1, 2) c
     join names g on g.id = c.gate left join names o on o.id = c.outcome`,
  );
  const all = (what: string) => whole.all(what, MOST_LISTED);
  const names = (what: string) => all(what).map(({ name }) => name);

  return {
    totals(since?: number): IndexTotals {
      if (since === undefined) {
        const outcomes = all("outcome");
        return {
          calls: outcomes.reduce((sum, { n }) => sum + n, 0),
          sessions: different.get("session")?.n ?? 0,
          outcomes: Object.fromEntries(outcomes.map(({ name, n }) => [name, n])),
          gates: all("gate").map(({ name, n }) => ({ gate: name, times: n })),
          hosts: hostsOf(WAY_NAMES.flatMap((way) => all(way).map((count) => ({ ...count, way })))),
        };
      }
      const { calls = 0, sessions = 0 } = callsSince.get(since) ?? {};
      return {
        calls,
        sessions,
        outcomes: Object.fromEntries(outcomesSince.all(since).map(({ name, n }) => [name, n])),
        gates: gatesSince.all(since).map(({ name, n }) => ({ gate: name, times: n })),
        hosts: hostsOf(hostsSince.all(since).map((row) => ({ ...row, way: WAY_NAMES[row.way]! }))),
      };
    },
    /** How often each gate asked and denied, in the whole log. */
    gates: (): ReadonlyMap<string, { readonly asked: number; readonly denied: number }> => {
      const found = new Map<string, { asked: number; denied: number }>();
      for (const { gate, outcome, n } of byGate.all()) {
        const one = found.get(gate) ?? { asked: 0, denied: 0 };
        one[outcome === "denied" ? "denied" : "asked"] += n;
        found.set(gate, one);
      }
      return found;
    },
    choices: (): IndexChoices => ({ tools: names("tool"), gates: names("gate"), callers: names("caller") }),
  };
}

const WAY_NAMES = Object.keys(WAYS) as (keyof typeof WAYS)[];

function hostsOf(rows: readonly (Count & { readonly way: keyof typeof WAYS })[]): IndexTotals["hosts"] {
  const hosts = new Map<string, { host: string; sent: number; failed: number; held: number }>();
  for (const { name, way, n } of rows) {
    const host = hosts.get(name) ?? { host: name, sent: 0, failed: 0, held: 0 };
    host[way] += n;
    hosts.set(name, host);
  }
  const all = ({ sent, failed, held }: { sent: number; failed: number; held: number }) => sent + failed + held;
  return [...hosts.values()].sort((a, b) => all(b) - all(a)).slice(0, MOST_LISTED);
}
