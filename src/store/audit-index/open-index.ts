import { rmSync } from "node:fs";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { auditName } from "../audit/names.ts";
import { isUnreadable } from "../sqlite/error.ts";
import { openSqlite, type Sqlite } from "../sqlite/sqlite.ts";
import { createIndexCounts, type IndexChoices, type IndexTotals } from "./counts.ts";
import { indexedName } from "./indexed-line.ts";
import { entryAt, withLogFile } from "./log-file.ts";
import { createIndexQueries, type IndexQuery, type LinePlace } from "./queries.ts";
import { INDEX_SCHEMA } from "./schema.ts";
import { createTakeIn } from "./take-in.ts";

/** A line of the log, and where it stands. */
export interface IndexedLine {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly entry: AuditEntry;
}

/** The audit log, to be searched. Each question first takes in what was written since the last one. */
export interface AuditIndex {
  /** Newest first, and how many there are in all. */
  find(query: IndexQuery): Promise<{ readonly calls: readonly IndexedLine[]; readonly total: number }>;
  /** All lines about a call, and the calls of its session around it; null where there is none. */
  call(callId: string): Promise<IndexedCall | null>;
  totals(since?: number): Promise<IndexTotals>;
  choices(): Promise<IndexChoices>;
  /** How often each gate asked and denied. */
  gates(): Promise<ReadonlyMap<string, { readonly asked: number; readonly denied: number }>>;
  /** Oldest first. */
  session(sessionId: string, most?: number): Promise<readonly IndexedLine[]>;
  /** Calls that ended since this place in the index, and the place from which to go on. Without a place: none, and where the index ends. */
  newer(from?: IndexEnd): Promise<{ readonly calls: readonly IndexedLine[]; readonly end: IndexEnd }>;
  close(): void;
}
export interface IndexEnd {
  readonly id: number;
  /** What ended before this moment is not new, though it was read only now. */
  readonly since: number;
}
export interface IndexedCall {
  readonly main: IndexedLine;
  readonly lines: readonly IndexedLine[];
  readonly around: readonly IndexedLine[];
}

const AROUND = 6;
/** A report of more lines than these would be read by nobody, and is not held in memory. */
const MOST_OF_SESSION = 50_000;
const MOST_NEWER = 200;

/** What the index holds can be made again from the log at any time: a file that cannot be used is removed. */
export function openAuditIndex(file: string, audit: string): AuditIndex {
  let db = openAnew(file);
  let parts = partsOf(db, audit);

  const ask = async <T>(question: (using: ReturnType<typeof partsOf>) => T): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        await parts.takeIn.update();
        return question(parts);
      } catch (error) {
        // Lines that are not where they were: the file is read again.
        if (tries === 3 || !(error instanceof MovedLine || isUnreadable(error))) throw error;
        if (error instanceof MovedLine) parts.takeIn.forget(error.file);
        else {
          db.close();
          removeIndex(file);
          db = openAnew(file);
          parts = partsOf(db, audit);
        }
      }
    }
  };
  return {
    find: (query) =>
      ask(({ queries, read }) => {
        const { places, total } = queries.find(query);
        return { calls: read(places), total };
      }),
    call: (callId) =>
      ask(({ queries, read }) => {
        const { calls, others } = queries.call(callId);
        const places = [...others, ...calls].sort((a, b) => a.ts - b.ts || a.id - b.id);
        const main = calls.at(-1) ?? places[0];
        if (!main) return null;
        return {
          main: read([main])[0]!,
          lines: read(places),
          around: calls.length === 0 ? [] : read(queries.around(main, AROUND)),
        };
      }),
    totals: (since) => ask(({ counts }) => counts.totals(since)),
    gates: () => ask(({ counts }) => counts.gates()),
    choices: () => ask(({ counts }) => counts.choices()),
    session: (sessionId, most = MOST_OF_SESSION) => ask(({ queries, read }) => read(queries.session(sessionId, most))),
    newer: (from) =>
      ask(({ queries, read }) => {
        const id = queries.lastId();
        if (!from) return { calls: [], end: { id, since: Date.now() } };
        return { calls: read(queries.newer(from.id, from.since, MOST_NEWER)), end: { id, since: from.since } };
      }),
    close: () => db.close(),
  };
}

/** A line is no longer where the index says. */
class MovedLine extends Error {
  readonly file: number;
  constructor(file: number) {
    super("The audit log was changed while it was read.");
    this.file = file;
  }
}

function partsOf(db: Sqlite, audit: string) {
  const fileName = db.statement<{ name: string }>("select name from files where id = ?");
  return {
    takeIn: createTakeIn(db, auditName(audit)),
    queries: createIndexQueries(db),
    counts: createIndexCounts(db),
    read: (places: readonly LinePlace[]) => readPlaces(places, (file) => fileName.get(file)?.name ?? ""),
  };
}

/** The lines themselves, from the log. */
function readPlaces(places: readonly LinePlace[], nameOf: (file: number) => string): IndexedLine[] {
  const entries = new Map<LinePlace, IndexedLine>();
  for (const file of new Set(places.map((place) => place.file))) {
    const name = nameOf(file);
    const isRead = withLogFile(name, ({ fd }) => {
      for (const place of places.filter((one) => one.file === file)) {
        const entry = entryAt(fd, place.at, place.size);
        if (entry === null || indexedName(entry.call_id) !== place.call_id) throw new MovedLine(file);
        entries.set(place, { file: name, line: place.line, entry });
      }
      return true;
    });
    if (!isRead) throw new MovedLine(file);
  }
  return places.map((place) => entries.get(place)!);
}

function openAnew(file: string): Sqlite {
  try {
    return openSqlite(file, PATIENCE_MS, INDEX_SCHEMA);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    removeIndex(file);
    return openSqlite(file, PATIENCE_MS, INDEX_SCHEMA);
  }
}
const PATIENCE_MS = 10_000;

function removeIndex(file: string): void {
  for (const end of ["", "-wal", "-shm", "-journal"]) rmSync(file + end, { force: true });
}
