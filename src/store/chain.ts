import { readSync } from "node:fs";
import type { AuditEntry } from "../core/audit.ts";
import type { Anchor } from "../core/store.ts";
import { type Line, linesFrom, MAX_LINE, sha256 } from "./lines.ts";

/** A log before its first line. The first line carries this hash. */
export const START: Anchor = { count: 0, hash: "0".repeat(64), size: 0 };

export type ChainedEntry = AuditEntry & { readonly prev: string };

/** An entry as it stands in the file. Absent fields are left out; `prev` is the hash of the line before, and always last. */
export function lineOf(entry: AuditEntry, prev: string): string {
  const json = JSON.stringify(Object.values(entry).includes(null as never) ? withoutNulls(entry) : entry);
  return `${json.slice(0, -1)},"prev":"${prev}"}\n`;
}

const withoutNulls = (entry: AuditEntry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));

/** Null when the line is no entry of ours. */
export function entryOf(line: Line): ChainedEntry | null {
  if (!line.bytes) return null;
  try {
    const value: unknown = JSON.parse(line.bytes.toString("utf8"));
    return typeof (value as ChainedEntry | null)?.prev === "string" ? (value as ChainedEntry) : null;
  } catch {
    return null;
  }
}

/**
 * The log's own events. A torn line has no readable `prev`, so the note that seals it vouches for the line before it;
 * otherwise that line could be edited unseen.
 */
export type LogEvent =
  | { readonly event: "torn"; readonly line: number; readonly before: string }
  | { readonly event: "mismatch"; readonly expected: Anchor; readonly found: Anchor };

export const note = (event: LogEvent): AuditEntry => ({
  kind: "note",
  ts: new Date().toISOString(),
  args: event,
  note: event.event === "torn" ? tornText(event.line) : mismatchText(event.expected, event.found),
});

export function eventOf(entry: ChainedEntry): LogEvent | null {
  if (entry.kind !== "note") return null;
  const event = entry.args as LogEvent | undefined;
  return event?.event === "torn" || event?.event === "mismatch" ? event : null;
}

const tornText = (line: number) => `Line ${line} was cut short when a process died while writing it; it was never acknowledged.`;
const mismatchText = (expected: Anchor, found: Anchor) =>
  `When the log was opened it was not as it was left: expected ${expected.count} lines and ${expected.size} bytes, ` +
  `found ${found.count} lines and ${found.size} bytes${expected.count === found.count ? " with other content" : ""}.`;

/** Where a file stands: its last whole line, the hash of an unfinished one, and whether the anchor was still true of it. */
export interface Standing {
  readonly end: Anchor;
  readonly torn: { readonly hash: string; readonly size: number } | null;
  readonly anchor: "holds" | "broken";
}

/** Reads only what was written after the anchor. When the anchor does not hold, the whole file, to count its lines. */
export function standing(fd: number, size: number, anchor: Anchor): Standing {
  const holds = size >= anchor.size && lineBefore(fd, anchor.size) === anchor.hash;
  let end = holds ? anchor : START;
  let torn: Standing["torn"] = null;
  for (const line of linesFrom(fd, end.size, end.count)) {
    if (line.end === "none") torn = { hash: line.hash, size: line.size };
    else end = { count: line.number, hash: line.hash, size: end.size + line.size };
  }
  return { end, torn, anchor: holds ? "holds" : "broken" };
}

/** The hash of the line that ends exactly at this position, null when none does. */
function lineBefore(fd: number, position: number): string | null {
  if (position === 0) return START.hash;
  for (let want = 8192; ; want *= 4) {
    const from = Math.max(0, position - want);
    const bytes = Buffer.alloc(position - from);
    if (readSync(fd, bytes, 0, bytes.length, from) !== bytes.length || bytes.at(-1) !== 10) return null;
    const text = bytes.subarray(0, -1);
    const newline = text.lastIndexOf(10);
    if (newline !== -1 || from === 0) return sha256(text.subarray(newline + 1));
    if (want > MAX_LINE) return null;
  }
}
