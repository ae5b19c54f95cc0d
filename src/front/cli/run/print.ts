import { answerJson, answerText } from "../../../core/answer.ts";
import type { Decision } from "../../../core/gate/verdict.ts";
import type { Outcome } from "../../../core/layer.ts";
import type { Filtering } from "../../../core/tool.ts";
import { failureReason } from "../../../question/failure-reason.ts";
import { colouredDiff } from "../../../question/text.ts";
import { visible, visibleJson } from "../../../text/visible.ts";
import { plural } from "../../../text/words.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";

/** How a call ended, for a person: what it produced on stdout, what went wrong on stderr. */
export function printOutcome(outcome: Outcome, { stdout, stderr, out, err }: Terminal): void {
  if (!outcome.ok) {
    const [block = "", ...rest] = visible(answerText(outcome)).split("\n\n");
    stderr.write(`${[err.red(block), ...rest].join("\n\n")}\n`);
    // The block is what a model reads; a person may know more.
    const reason = failureReason(outcome);
    if (reason !== outcome.error.message) stderr.write(`${prose(`${whoSays(reason, outcome.decision)}: ${visible(reason)}`, stderr)}\n`);
    return;
  }
  const { text, diff } = outcome.output;
  stdout.write(line(visible(text)));
  // In a pipe the text alone is the result; the diff is there to be looked at.
  if (diff !== undefined && stdout.isTTY) stdout.write(line(colouredDiff(diff, out)));
  if (outcome.output.filter) stderr.write(err.dim(filteredLine(outcome.output.filter)));
}

/** `[shell] 342 lines -> 28 lines, 91.8% filtered`; nothing when no line was removed. */
export function filteredLine({ rawLines, lines }: Pick<Filtering, "rawLines" | "lines">): string {
  if (lines >= rawLines) return "";
  return `[shell] ${plural(rawLines, "line")} -> ${plural(lines, "line")}, ${(100 * (1 - lines / rawLines)).toFixed(1)}% filtered\n`;
}

/** One line of JSON for programs. Escapes are spelled `\u001b`, which is the same JSON and moves no cursor. */
export const jsonLine = (value: object): string => `${visibleJson(JSON.stringify(value))}\n`;

export const answerLine = (outcome: Outcome, durationMs: number): string => jsonLine(answerJson(outcome, durationMs));

/** `files, rule deny_read: /etc/passwd lies outside…` */
export const whoDecided = ({ gate, rule }: Decision): string =>
  visible([gate ?? "nobody", ...(rule === undefined ? [] : [`rule "${rule}"`])].join(", "));

/** A reason may name the rule itself, as those of a policy do. */
const whoSays = (reason: string, { rule, ...decision }: Decision): string =>
  whoDecided(rule === undefined || reason.startsWith(rule) ? decision : { ...decision, rule });

/** Local time, to the minute: `2026-03-09 14:05`. */
export function localTime(at: number): string {
  const shifted = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16).replace("T", " ");
}

const WARNING = "warning:";

export const warn = ({ stderr, err }: Terminal, message: string): void =>
  void stderr.write(`${err.yellow(WARNING)}${prose(`${WARNING} ${visible(message)}`, stderr).slice(WARNING.length)}\n`);

/** Tells an error after which the command goes on. */
export const printError = ({ stderr, err }: Terminal, message: string): void =>
  void stderr.write(`${err.red(prose(visible(message), stderr))}\n`);

const line = (text: string) => (text.endsWith("\n") ? text : `${text}\n`);
