import { spawn } from "node:child_process";
import type { EditorTerminal, TerminalEnd, TerminalLine } from "../../src/core/ports/editor.ts";

export interface FakeTerminal extends EditorTerminal {
  readonly lines: TerminalLine[];
}

export interface FakeOptions {
  /** What an editor has in its environment and merges in. */
  readonly env?: Record<string, string>;
  /** A descriptor it forgot to close. */
  readonly leak?: number;
  readonly uid?: number;
  /** Before it starts anything. */
  readonly before?: (line: TerminalLine) => void;
}

/** An editor's terminal that really starts what it is given, and keeps the end of what was printed. */
export function fakeTerminal({ env = {}, leak, uid, before }: FakeOptions = {}): FakeTerminal {
  const lines: TerminalLine[] = [];
  return {
    lines,
    run(line, signal) {
      lines.push(line);
      before?.(line);
      const child = spawn(line.argv[0]!, line.argv.slice(1), {
        cwd: line.cwd,
        env: { ...process.env, ...env, ...line.env },
        detached: true,
        stdio: ["pipe", "pipe", "pipe", ...(leak === undefined ? [] : ["ignore" as const, "ignore" as const, "ignore" as const, leak])],
        ...(uid !== undefined && { uid, gid: uid }),
      });
      let output = Buffer.alloc(0);
      let truncated = false;
      const keep = (chunk: Buffer) => {
        const all = Buffer.concat([output, chunk]);
        truncated ||= all.length > line.outputBytes;
        output = all.subarray(-line.outputBytes);
      };
      child.stdout!.on("data", keep);
      child.stderr!.on("data", keep);
      let stopped: TerminalEnd["stopped"];
      const kill = (why: TerminalEnd["stopped"]) => {
        stopped ??= why;
        try {
          process.kill(-child.pid!, "SIGKILL");
        } catch {
          // Gone already.
        }
      };
      const timer = setTimeout(() => kill("timeout"), line.timeoutMs);
      const onAbort = () => kill("aborted");
      signal.addEventListener("abort", onAbort, { once: true });
      return new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("close", (exitCode, died) => {
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          resolve({ output: output.toString("utf8"), truncated, exitCode, ...(died && { signal: died }), ...(stopped && { stopped }) });
        });
      });
    },
  };
}
