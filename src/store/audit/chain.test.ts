import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Anchor } from "../../core/ports/anchors.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import {
  type ChainedEntry,
  createClaimCounter,
  entryLine,
  eventOf,
  isProblem,
  type LogEvent,
  noteEntry,
  parseEntry,
  readLogEnd,
  START,
} from "./chain.ts";
import { sha256 } from "./lines.ts";

const HASH = "a".repeat(64);
const TORN: LogEvent = { event: "torn", line: 3, before: HASH };
const anchor = (count: number, size: number) => ({ count, size, hash: HASH });
const mismatch = (expected: number, found: number): LogEvent => ({
  event: "mismatch",
  expected: anchor(expected, 10),
  found: anchor(found, 20),
});
const unknown = (lines: number, when: "opened" | "open" = "opened"): LogEvent => ({ event: "unknown", lines, when });
const chained = (entry: AuditEntry): ChainedEntry => ({ ...entry, prev: HASH });
const called: AuditEntry = { kind: "call", ts: "now", tool: "read" };

describe("a line of the log", () => {
  it("holds what the entry says, leaves out what it does not, and ends with the hash of the line before", () => {
    expect(entryLine(called, HASH)).toBe(`{"kind":"call","ts":"now","tool":"read","prev":"${HASH}"}\n`);
    const empty = { kind: "call", ts: "now", tool: null, args: { deep: null } } as unknown as AuditEntry;
    expect(entryLine(empty, HASH)).toBe(`{"kind":"call","ts":"now","args":{"deep":null},"prev":"${HASH}"}\n`);
  });

  it.each([
    ["our own", `{"kind":"call","prev":"${HASH}"}`, true],
    ["one without a hash", '{"kind":"call"}', false],
    ["one with another kind of hash", '{"kind":"call","prev":1}', false],
    ["no object", "null", false],
    ["no JSON", "{", false],
  ])("is read as an entry or not: %s", (_name, text, isEntry) => {
    const line = { number: 1, hash: HASH, size: text.length + 1, bytes: Buffer.from(text), end: "newline" as const };
    expect(parseEntry(line) !== null).toBe(isEntry);
    expect(parseEntry({ ...line, bytes: null })).toBeNull();
  });
});

describe("a note of the log's own", () => {
  it.each<[LogEvent, string]>([
    [TORN, "Line 3 was cut short when a process died while writing it; it was never acknowledged."],
    [mismatch(4, 5), "When the log was opened it was not as it was left: expected 4 lines and 10 bytes, found 5 lines and 20 bytes."],
    [
      mismatch(4, 4),
      "When the log was opened it was not as it was left: expected 4 lines and 10 bytes, found 4 lines and 20 bytes with other content.",
    ],
    [unknown(2, "open"), "While the log was open, something else wrote 2 lines to it."],
    [
      unknown(1),
      "When the log was opened, it held 1 line the store did not know of: a process died right after writing it, or something else wrote it.",
    ],
    [
      unknown(2),
      "When the log was opened, it held 2 lines the store did not know of: something else wrote them, or the machine lost power, or a process died while the store was locked.",
    ],
  ])("says what happened, and is read back: %j", (event, note) => {
    expect(noteEntry(event)).toMatchObject({ kind: "note", args: event, note });
    expect(eventOf(chained(noteEntry(event)))).toEqual(event);
  });

  it("is no note where the kind or the event is another", () => {
    expect(eventOf(chained({ ...noteEntry(TORN), kind: "call" }))).toBeNull();
    expect(eventOf(chained({ kind: "note", ts: "now", args: { event: "other" } }))).toBeNull();
    expect(eventOf(chained({ kind: "note", ts: "now" }))).toBeNull();
  });

  it.each<[LogEvent, boolean]>([
    [TORN, false],
    [mismatch(1, 2), true],
    [unknown(0), false],
    [unknown(1), false],
    [unknown(2), true],
    [unknown(1, "open"), true],
  ])("is a problem where the death of a process cannot have left it: %j", (event, expected) => {
    expect(isProblem(event)).toBe(expected);
  });
});

describe("lines that claim something", () => {
  const note = (event: LogEvent) => chained(noteEntry(event));
  const torn = (line: number) => note({ event: "torn", line, before: HASH });
  const entry = chained(called);
  /** Counted from line 1. */
  const counted = (...entries: readonly (ChainedEntry | null)[]) => {
    const counter = createClaimCounter();
    for (const [n, one] of entries.entries()) counter.add(one, n + 1);
    return counter.count();
  };

  it.each<[string, readonly (ChainedEntry | null)[], number]>([
    ["nothing", [], 0],
    ["entries", [entry, entry], 2],
    ["rubbish", [null], 1],
    ["rubbish that a note seals", [null, torn(1)], 0],
    ["an entry that a note calls torn", [entry, torn(1)], 1],
    ["a seal of another line", [null, entry, torn(1)], 3],
    ["a seal with nothing before it", [torn(0)], 1],
    ["notes about the log", [note(unknown(2)), note(mismatch(1, 2))], 0],
    ["a note in other words", [{ ...note(unknown(2)), note: "All is well." }], 1],
    ["a seal in other words", [null, { ...torn(1), note: "All is well." }], 2],
    ["several deaths one after the other", [null, torn(1), null, torn(3), entry], 1],
  ])("are counted: %s", (_name, entries, expected) => {
    expect(counted(...entries)).toBe(expected);
  });
});

describe("the end of a log", () => {
  const first = entryLine(called, START.hash);
  const second = entryLine(called, sha256(first.trimEnd()));
  const anchorAfter = (count: number, ...lines: readonly string[]) => ({
    count,
    hash: sha256(lines.at(-1)!.trimEnd()),
    size: lines.join("").length,
  });
  function endOf(text: string, known: Anchor | null, ours = 99) {
    const folder = mkdtempSync(join(tmpdir(), "zeph-chain-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, "log"), text);
    const fd = openSync(join(folder, "log"), "r");
    onTestFinished(() => closeSync(fd));
    return readLogEnd(fd, text.length, known, ours);
  }

  it("is counted from the start where the store knows nothing", () => {
    expect(endOf(first + second, null)).toEqual({ end: anchorAfter(2, first, second), torn: null, anchor: "holds", unknown: 0 });
    expect(endOf("", null)).toEqual({ end: START, torn: null, anchor: "holds", unknown: 0 });
  });

  it("counts the lines that the store does not know of, but not those this process wrote", () => {
    expect(endOf(first + second, anchorAfter(1, first))).toEqual({
      end: anchorAfter(2, first, second),
      torn: null,
      anchor: "holds",
      unknown: 1,
    });
    expect(endOf(first + second, anchorAfter(1, first), 2)).toMatchObject({ unknown: 1 });
    expect(endOf(first + second, anchorAfter(1, first), 1)).toMatchObject({ end: anchorAfter(2, first, second), unknown: 0 });
    expect(endOf(first + second, anchorAfter(2, first, second))).toMatchObject({ end: anchorAfter(2, first, second), unknown: 0 });
  });

  it("is not as the store left it where a line was changed, or is shorter, and then no line is called unknown", () => {
    const changed = first.replace("read", "edit");
    expect(endOf(changed + second, anchorAfter(1, first))).toEqual({
      end: anchorAfter(2, changed, second),
      torn: null,
      anchor: "broken",
      unknown: 0,
    });
    expect(endOf(first, anchorAfter(2, first, second))).toEqual({ end: anchorAfter(1, first), torn: null, anchor: "broken", unknown: 0 });
    expect(endOf("", anchorAfter(1, first))).toMatchObject({ end: START, anchor: "broken" });
    const inside = { count: 1, size: first.length - 1, hash: sha256(first.slice(0, -2)) };
    expect(endOf(first, inside)).toMatchObject({ anchor: "broken" });
  });

  it("may be an unfinished line, which is no line yet", () => {
    const torn = second.slice(0, 20);
    expect(endOf(first + torn, anchorAfter(1, first))).toEqual({
      end: anchorAfter(1, first),
      torn: { hash: sha256(torn), size: 20 },
      anchor: "holds",
      unknown: 0,
    });
  });

  it("is found after a line that is longer than what is read at a time", () => {
    const long = entryLine({ ...called, note: "x".repeat(40_000) }, START.hash);
    expect(endOf(long + second, anchorAfter(1, long))).toMatchObject({ anchor: "holds", unknown: 1 });
    expect(endOf(first + long, anchorAfter(2, first, long))).toMatchObject({ anchor: "holds", unknown: 0 });
  });
});
