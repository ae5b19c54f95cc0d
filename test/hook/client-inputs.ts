import { readFileSync } from "node:fs";
import { openRuntime } from "../../src/runtime/create.ts";
import type { HookParts } from "../../src/runtime/hook/answer-hook.ts";
import type { RuntimeInternals } from "../../src/runtime/runtime.ts";
import type { Workspace } from "../workspace.ts";

/** What a client sent, as it was recorded with the real one. `$W` is the workspace, `$H` the home folder. */
export interface Recorded {
  readonly client: string;
  readonly event: "pre" | "post";
  readonly input: Readonly<Record<string, unknown>>;
}

const linesOf = (name: string): readonly string[] =>
  readFileSync(new URL(name, import.meta.url), "utf8")
    .trim()
    .split("\n");

export const recordedInputs = (work: string): readonly Recorded[] =>
  linesOf("recorded.jsonl").map((line) => JSON.parse(line.replaceAll("$W", work).replaceAll("$H", "/home/somebody")));

/** What each recorded input is answered, in the same order, where a rule denies, asks about or allows everything. */
export const recordedAnswers = (work: string): readonly Record<"deny" | "ask" | "allow", string>[] =>
  linesOf("answers.jsonl").map((line) => JSON.parse(line.replaceAll("$W", work)));

const TOOLS = [
  "bash",
  "read",
  "write",
  "edit",
  "delete_path",
  "move_path",
  "fetch",
  "grep",
  "find_path",
  "mcp__fs__list_allowed_directories",
];

/** A runtime in which one rule speaks of every tool. */
export const openRuled = (place: Workspace, action: "deny" | "ask" | "allow", tools: object = {}): Promise<RuntimeInternals> =>
  openRuntime({
    cwd: place.work,
    store: "memory",
    config: {
      audit: { path: `${place.state}/${action}-${Math.random()}.jsonl` },
      tools: { permissions: Object.fromEntries(TOOLS.map((tool) => [tool, [{ pattern: "*", action }]])), ...tools },
    },
  } as Parameters<typeof openRuntime>[0]);

export const partsOf = (runtime: RuntimeInternals, more: Partial<HookParts> = {}): HookParts => ({
  runtimeFor: async () => runtime,
  modeOf: () => "guard",
  limits: { openMs: 120_000, judgeMs: 120_000 },
  ...more,
});
