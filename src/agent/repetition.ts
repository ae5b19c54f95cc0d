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
  /** A background command ran, and a call looked after it or slept. */
  readonly waits: boolean;
  /** Every call was a command that failed and printed nothing. */
  readonly failsSilently: boolean;
  /** An output is an error, or long enough to be no coincidence. */
  readonly isTelling: boolean;
  /** `unknown`: only a look at the files tells. */
  readonly changesFiles: ChangesFiles;
}
type ChangesFiles = "yes" | "no" | "unknown";

/** What the calls themselves do not tell. */
export interface RoundsWorld {
  /** Whether a background command runs now that this turn may look after. */
  isBackgroundRunning(): boolean;
  /** Whether a file of the workspace may have changed since then, in milliseconds since 1970. */
  haveFilesChanged(sinceMs: number): Promise<boolean>;
}

/** Keeps the last rounds of a turn. */
export function createRepetitionCheck({ isBackgroundRunning, haveFilesChanged }: RoundsWorld) {
  let last: readonly (ComparedRound & { readonly beganMs: number })[] = [];
  let began = { ms: Date.now(), running: false };
  return {
    /** Before the calls of a round: a background command may end during it. */
    begin(): void {
      began = { ms: Date.now(), running: isBackgroundRunning() };
    },
    /** True when the round that ends now and the two before it repeat each other. */
    async isThird(round: readonly RoundCall[]): Promise<boolean> {
      const compared = compareRound(round, began.running || isBackgroundRunning());
      last = [...last, { ...compared, beganMs: began.ms }].slice(-MOST_ALIKE);
      if (last.length < MOST_ALIKE) return false;
      const found = compareRounds(last);
      return found === "repeated" || (found === "repeated unless files changed" && !(await haveFilesChanged(last[0]!.beganMs)));
    },
  };
}

/**
 * Whether these rounds repeat each other: the same calls with the same outputs, or other calls with the same telling output that changed no file.
 * Looking after a background command is waiting. A command that fails and prints nothing asks a question, such as `test -e ready`.
 */
export function compareRounds(rounds: readonly ComparedRound[]): "different" | "repeated" | "repeated unless files changed" {
  const [first, ...others] = rounds;
  if (!first || rounds.some(({ waits }) => waits) || first.failsSilently) return "different";
  if (!others.every(({ outputs }) => areSame(outputs, first.outputs))) return "different";
  if (others.every(({ calls }) => isDeepStrictEqual(calls, first.calls))) return "repeated";
  if (rounds.some(({ isTelling, changesFiles }) => !isTelling || changesFiles === "yes")) return "different";
  return rounds.some(({ changesFiles }) => changesFiles === "unknown") ? "repeated unless files changed" : "repeated";
}

/** `isRunning`: a background command ran at the beginning of the round or its end. */
export function compareRound(round: readonly RoundCall[], isRunning = false): ComparedRound {
  const changes = round.map(changesFiles);
  return {
    outputs: round.map(({ text }) => text),
    // Compared as they are: written out as one text, the arguments of a long `write` would hold everything up.
    calls: round.map(({ request: { name, args }, intended }) => [name, intended?.effect === "runs" ? withPlainCommands(args) : args]),
    waits: isRunning && round.some((call) => isLook(call) || isPause(call)),
    failsSilently: round.every((call) => isFailedCommand(call) && newsOf(call).trim() === ""),
    isTelling: round.some(isTelling),
    changesFiles: (["yes", "unknown"] as const).find((one) => changes.includes(one)) ?? "no",
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

const isLook = ({ request, outcome }: RoundCall): boolean => request.name === "background" && outcome?.ok !== false;

const isPause = ({ intended }: RoundCall): boolean =>
  intended?.touches.some((touch) => touch.kind === "command" && touch.argv[0] === "sleep") ?? false;

function isTelling(call: RoundCall): boolean {
  const { outcome } = call;
  if (!outcome || isRefused(call)) return false;
  const news = newsOf(call);
  if (isFailedCommand(call)) return news.trim() !== "";
  if (!outcome.ok) return true;
  if (hasFoundNothing(call)) return false;
  return (isPrinted(outcome.output?.raw) && ERROR_WORDS.test(news)) || hasManyWords(news);
}

/** A search that finds nothing says so in the same words wherever it looks. */
function hasFoundNothing({ outcome, intended }: RoundCall): boolean {
  const raw = outcome?.output?.raw;
  const found = isRecord(raw) ? (raw.hits ?? raw.items) : raw;
  return intended?.effect === "reads" && Array.isArray(found) && found.length === 0;
}

/**
 * What a call brought that its arguments do not say already, at most the beginning. `grep -q a b || echo "not found"` prints what the model wrote, and
 * no error; a search names its pattern.
 */
function newsOf(call: RoundCall): string {
  const printed = printedBy(call).slice(0, LOOKED_AT);
  const { args } = call.request;
  const given = isRecord(args)
    ? Object.values(args).flatMap((value) => (typeof value === "string" ? [value.slice(0, LOOKED_AT)] : []))
    : [];
  const isGiven = (line: string) => line !== "" && given.some((value) => value.includes(line));
  const lines = printed.split("\n").filter((line) => !isGiven(line.trim()));
  // A single letter stands in every text.
  return given.filter((value) => value.trim().length > 2).reduce((text, value) => text.replaceAll(value, ""), lines.join("\n"));
}

/** Words of an error, such as a pipe or `|| true` leaves where the exit code is 0. Not `0 errors`, `errors: 0` or `"error": null`. */
const ERROR_WORDS =
  /(?<!\b(?:0|no|without) )\b(?:errors?|failed|failures?|fatal|exceptions?|traceback|panic(?:ked)?|no such|not found|cannot|can't|could not|unable|denied|refused|invalid|unexpected)\b(?!["']?\s*[:=]\s*["']?(?:0\b(?![.,]\d)|(?:none|null|nil|false|no|\[\])["']?\s*(?:[,;})]|$)))/im;
const LOOKED_AT = 4096;

const hasManyWords = (text: string): boolean => /(?:\S+\s+){8}\S/.test(text);

/**
 * Whether a call changed a file. A tool that writes did, if it succeeded. A command did where a path it writes can be read from it. Where what it does
 * is not known it is taken to have, if it succeeded; if it failed, the files are looked at. Of a server's tool nothing is known either.
 */
function changesFiles({ outcome, intended }: RoundCall): ChangesFiles {
  if (!outcome || !intended || outcome.output?.rollback !== undefined) return "no";
  const { effect, touches } = intended;
  if (effect === "writes" || effect === "unknown") return outcome.ok ? "yes" : "no";
  if (effect !== "runs" || (!outcome.ok && !outcome.output)) return "no";
  if (touches.some((touch) => touch.kind === "path" && touch.access !== "read" && !touch.path.startsWith("/dev/"))) return "yes";
  if (!touches.some(({ kind }) => kind === "unknown")) return "no";
  return outcome.ok && (outcome.output.exitCode ?? 0) === 0 ? "yes" : "unknown";
}

const areSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((text, n) => isSameOutput(text, others[n]!));

/** Nearly all outputs differ in length, and are not read then. */
function isSameOutput(one: string, other: string): boolean {
  if (one === other) return true;
  const most = 64 + Math.min(one.length, other.length) / 4;
  return Math.abs(one.length - other.length) <= most && settleOutput(one) === settleOutput(other);
}

/** An output without what differs from run to run though nothing else does: handles that Zeph gives, dates, times of day, durations and pids. */
const settleOutput = (text: string): string => text.replace(VARIES, "");

const DAY = "(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? ";
const MONTH =
  "(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?";
const HOUR = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d`;
const SECONDS = String.raw`:[0-5]\d(?:[.,]\d{1,9})?`;
const NOON = "(?: ?[AP]M\\b)";
const CLOCK = `${HOUR}(?:${SECONDS})?${NOON}?`;
const ZONE = String.raw`(?: ?(?:Z|UTC|GMT|CES?T|[+-]\d\d:?\d\d)\b)?`;
const VARIES = new RegExp(
  [
    String.raw`\braw#\d+`,
    String.raw`\boverflow:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`,
    String.raw`\b\d{4}[-/.]\d\d[-/.]\d\d(?:[T _]${CLOCK}${ZONE})?`,
    String.raw`\b(?:${DAY})?(?:\d{1,2} ${MONTH} \d{4}|${MONTH} +\d{1,2},?)(?: ${CLOCK})?${ZONE}(?: \d{4}\b)?`,
    String.raw`\b\d{1,2}/\d{1,2}/\d{2,4}\b(?: ${CLOCK})?`,
    // Not behind a colon, and not without seconds: `a.c:12:34` is a place.
    String.raw`(?<![:\w])${HOUR}(?:${SECONDS}${NOON}?|${NOON})${ZONE}`,
    String.raw`\b1[5-9]\d{8}(?:\.\d+|\d{3})?\b`,
    String.raw`\b(?:\d+h ?)?(?:\d+m ?)?\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?|hours?)\b`,
    String.raw`\b(?:pid|process id)\b[ =:#]{0,3}\d+`,
    // Of a log with times. Elsewhere `items[12]: ` and `a.c(12): ` are places.
    String.raw`\[\d{2,7}\](?<=[0-5]\d(?: \S{1,64})? \S{1,64})(?=: )`,
  ].join("|"),
  "gim",
);
