import { closeSync, constants, fchmodSync, fstatSync, openSync, readSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { closeAfter } from "../../../files/descriptor.ts";
import { parseJson } from "../../../text/json.ts";

/** The lines that a person typed, in this run and in earlier ones. */
export interface History {
  /** Newest first, and always this very list. */
  readonly entries: string[];
  /** From now on in the file as well. A text that begins with a space, or that holds a secret, is never written there. */
  add(text: string): void;
  /** Says whether a text may be written down; until this is given nothing is. Then why nothing can be, once. */
  keep(mayKeep: (text: string) => boolean, warn: (message: string) => void): void;
}

export const MOST_TYPED = 2000;
const MOST_BYTES = 1024 * 1024;
/** A longer message is called back in this run only. */
const LONGEST = 64 * 1024;
const PRIVATE = 0o600;
/** A pipe that somebody put there is not waited for, and a link is not followed. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** In a folder that no tool may write to. */
export function historyFile(name: string, env: Readonly<Record<string, string | undefined>> = process.env): string {
  const home = env.HOME && isAbsolute(env.HOME) ? env.HOME : homedir();
  const state = env.XDG_STATE_HOME;
  return join(state && isAbsolute(state) ? state : join(home, ".local", "state"), "zeph", name);
}

/**
 * One JSON string per line, so that a message of many lines is one entry. Several processes may write at once: each only appends,
 * a line at a time. Who starts and finds it too long replaces it by its end.
 */
export function createInputHistory(file: string): History {
  const entries: string[] = [];
  const fresh: string[] = [];
  let keeps: ((text: string) => boolean) | null = null;
  let complain = (_: string) => {};
  let failed = false;
  const tried = (work: () => void) => {
    if (failed) return;
    try {
      work();
    } catch (error) {
      if (isMissing(error)) return;
      failed = true;
      complain(`What you type cannot be saved for the next start: ${(error as Error).message}`);
    }
  };
  const write = (text: string) => {
    if (text.startsWith(" ") || text.length > LONGEST || !keeps!(text)) return;
    tried(() => append(file, text));
  };
  return {
    entries,
    add(text) {
      if (text.trim() === "") return;
      const before = entries.indexOf(text);
      if (before !== -1) entries.splice(before, 1);
      entries.unshift(text);
      entries.length = Math.min(entries.length, MOST_TYPED);
      if (before === 0) return;
      if (keeps) write(text);
      else fresh.push(text);
    },
    keep(mayKeep, warn) {
      keeps = mayKeep;
      complain = warn;
      tried(() => entries.push(...readAndTrim(file).filter((text) => !entries.includes(text))));
      entries.length = Math.min(entries.length, MOST_TYPED);
      for (const text of fresh.splice(0)) write(text);
    },
  };
}

function append(file: string, text: string): void {
  closeAfter(openSync(file, APPEND, PRIVATE), (fd) => {
    if (!fstatSync(fd).isFile()) return;
    fchmodSync(fd, PRIVATE);
    writeSync(fd, `${JSON.stringify(text)}\n`);
  });
}

/** Newest first. Lines that are none of ours are left out. */
function readAndTrim(file: string): string[] {
  const { lines, isLong } = tailOf(file);
  const texts = lines.flatMap(parsed);
  const kept = texts.slice(-MOST_TYPED);
  if (isLong || texts.length > MOST_TYPED) replace(file, halved(kept));
  return [...new Set(kept.reverse())];
}

/** At most the last megabyte, whatever lies there. */
const tailOf = (file: string): { lines: string[]; isLong: boolean } =>
  closeAfter(openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK), (fd) => {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { lines: [], isLong: false };
    const start = Math.max(0, stat.size - MOST_BYTES);
    const buffer = Buffer.alloc(stat.size - start);
    const length = readSync(fd, buffer, 0, buffer.length, start);
    const lines = buffer.toString("utf8", 0, length).split("\n");
    // Cut in the middle of a line.
    if (start > 0) lines.shift();
    return { lines, isLong: start > 0 };
  });

function parsed(line: string): string[] {
  if (!line.startsWith('"') || line.length > 7 * LONGEST) return [];
  const text = parseJson(line);
  return typeof text === "string" && text.trim() !== "" ? [text] : [];
}

/** Room for the next ones, so that it is not replaced at every start. */
function halved(texts: readonly string[]): string {
  const lines = texts.slice(-Math.ceil(MOST_TYPED / 2)).map((text) => `${JSON.stringify(text)}\n`);
  let size = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  while (size > MOST_BYTES / 2) size -= Buffer.byteLength(lines.shift()!);
  return lines.join("");
}

function replace(file: string, content: string): void {
  const fresh = `${file}.${process.pid}.${Date.now()}`;
  const fd = openSync(fresh, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, PRIVATE);
  try {
    writeSync(fd, content);
    renameSync(fresh, file);
  } catch (error) {
    unlinkSync(fresh);
    throw error;
  } finally {
    closeSync(fd);
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";
