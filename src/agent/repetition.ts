import { isDeepStrictEqual } from "node:util";
import type { Outcome } from "../core/layer.ts";
import type { ToolRequest } from "../core/request.ts";
import { isPrinted } from "../core/tool.ts";
import { isRecord } from "../text/json.ts";
import { normalizeCommand } from "../text/normal-command.ts";
import { oneLine } from "../text/visible.ts";
import type { IntendedCall } from "./order.ts";

/** Rounds in a row with the same output that end a turn. */
const MOST_ALIKE = 3;

/** A call of a round and its result. Without an outcome only its text counts. */
export interface RoundCall {
  readonly request: Pick<ToolRequest, "name" | "args">;
  readonly text: string;
  readonly outcome?: Outcome;
  readonly intended?: IntendedCall;
}

/** One round of calls, as it is compared with others. */
export interface ComparedRound {
  /** Texts as they were. */
  readonly outputs: readonly string[];
  readonly calls: readonly unknown[];
  /** A call looked after a background command. */
  readonly waits: boolean;
  /** Every call was a command that failed and printed nothing. */
  readonly failsSilently: boolean;
  /** An output is an error, or long enough to be no coincidence. */
  readonly isTelling: boolean;
  readonly changesFiles: boolean;
}

/** Keeps the last rounds of a turn. */
export function createRepetitionCheck() {
  let last: readonly ComparedRound[] = [];
  return {
    /** True when this round and the two before it repeat each other. */
    isThird(round: readonly RoundCall[]): boolean {
      last = [...last, compareRound(round)].slice(-MOST_ALIKE);
      return last.length === MOST_ALIKE && areRepeated(last);
    },
  };
}

/**
 * Whether these rounds repeat each other: the same calls with the same outputs, or other calls with the same telling output that changed no file.
 * Looking after a background command is waiting. A command that fails and prints nothing asks a question, such as `test -e ready`.
 */
export function areRepeated(rounds: readonly ComparedRound[]): boolean {
  const [first, ...others] = rounds;
  if (!first || rounds.some(({ waits }) => waits) || first.failsSilently) return false;
  if (!others.every(({ outputs }) => areSame(outputs, first.outputs))) return false;
  if (others.every(({ calls }) => isDeepStrictEqual(calls, first.calls))) return true;
  return rounds.every(({ isTelling, changesFiles }) => isTelling && !changesFiles);
}

export function compareRound(round: readonly RoundCall[]): ComparedRound {
  return {
    outputs: round.map(({ text }) => text),
    // Compared as they are: written out as one text, the arguments of a long `write` would hold everything up.
    calls: round.map(({ request: { name, args }, intended }) => [name, intended?.effect === "runs" ? withPlainCommands(args) : args]),
    waits: round.some(({ request }) => request.name === "background"),
    failsSilently: round.every((call) => isFailedCommand(call) && printedBy(call).trim() === ""),
    isTelling: round.some(isTelling),
    changesFiles: round.some(mayChangeFiles),
  };
}

/** What a round got, in one line. */
export function outputWords(round: readonly RoundCall[]): string {
  const named = round.find(isTelling) ?? round[0];
  if (!named) return "(no output)";
  const { outcome } = named;
  const lines = printedBy(named).split("\n", MOST_LINES);
  const said = lines.find((line) => line.trim() !== "");
  return oneLine(outcome && !outcome.ok && isOwnWords(named) ? outcome.error.message : (said ?? "(no output)"), MOST_CHARACTERS);
}
const MOST_LINES = 50;
const MOST_CHARACTERS = 160;

/** Arguments of a tool that runs commands, each command in one way of writing it. */
const withPlainCommands = (args: unknown): unknown =>
  isRecord(args)
    ? Object.fromEntries(Object.entries(args).map(([name, value]) => [name, typeof value === "string" ? normalizeCommand(value) : value]))
    : args;

/** What a command printed, without the notes about how it ended; of another tool its text. */
function printedBy({ outcome, text }: RoundCall): string {
  const raw = outcome?.output?.raw;
  return isPrinted(raw) ? `${raw.stderr}${raw.stdout}` : text;
}

/** The text is an error block, and nothing was printed. */
const isOwnWords = (call: RoundCall): boolean => printedBy(call).trim() === "" || !isPrinted(call.outcome?.output?.raw);

const isFailedCommand = ({ outcome }: RoundCall): boolean =>
  outcome?.output?.exitCode !== undefined && outcome.output.exitCode !== 0 && isPrinted(outcome.output.raw);

/** A refused call got no output: its text is that of the rule. */
const isRefused = ({ outcome }: RoundCall): boolean => outcome?.decision.verdict === "deny" || outcome?.decision.verdict === "ask";

function isTelling(call: RoundCall): boolean {
  const { outcome } = call;
  if (!outcome || isRefused(call)) return false;
  const printed = printedBy(call);
  if (isFailedCommand(call)) return printed.trim() !== "";
  return !outcome.ok || ERROR_WORDS.test(printed.slice(0, LOOKED_AT)) || hasManyWords(printed);
}

/** Words of an error, such as a pipe or `|| true` leaves where the exit code is 0. Not `0 errors`. */
const ERROR_WORDS =
  /(?<!\b(?:0|no|without) )\b(?:errors?|failed|failure|fatal|exception|traceback|panic(?:ked)?|no such|not found|cannot|can't|could not|unable|denied|refused|invalid|unexpected)\b/i;
const LOOKED_AT = 4096;

const hasManyWords = (text: string): boolean => /(?:\S+\s+){8}\S/.test(text.slice(0, LOOKED_AT));

/**
 * Whether a call may have changed a file. A tool that writes has, if it succeeded. A command has where a path it writes can be read from it, or where
 * what it does is not known and it succeeded. Of a server's tool nothing is known either.
 */
function mayChangeFiles({ outcome, intended }: RoundCall): boolean {
  if (!outcome || !intended || outcome.output?.rollback !== undefined) return false;
  const { effect, touches } = intended;
  if (effect === "writes" || effect === "unknown") return outcome.ok;
  if (effect !== "runs" || (!outcome.ok && !outcome.output)) return false;
  const succeeded = outcome.ok && (outcome.output.exitCode ?? 0) === 0;
  return touches.some(
    (touch) =>
      (touch.kind === "path" && touch.access !== "read" && !touch.path.startsWith("/dev/")) || (touch.kind === "unknown" && succeeded),
  );
}

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, n) => isSameOutput(text, others[n]!));

/** Nearly all outputs differ in length, and are not read then. */
function isSameOutput(one: string, other: string): boolean {
  if (one === other) return true;
  const most = 64 + Math.min(one.length, other.length) / 4;
  return Math.abs(one.length - other.length) <= most && settleOutput(one) === settleOutput(other);
}

/** An output without what differs from run to run though nothing else does: ids that Zeph gives, dates, times of day, durations and pids. */
const settleOutput = (text: string): string => text.replace(VARIES, "");

const DAY = `(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? `;
const MONTH = String.raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?`;
const CLOCK = String.raw`\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,9})?(?: ?[AP]M\b)?`;
const ZONE = String.raw`(?: ?(?:Z|UTC|GMT|CES?T|[+-]\d\d:?\d\d)\b)?`;
const VARIES = new RegExp(
  [
    String.raw`\braw#\d+`,
    String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`,
    String.raw`\b\d{4}[-/.]\d\d[-/.]\d\d(?:[T _]${CLOCK}${ZONE})?`,
    String.raw`\b(?:${DAY})?(?:\d{1,2} ${MONTH} \d{4}|${MONTH} +\d{1,2},?)(?: ${CLOCK})?${ZONE}(?: \d{4}\b)?`,
    String.raw`\b\d{1,2}/\d{1,2}/\d{2,4}\b`,
    String.raw`\b${CLOCK}${ZONE}`,
    String.raw`\b1\d{9}(?:\.\d+|\d{3})?\b`,
    String.raw`\b(?:\d+h ?)?(?:\d+m ?)?\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|hours?)\b`,
    String.raw`\b(?:pid|process)(?: id)?\b[ =:#]{0,3}\d+`,
    String.raw`\(\d{2,7}\)(?=: )|(?<=\w)\[\d{2,7}\](?=: )|^\[\d+\]\+? +\d+(?= |$)`,
  ].join("|"),
  "gim",
);
