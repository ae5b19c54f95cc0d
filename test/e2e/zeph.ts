import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { onTestFinished } from "vitest";
import { runInProcess } from "./in-process.ts";

export const BIN = resolve("bin/zeph.cjs");

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command in a home of its own. Nothing of the person who runs the tests is read or written. */
export interface Box {
  readonly root: string;
  readonly cwd: string;
  readonly env: Record<string, string>;
  write(name: string, text: string | Uint8Array): string;
  /** The user's own configuration. */
  config(toml: string): void;
  start(args: readonly string[], env?: Record<string, string>): ChildProcessWithoutNullStreams;
  /** Runs to the end, in the test's own process. Without `input`, stdin is empty. */
  run(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** The same as a process of its own: the built program, its start and its end. */
  runProcess(args: readonly string[], options?: RunOptions): Promise<Ended>;
}

interface RunOptions {
  readonly input?: string | Uint8Array;
  readonly env?: Record<string, string>;
}

export function box(): Box {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-e2e-")));
  onTestFinished(async () => {
    await endProcessesOf(root);
    rmSync(root, { recursive: true, force: true });
  });
  const cwd = join(root, "work");
  const env = {
    PATH: process.env.PATH ?? "",
    TMPDIR: tmpdir(),
    HOME: join(root, "home"),
    XDG_STATE_HOME: join(root, "state"),
    XDG_CONFIG_HOME: join(root, "config"),
    TERM: "xterm",
    LANG: "C.UTF-8",
  };
  for (const folder of [cwd, env.HOME]) mkdirSync(folder, { recursive: true });
  const write = (name: string, text: string | Uint8Array) => {
    const file = resolve(cwd, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const start = (args: readonly string[], more: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd, env: { ...env, ...more } });
    endWithTest(child);
    return child;
  };
  return {
    root,
    cwd,
    env,
    write,
    config: (toml) => void write(join(env.XDG_CONFIG_HOME, "zeph", "config.toml"), toml),
    start,
    run: (args, { input = "", env: more } = {}) => runInProcess(args, { cwd, env: { ...env, ...more }, input }),
    async runProcess(args, { input = "", env: more } = {}) {
      if (FOR_PERSONS.has(args[0] ?? "")) await letGoOfStores();
      const child = start(args, more);
      // A command that does not read its stdin may be gone before it is written.
      child.stdin.on("error", () => {}).end(input);
      return ended(child);
    },
  };
}

/** Commands that are refused below whoever has the store open. */
const FOR_PERSONS = new Set(["answer", "hook", "import", "mcp", "skills", "trust", "watch"]);

/** A store that was closed here is let go when its statements are collected; until then this process looks like an agent to what it starts. */
export async function letGoOfStores(): Promise<void> {
  globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Ends what runs with this folder in its environment and is no child of ours: a chat whose window was closed, the resident process of the hooks,
 * what a command left behind. Each may write its last words, and would make the folder again after it was removed.
 */
export async function endProcessesOf(root: string): Promise<void> {
  for (let pids = processesOf(root); pids.length > 0; pids = processesOf(root)) {
    for (const pid of pids) endNow(pid);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Only Linux tells the environment of a process. One that has ended has none, also while nobody has asked how it ended. */
function processesOf(root: string): readonly number[] {
  if (process.platform !== "linux") return [];
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => pid !== process.pid && environmentOf(pid).includes(`${root}/`));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    // It has ended, or is another user's.
    return "";
  }
}

function endNow(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

export function endWithTest(child: ChildProcess): void {
  onTestFinished(async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    // Until then it may make files in a folder that is about to be removed.
    await gone;
  });
}

export function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  return new Promise((done) => {
    child.on("close", (code, signal) => done({ code, signal, stdout: String(Buffer.concat(out)), stderr: String(Buffer.concat(err)) }));
  });
}

/** Resolves when what the child printed holds the text. */
export function printed(child: ChildProcessWithoutNullStreams, text: string): Promise<void> {
  let seen = "";
  return new Promise((resolve, reject) => {
    const look = (chunk: Buffer) => {
      seen += String(chunk);
      if (seen.includes(text)) resolve();
    };
    child.stdout.on("data", look);
    child.on("close", () => reject(new Error(`It ended without printing ${JSON.stringify(text)}. It printed: ${seen}`)));
  });
}

export const jsonLines = (text: string): any[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
