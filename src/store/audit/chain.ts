import { readSync } from "node:fs";
import type { Anchor } from "../../core/ports/anchors.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { parseJson } from "../../text/json.ts";
import { plural } from "../../text/words.ts";
import { type AuditLine, linesFrom, MAX_LINE, sha256 } from "./lines.ts";

/** A log before its first line. The first line carries this hash. */
export const START: Anchor = { count: 0, hash: "0".repeat(64), size: 0 };

export type ChainedEntry = AuditEntry & { readonly prev: string };

/** An entry as it stands in the file. Absent fields are left out; `prev` is the hash of the line before, and always last. */
export function entryLine(entry: AuditEntry, prev: string): string {
  const json = JSON.stringify(Object.values(entry).includes(null as never) ? withoutNulls(entry) : entry);
  return `${json.slice(0, -1)},"prev":"${prev}"}\n`;
}

/** Several entries, each with the hash of the one before it, and the hash of each. */
export function chainedLines(entries: readonly AuditEntry[], prev: string): { readonly text: string; readonly hashes: readonly string[] } {
  const hashes: string[] = [];
  const lines = entries.map((entry) => {
    const line = entryLine(entry, hashes.at(-1) ?? prev);
    hashes.push(sha256(line.slice(0, -1)));
    return line;
  });
  return { text: lines.join(""), hashes };
}

const withoutNulls = (entry: AuditEntry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));

/** Null when the line is no entry of ours. */
export function parseEntry(line: AuditLine): ChainedEntry | null {
  if (!line.bytes) return null;
  const value = parseJson(line.bytes.toString("utf8")) as ChainedEntry | null | undefined;
  return typeof value?.prev === "string" ? value : null;
}

/**
 * The log's own events. A torn line has no readable `prev`, so the note that seals it vouches for the line before it;
 * otherwise that line could be edited unseen.
 */
export type LogEvent =
  /** `was: "whole"` where the store remembers the line: it was cut later. */
  | { readonly event: "torn"; readonly line: number; readonly before: string; readonly was?: "whole" }
  | { readonly event: "mismatch"; readonly expected: Anchor; readonly found: Anchor }
  | { readonly event: "unknown"; readonly lines: number; readonly when: "opened" | "open" };

export const noteEntry = (event: LogEvent): AuditEntry => ({
  kind: "note",
  ts: new Date().toISOString(),
  args: event,
  note: textOf(event),
});

export function eventOf(entry: ChainedEntry): LogEvent | null {
  if (entry.kind !== "note") return null;
  const event = entry.args as LogEvent | undefined;
  return event?.event === "torn" || event?.event === "mismatch" || event?.event === "unknown" ? event : null;
}

/** What the death of a process cannot leave behind. */
export const isProblem = (event: LogEvent): boolean =>
  event.event === "mismatch" ||
  (event.event === "torn" && event.was === "whole") ||
  (event.event === "unknown" && !(event.when === "opened" && event.lines <= 1));

/** A store is told of each line before the next is written, or of several before they are: a death leaves one line it does not know, and no more. */
export const whoWrote = (lines: number): string =>
  lines === 1
    ? "a process died right after writing it, or something else wrote it"
    : "something else wrote them, or the machine lost power, or a process died while the store was locked";

export const inLines = (count: number): string => plural(count, "line");

function textOf(event: LogEvent): string {
  if (event.event === "torn") return event.was === "whole" ? cutText(event.line) : tornText(event.line);
  if (event.event === "mismatch") return mismatchText(event.expected, event.found);
  if (event.when === "open") return `While the log was open, something else wrote ${inLines(event.lines)} to it.`;
  return `When the log was opened, it held ${inLines(event.lines)} the store did not know of: ${whoWrote(event.lines)}.`;
}

const tornText = (line: number) => `Line ${line} was cut short when a process died while writing it; it was never acknowledged.`;
/** Of a line that the store remembers as whole. */
export const cutText = (line: number) =>
  `Line ${line} was written whole and acknowledged, and its end is gone: somebody shortened the file, or the disk lost it.`;

const mismatchText = (expected: Anchor, found: Anchor) =>
  `When the log was opened it was not as it was left: expected ${plural(expected.count, "line")} and ${plural(expected.size, "byte")}, ` +
  `found ${plural(found.count, "line")} and ${plural(found.size, "byte")}${expected.count === found.count ? " with other content" : ""}.`;

/**
 * Counts the lines after an anchor that claim something. The log's own notes do not, nor does rubbish that one of them seals: processes
 * that die one after the other while they open the log may leave several of these.
 */
export function createClaimCounter() {
  let count = 0;
  let before: "nothing" | "entry" | "rubbish" = "nothing";
  return {
    add(entry: ChainedEntry | null, number: number): void {
      const event = entry && eventOf(entry);
      // In our words only: whatever else it says, somebody else said it.
      const isOurs = event !== null && entry?.note === textOf(event);
      const seals = isOurs && event.event === "torn" && before !== "nothing" && event.line === number - 1;
      if (seals && before === "rubbish") count -= 1;
      else if (!seals && !(isOurs && event.event !== "torn")) count += 1;
      before = entry ? "entry" : "rubbish";
    },
    count: () => count,
  };
}

/** Where a file stands: its last whole line, the hash of an unfinished one, and how that compares to the anchor. */
export interface LogEnd {
  readonly end: Anchor;
  readonly torn: { readonly hash: string; readonly size: number } | null;
  readonly anchor: "holds" | "broken";
  /** Lines that claim something and that the anchor, if there is one and it holds, does not cover. */
  readonly unknown: number;
}

/**
 * Reads only what was written after the anchor. When the anchor does not hold, the whole file, to count its lines.
 * `ours` is the number of the last line before those this process wrote itself.
 */
export function readLogEnd(fd: number, size: number, anchor: Anchor | null, ours: number): LogEnd {
  const { size: from, hash } = anchor ?? START;
  const holds = size >= from && lineBefore(fd, from) === hash;
  const unknown = createClaimCounter();
  let end = anchor && holds ? anchor : START;
  let torn: LogEnd["torn"] = null;
  for (const line of linesFrom(fd, end.size, end.count)) {
    if (line.end === "none") torn = { hash: line.hash, size: line.size };
    else end = { count: line.number, hash: line.hash, size: end.size + line.size };
    const isKnown = line.number > ours || (anchor?.announced?.includes(line.hash) ?? false);
    if (anchor && holds && line.end === "newline" && !isKnown) unknown.add(parseEntry(line), line.number);
  }
  return { end, torn, anchor: holds ? "holds" : "broken", unknown: unknown.count() };
}

/** The hash of the line that ends exactly at this position, null when none does. */
export function lineBefore(fd: number, position: number): string | null {
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
