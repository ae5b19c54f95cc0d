import { spawn } from "node:child_process";
import * as z from "zod";
import { compileGlob } from "../core/glob.ts";
import { setting } from "../core/setting.ts";

export const HOOK_EVENTS = ["pre_tool", "post_tool", "permission_denied", "file_changed", "cwd_changed", "turn_complete"] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

const hook = z.strictObject({
  command: z.string().min(1),
  match: z.string().min(1).optional(),
  timeout_ms: z.int().min(1).max(600_000).default(5000),
  on_error: z.enum(["warn", "deny"]).default("warn"),
});

/** Hooks run with your rights and outside the walls, so a project may not bring any until it is trusted. */
export const hooksConfig = setting(
  z.partialRecord(z.enum(HOOK_EVENTS), z.array(hook)).default({}),
  "Programs of yours that are told what happens, written as `[[hooks.<event>]]` with `command`, `match` (a glob on the tool's name), `timeout_ms` and `on_error`. They get JSON on standard input. A `pre_tool` hook may deny: exit code 2, with the reason on standard error.",
);
export type HooksConfig = z.output<typeof hooksConfig>;

export interface Hooks {
  has(event: HookEvent): boolean;
  /** Why a hook denies; null when none does. Hooks run one after the other. */
  run(event: HookEvent, payload: HookPayload): Promise<string | null>;
}

export interface HookPayload {
  readonly tool?: string;
  readonly [name: string]: unknown;
}

export interface HookSettings {
  readonly cwd: string;
  /** Variables for the hook beside the process's own. */
  readonly env: (payload: HookPayload) => Record<string, string>;
  readonly warn: (message: string) => void;
}

/** Exit code with which a hook says no. */
const DENY = 2;
const MAX_SAID = 4096;

export function hooks(config: HooksConfig, { cwd, env, warn }: HookSettings): Hooks {
  return {
    has: (event) => (config[event]?.length ?? 0) > 0,
    async run(event, payload) {
      for (const { command, match, timeout_ms, on_error } of config[event] ?? []) {
        if (match !== undefined && !compileGlob(match, { flavour: "text", letters: "exact" })(payload.tool ?? "")) continue;
        const { code, said } = await runHook(command, JSON.stringify({ event, ...payload }), {
          cwd,
          env: env(payload),
          timeoutMs: timeout_ms,
        });
        if (code === 0) continue;
        if (code === DENY && event === "pre_tool") return said || `The hook "${command}" said no.`;
        const problem = `The ${event} hook "${command}" ${code === null ? `took longer than ${timeout_ms} ms` : `ended with ${code}`}${said ? `: ${said}` : "."}`;
        if (on_error === "deny" && event === "pre_tool") return problem;
        warn(problem);
      }
      return null;
    },
  };
}

interface HookRun {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly timeoutMs: number;
}

/** `code` is null when the hook took too long. */
function runHook(command: string, input: string, { cwd, env, timeoutMs }: HookRun): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    const child = spawn("sh", ["-c", command], { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "ignore", "pipe"], detached: true });
    let said = "";
    let isOver = false;
    const end = (code: number | null) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolve({ code, said: said.trim() });
    };
    const timer = setTimeout(() => {
      killGroup(child.pid);
      end(null);
    }, timeoutMs);
    child.stderr!.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(0, MAX_SAID);
    });
    // A hook need not read what it is told.
    child.stdin!.on("error", () => {});
    child.stdin!.end(input);
    child.on("error", (error) => {
      said = error.message;
      end(127);
    });
    child.on("exit", (code, signal) => end(signal ? 128 : code));
  });
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // It ended just now.
  }
}
