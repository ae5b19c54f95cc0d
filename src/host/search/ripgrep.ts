import type { ChildProcess } from "node:child_process";
import { ToolError } from "../../core/error.ts";
import { copiedRipgrep } from "../../files/own-place.ts";
import { ProgramError, type Start, startProgram } from "../../files/programs.ts";
import { endWithUs } from "../end-with-us.ts";
import { findRunner } from "../sandbox/shipped.ts";

const TIME_LIMIT_MS = 60_000;
const MAX_COMPLAINT = 4096;
const MAX_RECORD = 1024 * 1024;

export interface RipgrepRun {
  readonly args: readonly string[];
  /** The directory it runs in, as a path valid for another process. */
  readonly cwd: string;
  readonly stdin: number | "ignore";
  /** Folders that commands can write: a program in one of them is theirs, not ours. */
  readonly writable: readonly string[];
  /** What ends a record. `name, line`: a name up to a NUL, then a line. A name may hold line breaks. */
  readonly ends: "\n" | "\0" | "name, line";
}

let placed: string | undefined;

/** For a process that cannot look for it itself. */
export function setRipgrepPath(path: string): void {
  placed = path;
}

/**
 * Runs ripgrep and hands over its records, a handful at a time. It is killed when the consumer has enough, on cancel, at the time limit, and by
 * our own death.
 */
export async function* runRipgrep(
  { args, cwd, stdin, writable, ends }: RipgrepRun,
  signal: AbortSignal,
): AsyncGenerator<readonly Buffer[], void> {
  const path = placed ?? copiedRipgrep() ?? (await import("@vscode/ripgrep")).rgPath;
  signal.throwIfAborted();
  // Without its messages on single files and ignore files, it complains only about what it was asked.
  const asked = ["--no-config", "--no-messages", "--color=never", ...args];
  const { argv, pipe } = endWithUs([path, ...asked], { runner: findRunner({ writable }) });
  const child = started(argv, {
    cwd,
    env: {},
    more: writable,
    stdio: [stdin, "pipe", "pipe", ...(pipe ? (["pipe"] as const) : [])],
    detached: pipe,
  });
  const stdout = child.stdout!;
  let stopped: unknown;
  const stop = (why: unknown) => {
    stopped ??= why;
    child.kill("SIGKILL");
    stdout.destroy();
  };
  const cancel = () => stop(signal.reason);
  const timer = setTimeout(() => stop(tookTooLong()), TIME_LIMIT_MS);
  signal.addEventListener("abort", cancel, { once: true });
  let complaint = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    if (complaint.length < MAX_COMPLAINT) complaint += text;
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.on("error", (error) => {
      stop(ToolError.from(error));
      resolve("SIGKILL");
    });
    child.on("close", (code, killedBy) => resolve(code ?? killedBy!));
  });

  try {
    const split = ends === "name, line" ? splitter(0, LINE_END) : splitter(ends.charCodeAt(0));
    for await (const chunk of stdout) yield split(chunk as Buffer);
    assertEnded(await ended, complaint);
  } catch (error) {
    // A stream that was cut off has its own words for it.
    throw stopped ?? error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    child.kill("SIGKILL");
    child.stdio[3]?.destroy();
  }
  if (stopped !== undefined) throw stopped;
}

function started([program, ...args]: readonly [string, ...string[]], how: Start): ChildProcess {
  try {
    return startProgram(program, args, how);
  } catch (error) {
    throw error instanceof ProgramError ? new ToolError("permanent_failure", error.message) : error;
  }
}

/** 1 is "nothing found"; 2 without a complaint is "some files could not be read". */
function assertEnded(code: number | NodeJS.Signals, complaint: string): void {
  if (code === 0 || code === 1) return;
  if (code !== 2) throw new ToolError("permanent_failure", `The search engine broke off (${code}). Narrow the path or the pattern.`);
  if (complaint.trim() !== "") throw refused(complaint);
}

function refused(complaint: string): ToolError {
  const lines = complaint
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !/pcre2|^rg: regex parse error:$|^Consider|^binary detection is|^When multiline/i.test(line));
  const why = lines.join(" ").replace(/\s+/g, " ").replace(/^rg: /, "").slice(0, 500);
  return new ToolError("invalid_parameters", `The search engine refuses this pattern: ${why}`);
}

const tookTooLong = () =>
  new ToolError("timeout", `The search took longer than ${TIME_LIMIT_MS / 1000} s. Narrow the path or the pattern.`);

const LINE_END = 0x0a;
/** Longer than any name. What the engine says outside of records, on binary files, ends up before the next name. */
const MAX_HEAD = 64 * 1024;

/**
 * Cuts a stream into records and never holds more than one and a chunk. With two ends, a record is what comes before the first, that end, and
 * what comes before the second. A record longer than any ripgrep should print is left out.
 */
function splitter(...ends: [number] | [number, number]): (chunk: Buffer) => Buffer[] {
  let rest: Buffer[] = [];
  let held = 0;
  let part = 0;
  return (chunk) => {
    const records: Buffer[] = [];
    let start = 0;
    for (let at = chunk.indexOf(ends[part]!); at !== -1; at = chunk.indexOf(ends[part]!, at + 1)) {
      if (++part < ends.length) continue;
      part = 0;
      const piece = chunk.subarray(start, at);
      start = at + 1;
      if (held + piece.length <= MAX_RECORD) records.push(held === 0 ? piece : Buffer.concat([...rest, piece]));
      rest = [];
      held = 0;
    }
    const piece = chunk.subarray(start);
    held += piece.length;
    if (piece.length > 0) rest.push(piece);
    if (held > MAX_HEAD && ends.length > 1 && part === 0) {
      rest = [Buffer.concat(rest).subarray(-MAX_HEAD)];
      held = MAX_HEAD;
    } else if (held > MAX_RECORD) rest = [];
    return records;
  };
}
