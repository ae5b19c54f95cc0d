import type { AuditStats } from "../../core/ports/audit.ts";
import { type ChainedEntry, parseEntry } from "./chain.ts";
import { auditLines } from "./lines.ts";

/** Counts over the calls of all files, in bounded memory. */
export async function statsAudit(files: readonly string[]): Promise<AuditStats> {
  const tools = tally();
  const outcomes = tally();
  const errors = tally();
  const gates = tally();
  const durations = new Map<number, number>();
  let calls = 0;
  let unreadable = 0;
  let first: string | null = null;
  let last: string | null = null;

  const count = (entry: ChainedEntry) => {
    if (entry.kind !== "call") return;
    calls += 1;
    tools.add(entry.tool);
    outcomes.add(entry.outcome);
    errors.add(entry.error_category);
    gates.add(entry.gate);
    // Three digits are enough to read, and keep the number of different durations small.
    const duration = Number(entry.duration_ms?.toPrecision?.(3) ?? Number.NaN);
    if (Number.isFinite(duration)) durations.set(duration, (durations.get(duration) ?? 0) + 1);
    if (first === null || entry.ts < first) first = entry.ts;
    if (last === null || entry.ts > last) last = entry.ts;
  };
  for (const file of files) {
    for await (const lines of auditLines(file)) {
      for (const line of lines) {
        const entry = parseEntry(line);
        if (entry) count(entry);
        else unreadable += 1;
      }
    }
  }
  return {
    calls,
    first,
    last,
    tools: tools.all(),
    outcomes: outcomes.all(),
    errors: errors.all(),
    gates: gates.all(),
    duration: percentiles(durations),
    unreadable,
  };
}

/** Most frequent first. */
function tally() {
  const counts = new Map<string, number>();
  return {
    add: (name: string | undefined) => void (name !== undefined && counts.set(name, (counts.get(name) ?? 0) + 1)),
    all: (): Record<string, number> => Object.fromEntries([...counts].sort((a, b) => b[1] - a[1])),
  };
}

function percentiles(durations: ReadonlyMap<number, number>): AuditStats["duration"] {
  const sorted = [...durations].sort((a, b) => a[0] - b[0]);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  if (total === 0) return null;
  const at = (share: number) => {
    let seen = 0;
    for (const [duration, count] of sorted) {
      seen += count;
      if (seen >= total * share) return duration;
    }
    return sorted.at(-1)![0];
  };
  return { p50: at(0.5), p95: at(0.95) };
}
