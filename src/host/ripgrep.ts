import { spawn } from "node:child_process";
import { ToolError } from "../core/error.ts";

const TIME_LIMIT_MS = 60_000;
const MAX_COMPLAINT = 4096;

export interface Run {
  readonly args: readonly string[];
  /** The directory it runs in, as a path valid for another process. */
  readonly cwd: string;
  readonly stdin: number | "ignore";
  readonly separator: "\n" | "\0";
  /** Called for each record; false ends the run. */
  onRecord(record: string): boolean;
}

/** Runs ripgrep and hands over its records one by one. It is killed when the consumer has enough, on cancel and at the time limit. */
export async function ripgrep({ args, cwd, stdin, separator, onRecord }: Run, signal: AbortSignal): Promise<void> {
  const { rgPath } = await import("@vscode/ripgrep");
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const child = spawn(rgPath, ["--no-config", "--color=never", ...args], { cwd, env: {}, stdio: [stdin, "pipe", "pipe"] });
    let ended = false;
    const end = (settle: () => void) => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      child.kill("SIGKILL");
      settle();
    };
    const cancel = () => end(() => reject(signal.reason));
    const timer = setTimeout(
      () =>
        end(() =>
          reject(new ToolError("timeout", `The search took longer than ${TIME_LIMIT_MS / 1000} s. Narrow the path or the pattern.`)),
        ),
      TIME_LIMIT_MS,
    );
    signal.addEventListener("abort", cancel, { once: true });

    let complaint = "";
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      if (complaint.length < MAX_COMPLAINT) complaint += text;
    });
    const feed = records(separator, (record) => {
      if (!ended && !onRecord(record)) end(resolve);
    });
    child.stdout!.on("data", feed);
    child.on("error", (error) => end(() => reject(ToolError.from(error))));
    child.on("close", (code) => end(() => (code === 2 && isRefusal(complaint) ? reject(refused(complaint)) : resolve())));
  });
}

/** Splits a stream into records without ever holding more than one and a chunk. Records are short: ripgrep cuts long lines itself. */
function records(separator: string, onRecord: (record: string) => void): (chunk: Buffer) => void {
  const end = separator.charCodeAt(0);
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let at = bytes.indexOf(end, from); at !== -1; at = bytes.indexOf(end, from)) {
      onRecord(bytes.toString("utf8", from, at));
      from = at + 1;
    }
    rest = bytes.subarray(from);
  };
}

/** Exit 2 also means "some files could not be read"; only a bad pattern is the caller's fault. */
const isRefusal = (complaint: string) =>
  /regex parse error|error parsing glob|compiled regex exceeds|is not allowed in a regex|error building/i.test(complaint);

function refused(complaint: string): ToolError {
  const lines = complaint
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !/pcre2|^rg: regex parse error:$|^Consider/i.test(line));
  return new ToolError(
    "invalid_parameters",
    `The search engine refuses this pattern: ${lines.join(" ").replace(/\s+/g, " ").slice(0, 500)}`,
  );
}
