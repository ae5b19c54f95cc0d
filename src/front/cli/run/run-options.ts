import type { Limits } from "../../../core/event.ts";
import { type AnswerFlags, readAnswerFlags } from "../../../question/flags.ts";
import type { AgentRequest } from "../agent.ts";
import { UsageError } from "../io.ts";
import { positiveNumber, wholeNumber } from "../number-option.ts";
import { readText } from "../stdin.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { withPiped } from "./piped-stdin.ts";

/** `zeph run`, as it was typed. */
export interface RunOptions extends RunSettings {
  readonly task: string;
  /** The task without what was piped to it. */
  readonly typed: string;
}

/** How an agent works on its own, whatever it was asked. */
export interface RunSettings {
  readonly form: "text" | "json";
  readonly wish: AgentRequest;
  readonly maxTurns?: number;
  readonly limits: Limits;
  /** Whether commands in the background are waited for when the model is done. */
  readonly background: "wait" | "kill";
  /** Who answers questions; "nobody" when stdin was read for the task. */
  readonly answers: "whoever is there" | "nobody";
  readonly flags: AnswerFlags;
  /** A question that nobody here answers waits for `zeph watch` or `zeph answer`. */
  readonly waits?: true;
}

type Flags = Readonly<Record<string, unknown>>;

export async function runOptions(words: readonly string[], flags: Flags, { stdin, stderr }: Terminal): Promise<RunOptions> {
  const form = flags.json ? "json" : "text";
  const isAwaited = words.at(-1) === "-";
  if (isAwaited && form === "json") throw new UsageError("With --json stdin is for answers. Give the task as words.");
  if (flags.waitForAnswer && flags.later)
    throw new UsageError("--later ends the turn at a question, and --wait-for-answer stays there. Give one of them.");
  const maxTurns = flags.maxTurns === undefined ? undefined : wholeNumber("--max-turns", flags.maxTurns, { least: 1, most: 100 });
  const wish = wishOf(flags);
  const said = (isAwaited ? words.slice(0, -1) : words).join(" ");
  const isWhole = isAwaited && words.length === 1;
  const asked = taskOf(isWhole ? await readText(stdin) : said, wish);
  const task = isWhole || form === "json" || stdin.isTTY ? asked : await withPiped(asked, stdin, isAwaited ? "awaited" : "perhaps", stderr);
  return {
    task,
    typed: asked,
    form,
    wish,
    ...(maxTurns !== undefined && { maxTurns }),
    limits: limitsOf(flags),
    background: flags.wait === false ? "kill" : "wait",
    answers: isAwaited ? "nobody" : "whoever is there",
    flags: readAnswerFlags(flags),
    ...(flags.waitForAnswer === true && { waits: true }),
  };
}

/** `--max-tokens`, `--max-usd` and `--max-time`. */
function limitsOf(flags: Flags): Limits {
  const tokens = flags.maxTokens === undefined ? undefined : wholeNumber("--max-tokens", flags.maxTokens, { least: 1, most: 999_999_999 });
  const usd = flags.maxUsd === undefined ? undefined : positiveNumber("--max-usd", flags.maxUsd);
  const seconds = flags.maxTime === undefined ? undefined : positiveNumber("--max-time", flags.maxTime);
  return {
    ...(tokens !== undefined && { tokens }),
    ...(usd !== undefined && { usd }),
    ...(seconds !== undefined && { ms: seconds * 1000 }),
  };
}

/** `--model` and `--continue`, for the chat too. */
export const wishOf = (flags: Flags): AgentRequest => ({
  ...(typeof flags.model === "string" && { model: flags.model }),
  ...(flags.continue !== undefined && { conversation: flags.continue === true ? "last" : String(flags.continue) }),
});

/** A conversation that was stopped goes on without a word. */
function taskOf(text: string, { conversation }: AgentRequest): string {
  if (text.trim() !== "") return text;
  if (conversation !== undefined) return "Go on.";
  throw new UsageError('Say what to do: zeph run "Why does the test fail?"; or - to read it from stdin.');
}
