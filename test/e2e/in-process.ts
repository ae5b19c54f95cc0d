import { PassThrough, Writable } from "node:stream";
import manifest from "../../package.json" with { type: "json" };
import { runCommandLine } from "../../src/front/cli/main.ts";
import type { Ended } from "./zeph.ts";

interface World {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string | Uint8Array;
}

/** What the command hears of, and what it listens to no longer when it has ended. */
const HEARD = ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR2"] as const;

let isRunning = false;

/**
 * The command line in the test's own process: all of it but the start of Node and the last line of `main`. It takes a tenth of a process's time.
 * It sees nothing of this process's folder, variables and streams; they are put back when it has ended.
 */
export async function runInProcess(args: readonly string[], { cwd, env, input }: World): Promise<Ended> {
  if (isRunning) throw new Error("Two commands cannot share a process. Give one of them its own: runProcess.");
  isRunning = true;
  const stdout = createSink();
  const stderr = createSink();
  const stdin = new PassThrough();
  stdin.end(input);
  const restore = enter(cwd, env, { stdin, stdout: stdout.stream, stderr: stderr.stream });
  try {
    const code = await runCommandLine(args, manifest.version);
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    stdin.destroy();
    restore();
    isRunning = false;
  }
}

/** A pipe, as far as the command can tell. */
function createSink() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    decodeStrings: true,
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => String(Buffer.concat(chunks)) };
}

/** Makes this process look like one that was started there. Returns what puts everything back. */
function enter(cwd: string, env: World["env"], streams: Readonly<Record<"stdin" | "stdout" | "stderr", unknown>>): () => void {
  const folder = process.cwd();
  const variables = { ...process.env };
  const before = Object.keys(streams).map((name) => [name, Object.getOwnPropertyDescriptor(process, name)!] as const);
  const listeners = HEARD.map((name) => [name, new Set(process.listeners(name))] as const);
  process.chdir(cwd);
  setEnvironment(env);
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true, writable: true });
  return () => {
    for (const [name, property] of before) Object.defineProperty(process, name, property);
    for (const [name, known] of listeners)
      for (const listener of process.listeners(name)) if (!known.has(listener)) process.off(name, listener);
    setEnvironment(variables);
    process.chdir(folder);
  };
}

/** The variables themselves and not the object: the system's own functions read them too. */
function setEnvironment(env: Readonly<Record<string, string | undefined>>): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
}
