import { SHOWN_CALL_ID } from "../../../core/call-id.ts";
import { ANOTHER_QUESTION } from "../../../core/gate/verdict.ts";
import type { Outcome } from "../../../core/layer.ts";
import type { ToolRequest } from "../../../core/request.ts";
import { rollbackWords } from "../../../question/rollback-words.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { columnsOf, cutTo } from "../../../text/width/columns.ts";
import { duration, plural } from "../../../text/words.ts";
import { EXIT, exitCode } from "../exit.ts";
import type { Colors } from "../terminal/terminal.ts";
import { whoDecided } from "./print.ts";

/** How a call ended, in a few words. */
export function endingOf(outcome: Outcome): string {
  const code = exitCode(outcome);
  if (code === EXIT.denied) return denialOf(outcome.decision);
  if (!outcome.ok && outcome.waiting) return "not run: waits for an answer";
  if (code === EXIT.unanswered) return `not run: nobody answered ${whoDecided(outcome.decision)}`;
  if (code === EXIT.cancelled) return "cancelled";
  if (!outcome.ok) return `failed: ${outcome.error.category}`;
  const { exitCode: exit } = outcome.output;
  return exit === undefined ? "ok" : `exit ${exit}`;
}

function denialOf(decision: Outcome["decision"]): string {
  if (decision.by !== undefined) return decision.by === "user" ? "you said no" : `${decision.by} said no`;
  if (decision.rule === ANOTHER_QUESTION) return "not run: what it would touch has changed since the question was asked";
  return `denied by ${whoDecided(decision)}`;
}

/** The command that lifts the refusal; null where none does. */
export function approveHint({ ok, callId, decision }: Outcome): string | null {
  const isScoped = !ok && decision.verdict === "deny" && decision.gate === "scoped" && decision.by === undefined;
  return isScoped ? `/approve ${visible(callId.slice(0, SHOWN_CALL_ID))}` : null;
}

/** So much of what was asked stays, if there is so much. */
const LEAST = 12;

/**
 * `bash npm test: exit 0, 2.3 s, 342 -> 28 lines [3]`, in one line. What was asked gives way when there is too little room.
 * The number is what /show takes, where there is that.
 */
export function toolLine(request: ToolRequest, outcome: Outcome, ms: number, width: number, colors: Colors, n?: number): string {
  const name = cutTo(oneLine(visible(request.name)), Math.floor(width / 3));
  const whole = argumentSummary(request.args);
  const mark = n === undefined ? "" : ` [${n}]`;
  const left = width - columnsOf(name) - 3 - mark.length;
  const undone = rollbackWords(outcome.output);
  const words = [endingOf(outcome), duration(ms), ...(undone === null ? [] : [undone]), ...savings(outcome)];
  const ended = cutTo(oneLine(visible(words.join(", "))), left - Math.min(LEAST, columnsOf(whole)));
  const summary = cutTo(whole, left - columnsOf(ended));
  const colour = outcome.ok ? colors.dim : colors.red;
  return `${colors.cyan(name)}${summary === "" ? "" : ` ${summary}`}${colors.dim(":")} ${colour(ended + mark)}`;
}

function savings(outcome: Outcome): string[] {
  const filter = outcome.output?.filter;
  return [
    ...(filter && filter.lines < filter.rawLines ? [`${filter.rawLines} -> ${plural(filter.lines, "line")}`] : []),
    ...(outcome.ok && outcome.cached ? ["cached"] : []),
  ];
}

/** Arguments that say most about a call, wherever the model put them. */
const FIRST = ["command", "pattern", "query", "url", "path", "from", "action", "id"];
const LONGEST = 200;

/** The arguments in one line: the telling one bare, the others by name. */
export function argumentSummary(args: unknown): string {
  if (typeof args !== "object" || args === null) return args === undefined ? "" : shown(args);
  const rank = ([name]: [string, unknown]) => (FIRST.indexOf(name) + FIRST.length + 1) % (FIRST.length + 1);
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  const sorted = given.map((entry, n) => ({ entry, n })).sort((a, b) => rank(a.entry) - rank(b.entry) || a.n - b.n);
  return sorted
    .map(({ entry: [name, value] }, n) =>
      n === 0 && typeof value === "string" ? shown(value) : `${oneLine(visible(name))}=${shown(value)}`,
    )
    .join(" ");
}

const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : written(value);
  return cutTo(oneLine(visible(text.slice(0, 4 * LONGEST))), LONGEST);
};

/** A value as JSON. One that nests too deep cannot be written down. */
function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "…";
  }
}
