import type { AuditEntry, AuditSink } from "../../core/ports/audit.ts";
import type { AuditFile } from "../../store/audit/audit-file.ts";
import { deepFreeze } from "../../text/freeze.ts";
import { isRecord } from "../../text/json.ts";
import { waitAtMost, waitWithin } from "../../text/wait-within.ts";
import { plural } from "../../text/words.ts";

export interface SinkLimits {
  /** Lines that wait for the sink; more are not handed over. */
  readonly lines: number;
  /** How long the sink may take for one line, and closing for all of them. */
  readonly ms: number;
}
const LIMITS: SinkLimits = { lines: 1000, ms: 10_000 };

/** The same log, and each of its lines is handed to the program's sink as well, in their order, once it is written. */
export function withAuditSink(log: AuditFile, given: AuditSink, warn: (message: string) => void, limits = LIMITS) {
  const { write, required } = sinkOf(given);
  const waiting: { readonly line: AuditEntry; readonly end: (failure: Error | null) => void }[] = [];
  let pumping: Promise<void> | null = null;
  /** What the last line failed at. */
  let failing: Error | null = null;
  let missed = 0;
  const failed = (failure: Error) => {
    missed += 1;
    if (!failing) warn(`The audit sink failed: ${failure.message}. The log has every line; this is said once, until it works again.`);
    failing = failure;
    return failure;
  };
  const works = () => {
    if (failing) warn(`The audit sink works again; it was not handed ${plural(missed, "line")}.`);
    failing = null;
    missed = 0;
  };
  const pump = async () => {
    for (let next = waiting[0]; next; next = waiting[0]) {
      const failure = await handed(write, next.line, limits.ms);
      waiting.shift();
      if (failure) failed(failure);
      else works();
      next.end(failure);
    }
    pumping = null;
  };
  const hand = (entry: AuditEntry): Promise<Error | null> => {
    if (waiting.length >= limits.lines) return Promise.resolve(failed(new Error(`${limits.lines} lines wait for it`)));
    return new Promise((end) => {
      waiting.push({ line: deepFreeze(JSON.parse(JSON.stringify(entry))), end });
      pumping ??= pump();
    });
  };
  // A model reads this. What the sink said of itself may name a server or hold a key.
  const refusal = (cause: Error) => new Error("the program's own audit sink took no line, and nothing is done without it.", { cause });
  const audited: AuditFile = {
    path: log.path,
    append(entry) {
      log.append(entry);
      const before = failing;
      void hand(entry);
      // Nobody can wait here: what failed last time counts.
      if (required && before) throw refusal(before);
    },
    async record(entry) {
      await log.record(entry);
      const end = hand(entry);
      const failure = required ? await end : null;
      if (failure) throw refusal(failure);
    },
    close: log.close,
  };
  return {
    log: audited,
    async close() {
      if (pumping) await waitAtMost(pumping, limits.ms);
      if (waiting.length > 0) warn(`The audit sink was not handed the last ${plural(waiting.length, "line")}: it is too slow.`);
    },
  };
}

/** Null when the sink took the line. */
async function handed(write: (line: AuditEntry) => unknown, line: AuditEntry, ms: number): Promise<Error | null> {
  try {
    const late = new Error(`it did not take a line within ${ms} ms`);
    const end = await waitWithin(Promise.resolve(write(line)), ms, late);
    return end === late ? late : null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function sinkOf(given: AuditSink): { write(line: AuditEntry): unknown; readonly required: boolean } {
  if (typeof given === "function") return { write: given, required: false };
  if (!isRecord(given) || typeof given.write !== "function")
    throw new TypeError("audit is a function that takes a line, or { write, required }.");
  if (given.required !== undefined && typeof given.required !== "boolean") throw new TypeError("audit.required is true or false.");
  return { write: given.write.bind(given), required: given.required === true };
}
