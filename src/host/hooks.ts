import { constants } from "node:os";
import * as z from "zod";
import { setting } from "../core/setting.ts";
import { splitPath } from "../files/command-folders.ts";
import { killNow } from "../files/process.ts";
import { startProgram } from "../files/programs.ts";
import { compileGlob, type Matcher } from "../text/glob.ts";
import { makeOnce } from "../text/make-once.ts";

export const HOOK_EVENTS = ["pre_tool", "post_tool", "permission_denied", "file_changed", "cwd_changed", "turn_complete"] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

const hook = makeOnce(() =>
  z.strictObject({
    command: z.string().min(1),
    match: z.string().min(1).optional(),
    timeout_ms: z.int().min(1).max(600_000).default(5000),
    on_error: z.enum(["warn", "deny"]).optional(),
  }),
);
type Hook = z.output<ReturnType<typeof hook>>;

/** Hooks run with your rights and outside the walls, so a project may not bring any until it is trusted. */
export const hooksConfig = makeOnce(() =>
  setting(
    z.partialRecord(z.enum(HOOK_EVENTS), z.array(hook())).default({}),
    "Programs of yours that are told what happens (found on your PATH without the folders that commands may write), written as `[[hooks.<event>]]` with `command`, `match` (a glob on the tool's name), `timeout_ms` and `on_error`. They get JSON on standard input: the event, the tool and its arguments, the turn with the `history` of its commands, and what its results named so far (`parsed`: `urls`, `paths`, `json`). A `pre_tool` hook may deny: exit code 2, with the reason on standard error. A hook that fails in any other way (it is missing, cannot be run, takes too long, crashes, ends with another code, has a `match` that is not a glob) does what `on_error` says: `deny`, which is the default for `pre_tool`, or `warn`, the default elsewhere. For `post_tool` and `file_changed`, where the call has been run, `deny` withholds its result.",
  ),
);
export type HooksConfig = z.output<ReturnType<typeof hooksConfig>>;

export interface Hooks {
  has(event: HookEvent): boolean;
  /** Why a hook denies, or failed where that denies; null when none does. Hooks run one after the other. Never throws. */
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
/** What a shell says of a program that it does not find. */
const NOT_FOUND = 127;
const MAX_SAID = 4096;
const LAST_WORDS_MS = 200;

/** Where a failure can still deny something: the call itself, or what came of it. */
const DENIABLE: readonly HookEvent[] = ["pre_tool", "post_tool", "file_changed"];

/** A hook that should have spoken before a call and could not has not agreed to it. */
const onErrorOf = (event: HookEvent, { on_error }: Hook): "warn" | "deny" => {
  if (!DENIABLE.includes(event)) return "warn";
  return on_error ?? (event === "pre_tool" ? "deny" : "warn");
};

export function createHooks(config: HooksConfig, { cwd, env, warn }: HookSettings): Hooks {
  // Each pattern is compiled once: a long one must not cost every call its time.
  const compiled = new Map(HOOK_EVENTS.map((event) => [event, (config[event] ?? []).map((one) => ({ one, speaksOf: matcherOf(one) }))]));

  /** Why the hook denies, what is wrong with it, or nothing. */
  const ask = async (event: HookEvent, one: Hook, speaksOf: Matcher | Error, payload: HookPayload): Promise<Said | null> => {
    const { command, timeout_ms } = one;
    if (speaksOf instanceof Error)
      return { problem: `The ${event} hook "${command}" has a match that is not a glob: ${speaksOf.message}.` };
    if (!speaksOf(payload.tool ?? "")) return null;
    const { code, said } = await runHook(command, JSON.stringify({ event, ...payload }), {
      cwd,
      env: env(payload),
      timeoutMs: timeout_ms,
    });
    if (code === 0) return null;
    if (code === DENY && event === "pre_tool") return { denies: said || `The hook "${command}" said no.` };
    const how = code === null ? `took longer than ${timeout_ms} ms` : `ended with ${code}`;
    return { problem: `The ${event} hook "${command}" ${how}${said ? `: ${said}` : "."}` };
  };

  return {
    has: (event) => (config[event]?.length ?? 0) > 0,
    async run(event, payload) {
      for (const { one, speaksOf } of compiled.get(event) ?? []) {
        const answer = await ask(event, one, speaksOf, payload).catch(
          (cause: unknown): Said => ({
            problem: `The ${event} hook "${one.command}" could not be run: ${cause instanceof Error ? cause.message : String(cause)}`,
          }),
        );
        if (answer === null) continue;
        if ("denies" in answer) return answer.denies;
        if (onErrorOf(event, one) === "deny") return answer.problem;
        warn(answer.problem);
      }
      return null;
    },
  };
}

type Said = { readonly denies: string } | { readonly problem: string };

function matcherOf({ match }: Hook): Matcher | Error {
  if (match === undefined) return () => true;
  try {
    return compileGlob(match, { flavour: "text", letters: "exact" });
  } catch (error) {
    return error as Error;
  }
}

interface HookRun {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly timeoutMs: number;
}

/** What a hook would have found there, a command may have put there. */
function droppedWords(path: string): string {
  const { dropped } = splitPath(path);
  const names = dropped.map((folder) => folder || "(an empty entry)").join(", ");
  return dropped.length === 0 ? "" : ` Hooks are not looked for in folders of PATH that commands may write: ${names}.`;
}

/** `code` is null when the hook took too long. */
function runHook(command: string, input: string, { cwd, env, timeoutMs }: HookRun): Promise<{ code: number | null; said: string }> {
  return new Promise((resolve) => {
    const variables = { ...process.env, ...env };
    const child = startProgram("/bin/sh", ["-c", command], { cwd, env: variables, stdio: ["pipe", "ignore", "pipe"], detached: true });
    let said = "";
    let isOver = false;
    const end = (code: number | null) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      resolve({ code, said: `${said.trim()}${code === NOT_FOUND ? droppedWords(variables.PATH ?? "") : ""}` });
    };
    const timer = setTimeout(() => {
      if (child.pid !== undefined) killNow(-child.pid);
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
    child.on("exit", (code, signal) => {
      const how = signal ? 128 + (constants.signals[signal] ?? 0) : code;
      // Its last words may still be in the pipe; who it left behind may hold the pipe open for ever.
      child.on("close", () => end(how));
      setTimeout(() => end(how), LAST_WORDS_MS).unref();
    });
  });
}
