import { spawn } from "node:child_process";
import { ToolError } from "../core/error.ts";

const TIME_LIMIT_MS = 60_000;
const MAX_COMPLAINT = 4096;
const MAX_RECORD = 1024 * 1024;

export interface Run {
  readonly args: readonly string[];
  /** The directory it runs in, as a path valid for another process. */
  readonly cwd: string;
  readonly stdin: number | "ignore";
  readonly separator: "\n" | "\0";
}

/** Runs ripgrep and hands over its records, a handful at a time. It is killed when the consumer has enough, on cancel and at the time limit. */
export async function* ripgrep({ args, cwd, stdin, separator }: Run, signal: AbortSignal): AsyncGenerator<readonly Buffer[], void> {
  const { rgPath } = await import("@vscode/ripgrep");
  signal.throwIfAborted();
  // Without its messages on single files and ignore files, it complains only about what it was asked.
  const asked = ["--no-config", "--no-messages", "--color=never", ...args];
  const child = spawn(rgPath, asked, { cwd, env: {}, stdio: [stdin, "pipe", "pipe"] });
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
    const split = splitter(separator.charCodeAt(0));
    for await (const chunk of stdout) yield split(chunk as Buffer);
    assertEnded(await ended, complaint);
  } catch (error) {
    // A stream that was cut off has its own words for it.
    throw stopped ?? error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    child.kill("SIGKILL");
  }
  if (stopped !== undefined) throw stopped;
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

/** Cuts a stream into records and never holds more than one and a chunk. A record longer than any ripgrep should print is left out. */
function splitter(end: number): (chunk: Buffer) => Buffer[] {
  let rest: Buffer[] = [];
  let held = 0;
  return (chunk) => {
    const records: Buffer[] = [];
    let from = 0;
    for (let at = chunk.indexOf(end); at !== -1; at = chunk.indexOf(end, from)) {
      const piece = chunk.subarray(from, at);
      from = at + 1;
      if (held + piece.length <= MAX_RECORD) records.push(held === 0 ? piece : Buffer.concat([...rest, piece]));
      rest = [];
      held = 0;
    }
    const piece = chunk.subarray(from);
    held += piece.length;
    if (held > MAX_RECORD) rest = [];
    else if (piece.length > 0) rest.push(piece);
    return records;
  };
}
