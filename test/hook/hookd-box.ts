import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const native = join(root, `vendor/zeph-hook-linux-${process.arch}`);
/** A program that runs those of arm64 on this machine, where somebody has one: qemu-aarch64-static. */
const emulator = process.env.ZEPH_ARM64_EMULATOR;
/** The two programs that agents start. */
export const CLIENTS: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ...(process.platform === "linux" && existsSync(native) ? [["native", [native]] as const] : []),
  ...(emulator ? [["arm64", [emulator, join(root, "vendor/zeph-hook-linux-arm64")]] as const] : []),
  ["node", [process.execPath, join(root, "bin/hook-client.cjs")]],
];
export const LAUNCHER = join(root, "bin/zeph-hook");
export const ZEPH = join(root, "bin/zeph.cjs");

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A person of its own, with no hookd yet. */
export interface HookdBox {
  readonly folder: string;
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
  start(argv: readonly string[], cwd?: string): ReturnType<typeof spawn>;
  run(argv: readonly string[], given?: { readonly stdin?: string; readonly cwd?: string }): Promise<Ended>;
  /** Sends one line, and returns the first line of the answer. */
  say(line: object | string): Promise<string>;
  /** Starts hookd and waits for it, however long that takes here. A client waits for two seconds. */
  warm(): Promise<void>;
  hello(): Promise<{ readonly pid: number; readonly version: string; readonly workspaces: number } | null>;
  remove(): Promise<void>;
}

export function openHookdBox(): HookdBox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-hookd-")));
  const [home, work] = ["home", "work"].map((name) => join(base, name)) as [string, string];
  for (const folder of [home, work]) mkdirSync(folder);
  const env = { PATH: process.env.PATH ?? "", HOME: home };
  const folder = join(home, ".local/state/zeph/hook");
  const start: HookdBox["start"] = (argv, cwd = work) => spawn(argv[0]!, argv.slice(1), { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const say: HookdBox["say"] = (line) =>
    new Promise((resolve, reject) => {
      const socket = connect(join(folder, "hook.sock"));
      let text = "";
      socket.on("error", reject).on("data", (chunk) => {
        text += chunk.toString("latin1");
      });
      socket.on("close", () => resolve(text.split("\n")[0]!));
      socket.write(typeof line === "string" ? line : `${JSON.stringify(line)}\n`);
    });
  const hello: HookdBox["hello"] = async () => {
    const text = await say({ v: 1, hello: true }).catch(() => "");
    return text === "" ? null : JSON.parse(text);
  };
  return {
    folder,
    work,
    env,
    start,
    say,
    hello,
    async warm() {
      if (await hello()) return;
      spawn(process.execPath, [ZEPH, "hookd"], { cwd: "/", env, stdio: "ignore", detached: true }).unref();
      while (!(await hello())) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    run(argv, { stdin = "", cwd } = {}) {
      const child = start(argv, cwd);
      const said = { stdout: "", stderr: "" };
      for (const name of ["stdout", "stderr"] as const)
        child[name]!.on("data", (chunk) => {
          said[name] += chunk;
        });
      child.stdin!.on("error", () => {}).end(stdin);
      return new Promise((resolve) => void child.on("close", (code) => resolve({ code, ...said })));
    },
    async remove() {
      const alive = await hello();
      if (alive) {
        process.kill(alive.pid, "SIGTERM");
        await untilGone(alive.pid);
      }
      rmSync(base, { recursive: true, force: true });
    },
  };
}

/** Looks again and again: nobody tells when a process that is not a child has ended. */
export async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What Claude Code sends before a command. */
export const claudeBash = (command: string, cwd: string): string =>
  JSON.stringify({
    session_id: "s1",
    transcript_path: "/x",
    cwd,
    prompt_id: "p",
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "t1",
  });
