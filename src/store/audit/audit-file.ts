import { closeSync, constants, fstatSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Anchor, Anchors } from "../../core/ports/anchors.ts";
import type { AuditEntry, AuditLog } from "../../core/ports/audit.ts";
import { makeFolder } from "../folder.ts";
import { explainSystem, isLocked, StoreError } from "../sqlite/error.ts";
import { chainedLines, entryLine, type LogEvent, noteEntry, readLogEnd } from "./chain.ts";
import { createLineGroup } from "./line-group.ts";
import { MAX_LINE, sha256 } from "./lines.ts";
import { lockFile } from "./lock.ts";
import { auditName, processNames } from "./names.ts";

/** An audit log in one file of JSON lines. Each line carries the hash of the one before; the store remembers the last. */
export interface AuditFile extends AuditLog {
  /** Where the lines go: beside the path asked for when another process writes that one. */
  readonly path: string;
  close(): void;
}

/** How long closing waits for a locked store to take the last anchor. A call does not wait that long. */
const CLOSING_MS = 5000;

export function openAuditFile(path: string, anchors: Anchors): AuditFile {
  makeHome(path);
  const log = share(auditName(path), anchors);
  let isOpen = true;
  const assertOpen = () => {
    if (!isOpen) throw new StoreError(log.path, `The audit log ${log.path} was closed. Open it again to write to it.`);
  };
  return {
    path: log.path,
    append(entry) {
      assertOpen();
      log.append(entry, anchors);
    },
    async record(entry) {
      assertOpen();
      await log.record(entry, anchors);
    },
    close() {
      if (isOpen) log.leave(anchors);
      isOpen = false;
    },
  };
}

interface Log {
  readonly path: string;
  append(entry: AuditEntry, anchors: Anchors): void;
  record(entry: AuditEntry, anchors: Anchors): Promise<void>;
  join(anchors: Anchors): Log;
  leave(anchors: Anchors): void;
}

/** One writer for each file: whoever opens it again in this process shares it, another process gets a file of its own. */
const written = new Map<string, Log>();

function share(name: string, anchors: Anchors): Log {
  for (const candidate of processNames(name, process.pid)) {
    const known = written.get(candidate);
    if (known) return known.join(anchors);
    const release = lockFile(`${candidate}.lock`);
    if (!release) continue;
    try {
      const log = openLog(candidate, anchors, release);
      written.set(candidate, log);
      return log;
    } catch (error) {
      release();
      throw error;
    }
  }
  throw new StoreError(name, `${name} and every file beside it are written by other processes. Set audit.path to another place.`);
}

function openLog(path: string, first: Anchors, release: () => void): Log {
  const known = first.get(path);
  let { fd, end } = enter(path, known);
  let place = fstatSync(fd);
  /** Lines after this one are written by this process, so no store of this process need wonder about them. */
  const ours = end.count;
  /** One for each user. All of them are told of each line, or the lines of one would be unknown to the other. */
  const stores = [first];
  const behind = new Set<Anchors>();

  /** Returns what kept the store from taking it, null when nothing did. */
  const tell = (anchors: Anchors): unknown => {
    try {
      anchors.set(path, end);
      behind.delete(anchors);
      return null;
    } catch (error) {
      behind.add(anchors);
      return error;
    }
  };
  const tellAll = () => {
    if (end.count > 0) for (const anchors of new Set(stores)) tell(anchors);
  };
  /** A file that was deleted, replaced, cut or written to by someone else is entered anew, which leaves a note in it. */
  const isWhereWeLeftIt = () => {
    const now = statSync(path, { throwIfNoEntry: false });
    return now?.ino === place.ino && now.dev === place.dev && now.size === end.size;
  };
  const enterAgain = () => {
    const next = enter(path, end, "open");
    closeSync(fd);
    ({ fd, end } = next);
    place = fstatSync(fd);
    tellAll();
  };
  const writeLine = (entry: AuditEntry, anchors: Anchors) => {
    if (!isWhereWeLeftIt()) enterAgain();
    end = appended(path, fd, entryLine(entry, end.hash), end);
    // After the line: should the process die in between, the file is one line longer than its anchor, and that is no harm.
    for (const other of new Set(stores)) if (other !== anchors) tell(other);
    const error = tell(anchors);
    // The line is in the file. A store that is locked is told with the next line, or at the end.
    if (error !== null && !isLocked(error)) throw error;
  };
  /** Each store knows the lines before they are written: should the process die, none of them is a stranger's. */
  const lines = createLineGroup({
    writeLine,
    writeLines(entries) {
      if (!isWhereWeLeftIt()) enterAgain();
      const { text, hashes } = chainedLines(entries, end.hash);
      for (const anchors of new Set(stores)) if (behind.has(anchors) || !anchors.announce(path, hashes)) return "one by one";
      end = appended(path, fd, text, end, hashes);
      return new Map([...new Set(stores)].map((anchors) => [anchors, tell(anchors)]));
    },
  });
  const log: Log = {
    path,
    append(entry, anchors) {
      lines.flush();
      writeLine(entry, anchors);
    },
    record: lines.add,
    join(anchors) {
      if (!isWhereWeLeftIt()) enterAgain();
      const known = anchors.get(path);
      if (known && known.hash !== end.hash) end = compared(path, fd, known, "opened", ours);
      stores.push(anchors);
      tellAll();
      return log;
    },
    leave(anchors) {
      lines.flush();
      const deadline = Date.now() + CLOSING_MS;
      while (behind.has(anchors) && isLocked(tell(anchors)) && Date.now() < deadline);
      stores.splice(stores.indexOf(anchors), 1);
      if (stores.length > 0) return;
      written.delete(path);
      closeSync(fd);
      release();
    },
  };
  // At once: otherwise this process and the one before it could each leave a line the store does not know.
  if (known?.hash !== end.hash) tellAll();
  return log;
}

type When = Extract<LogEvent, { event: "unknown" }>["when"];

/** Opens the file at its end. */
function enter(path: string, expected: Anchor | null, when: When = "opened"): { fd: number; end: Anchor } {
  const fd = openRegular(path);
  try {
    return { fd, end: compared(path, fd, expected, when) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Where the log ends. What is not as it was left is written into the log before anything else. */
function compared(path: string, fd: number, expected: Anchor | null, when: When, ours = Number.POSITIVE_INFINITY): Anchor {
  const { end: found, torn, anchor, unknown } = readLogEnd(fd, fstatSync(fd).size, expected, ours);
  let end = found;
  const add = (event: LogEvent) => {
    end = appended(path, fd, entryLine(noteEntry(event), end.hash), end);
  };
  if (torn) {
    const sealed = { count: end.count + 1, hash: torn.hash, size: end.size + torn.size };
    const wasWhole = expected !== null && sealed.count <= expected.count;
    const seal = entryLine(
      noteEntry({ event: "torn", line: sealed.count, before: end.hash, ...(wasWhole && { was: "whole" as const }) }),
      sealed.hash,
    );
    // One write: a newline of its own would make the torn line look like an edited one, if we died right after it.
    appended(path, fd, `\n${seal}`, sealed);
    end = { count: sealed.count + 1, hash: sha256(seal.slice(0, -1)), size: sealed.size + 1 + Buffer.byteLength(seal) };
  }
  if (expected && anchor === "broken") add({ event: "mismatch", expected, found });
  if (unknown > 0) add({ event: "unknown", lines: unknown, when });
  return end;
}

/** Writes one line, or several at once, whole or not at all, and returns where the file ends then. */
function appended(path: string, fd: number, text: string, end: Anchor, hashes?: readonly string[]): Anchor {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length > MAX_LINE) throw new StoreError(path, `An audit entry of ${bytes.length} bytes is too long. Shorten its arguments.`);
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done);
  } catch (error) {
    // If this fails too, the next append finds the file longer than it should be and seals the torn line.
    if (done > 0) ftruncateSync(fd, end.size);
    const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
    throw new StoreError(path, `${path} could not be written (${code}); the entry is not recorded. Free some space or check the disk.`, {
      cause: error,
    });
  }
  const hash = hashes?.at(-1) ?? sha256(bytes.subarray(0, -1));
  return { count: end.count + (hashes?.length ?? 1), hash, size: end.size + bytes.length };
}

/** Not through a symbolic link, and not into a pipe or device: someone else would choose where the record goes. */
function openRegular(path: string): number {
  const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  let fd: number;
  try {
    fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") throw irregular(path, "a symbolic link");
    if ((error as NodeJS.ErrnoException).code === "EISDIR") throw irregular(path, "a folder");
    throw explainSystem(path, error);
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  throw irregular(path, "not a regular file");
}

const irregular = (path: string, what: string) =>
  new StoreError(path, `${path} is ${what}, so the audit log is not written to it. Remove it or set audit.path to another place.`);

function makeHome(path: string): void {
  try {
    makeFolder(dirname(path));
  } catch (error) {
    throw explainSystem(path, error);
  }
}
