import { killNow } from "../../../files/process.ts";
import { startProgram } from "../../../files/programs.ts";
import { attempt } from "../../../text/attempt.ts";

export interface LineEnd {
  /** Null where it could not be started, or was stopped by the limit. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

interface RunBounds {
  readonly input: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly limitMs: number;
  /** Ends it as the limit does. */
  readonly signal?: AbortSignal;
}

const MOST_CHARACTERS = 64 * 1024;

/** Runs a program with this text on its stdin, for so long at most; what it starts is stopped with it. Never rejects. */
export function runBounded(
  [program, ...args]: readonly [string, ...string[]],
  { input, cwd, env, limitMs, signal }: RunBounds,
): Promise<LineEnd> {
  const started = performance.now();
  return new Promise((resolve) => {
    const texts = { stdout: "", stderr: "" };
    const how = { cwd, env, stdio: "pipe", detached: true } as const;
    const child = attempt(() => startProgram(program, args, how), null);
    if (child === null) return resolve({ code: null, ...texts, ms: 0 });
    const end = (code: number | null) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", stop);
      resolve({ code, ...texts, ms: performance.now() - started });
    };
    const stop = () => {
      if (child.pid !== undefined) killNow(-child.pid);
      end(null);
    };
    const timer = setTimeout(stop, limitMs);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
    for (const name of ["stdout", "stderr"] as const)
      child[name]!.setEncoding("utf8").on("data", (text: string) => {
        texts[name] = (texts[name] + text).slice(0, MOST_CHARACTERS);
      });
    child.on("error", () => end(null));
    child.on("close", end);
    child.stdin!.on("error", () => {}).end(input);
  });
}

/** A command line as clients run it. */
export const runShellLine = (line: string, how: Parameters<typeof runBounded>[1]): Promise<LineEnd> =>
  runBounded(["/bin/sh", "-c", line], how);
