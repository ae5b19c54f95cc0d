import { setImmediate } from "node:timers/promises";
import { lineBefore } from "../audit/chain.ts";
import { MAX_LINE, sha256 } from "../audit/lines.ts";
import { auditFamily } from "../audit/names.ts";
import type { Sqlite } from "../sqlite/sqlite.ts";
import { type IndexedFields, indexedFields, readEntry } from "./indexed-line.ts";
import { fileMark, type LogFile, readLogBytes, withLogFile } from "./log-file.ts";

/** Read in one transaction: others have their turn in between, and no more than this is held. */
const BATCH = 64 * 1024;
const NEWLINE = 10;

interface FileRow {
  readonly id: number;
  readonly name: string;
  readonly identity: string;
  /** How far it was read. */
  readonly end: number;
  /** The hash of the last line before that; null where there is none to compare. */
  readonly tail: string | null;
  readonly lines: number;
  readonly ts: number;
}

/** Takes the lines into the index that were written since the last time. */
export interface TakeIn {
  update(): Promise<void>;
  /** This file is read from its beginning the next time. */
  forget(file: number): void;
}

export function createTakeIn(db: Sqlite, log: string): TakeIn {
  const files = db.statement<FileRow>("select * from files order by id");
  const fileNamed = db.statement<FileRow>("select * from files where name = ?");
  const addFile = db.statement(
    "insert into files (name, identity, end, tail, lines, ts) values (?, ?, 0, null, 0, 0) on conflict (name) do update set identity = excluded.identity, end = 0, tail = null, lines = 0, ts = 0",
  );
  const moveFile = db.statement("update files set end = ?, tail = ?, lines = ?, ts = ? where id = ?");
  const removals = [
    "delete from texts where id in (select id from calls where file = ?)",
    ...["calls", "others", "counts"].map((table) => `delete from ${table} where file = ?`),
    "delete from files where id = ?",
  ].map((sql) => db.statement(sql));
  const remove = (file: number) => {
    for (const removal of removals) removal.run(file);
  };
  const rows = createRows(db);
  /** One for all batches: memory that is left behind with each is not given back soon. */
  const usual = Buffer.allocUnsafe(BATCH);
  /** How each file looked when it was last read to its end. */
  const marks = new Map<string, string>();
  let running: Promise<void> | null = null;

  /** True when there is more to read. */
  const step = (name: string, isFirst: boolean): boolean =>
    withLogFile(name, (open) =>
      db.together(() => {
        const known = fileNamed.get(name);
        if (known && !(isSame(known, open) && (!isFirst || holds(known, open)))) remove(known.id);
        if (!known || fileNamed.get(name) === undefined) addFile.run(name, open.identity);
        const row = fileNamed.get(name)!;
        const batch = readBatch(open, row.end, usual);
        if (batch.length === 0) return false;
        rows.begin();
        const next = takeLines(row, batch, rows.add);
        rows.finish(row.id);
        moveFile.run(next.end, next.tail, next.lines, next.ts, row.id);
        return next.end < open.size && next.end > row.end;
      }),
    ) ?? false;

  const updateAll = async () => {
    const { there } = auditFamily(log, []);
    const gone = files.all().filter(({ name }) => !there.includes(name));
    for (const { id, name } of gone) {
      db.together(() => remove(id));
      marks.delete(name);
    }
    for (const name of there) {
      const mark = fileMark(name);
      if (mark === null || marks.get(name) === mark) continue;
      for (let isFirst = true; step(name, isFirst); isFirst = false) await setImmediate();
      marks.set(name, mark);
    }
  };
  return {
    async update() {
      // Who asks while it is under way may ask about a line that it has passed.
      if (running) await running.catch(() => {});
      running ??= updateAll().finally(() => {
        running = null;
      });
      return running;
    },
    forget(file) {
      marks.clear();
      db.together(() => remove(file));
    },
  };
}

const isSame = (known: FileRow, { identity, size }: LogFile) => known.identity === identity && size >= known.end;
/** The line we read last is still where it was: a file that was written anew in its place is not the one we know. */
const holds = ({ end, tail }: FileRow, { fd }: LogFile) => tail === null || lineBefore(fd, end) === tail;

/** Whole lines from here on. One that is longer than any of ours is stepped over in pieces. */
function readBatch({ fd, size }: LogFile, from: number, usual: Buffer): Buffer {
  for (let most = BATCH; ; most = Math.min(most * 4, MAX_LINE)) {
    const bytes = readLogBytes(fd, from, most === BATCH ? usual : Buffer.allocUnsafe(Math.min(most, Math.max(0, size - from))));
    const whole = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
    if (whole.length > 0 || bytes.length < most) return whole;
    if (most === MAX_LINE) return bytes;
  }
}

interface PlacedLine extends IndexedFields {
  readonly line: number;
  readonly at: number;
  readonly size: number;
}

/** Hands each entry of the batch on and returns how far that leads. Lines that are no entries are skipped. */
function takeLines(row: FileRow, batch: Buffer, add: (line: PlacedLine, file: number) => void): Omit<FileRow, "id" | "name" | "identity"> {
  let { lines, ts } = row;
  let start = 0;
  let last: Buffer | null = null;
  for (let at = batch.indexOf(NEWLINE); at !== -1; at = batch.indexOf(NEWLINE, start)) {
    last = batch.subarray(start, at);
    lines += 1;
    const entry = readEntry(last);
    if (entry !== null) {
      const fields = indexedFields(entry);
      // A line without a time stays behind the one before it.
      if (!Number.isNaN(fields.ts)) ts = fields.ts;
      add({ ...fields, ts, line: lines, at: row.end + start, size: at + 1 - start }, row.id);
    }
    start = at + 1;
  }
  // In the middle of a line that is too long there is nothing to compare the next time.
  return { end: row.end + batch.length, tail: last && start === batch.length ? sha256(last) : null, lines, ts };
}

/** Writes the rows of a batch. Between `begin` and `finish` nothing is awaited. */
function createRows(db: Sqlite) {
  const findName = db.statement<{ id: number }>("select id from names where name = ?");
  const addName = db.statement<{ id: number }>("insert into names (name) values (?) returning id");
  const addCall = db.statement(
    "insert into calls (id, file, line, at, size, ts, call_id, session, tool, outcome, gate, caller) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const addText = db.statement("insert into texts (id, ts, tool, outcome, gate, caller, session, text) values (?, ?, ?, ?, ?, ?, ?, ?)");
  const addOther = db.statement(
    "insert into others (id, file, line, at, size, ts, kind, call_id, session, host, way, times) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const addCount = db.statement(
    "insert into counts (file, what, name, n) values (?, ?, ?, ?) on conflict (file, what, name) do update set n = n + excluded.n",
  );
  const readNext = db.statement<{ next: number }>("select next from state");
  const moveNext = db.statement("update state set next = ?");
  /** Only for this batch: a transaction that was undone takes its names with it. */
  let known = new Map<string, number>();
  let counts = new Map<string, Map<number, number>>();
  let next = 0;

  const idOf = (name: string): number => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const id = (findName.get(name) ?? addName.get(name)!).id;
    known.set(name, id);
    return id;
  };
  const count = (what: string, name: string | null, times = 1): number | null => {
    if (name === null) return null;
    const id = idOf(name);
    let some = counts.get(what);
    if (!some) {
      some = new Map();
      counts.set(what, some);
    }
    some.set(id, (some.get(id) ?? 0) + times);
    return id;
  };
  return {
    begin() {
      known = new Map();
      counts = new Map();
      next = readNext.get()!.next;
    },
    add(one: PlacedLine, file: number) {
      const id = next++;
      const { kind, callId, line, at, size, ts } = one;
      if (kind !== "call") {
        const session = one.session === null ? null : idOf(one.session);
        const host = one.way === null ? null : count(one.way, one.host, one.times);
        addOther.run(id, file, line, at, size, ts, kind, callId, session, host, one.way === null ? null : WAYS[one.way], one.times);
        return;
      }
      const [session, tool, outcome] = [count("session", one.session), count("tool", one.tool), count("outcome", one.outcome)];
      const [gate, caller] = [count("gate", one.gate), count("caller", one.caller)];
      addCall.run(id, file, line, at, size, ts, callId, session, tool, outcome, gate, caller);
      addText.run(id, ts, tool, outcome, gate, caller, session, one.text);
    },
    finish(file: number) {
      for (const [what, some] of counts) for (const [name, n] of some) addCount.run(file, what, name, n);
      moveNext.run(next);
    },
  };
}

export const WAYS = { sent: 0, failed: 1, held: 2 } as const;
