import { answerJson, answerText } from "../../../core/answer.ts";
import type { Decision } from "../../../core/gate/verdict.ts";
import type { Outcome } from "../../../core/layer.ts";
import type { Filtering } from "../../../core/tool.ts";
import { visible } from "../../../text/visible.ts";
import { type Colors, prose, type Terminal } from "../terminal/terminal.ts";

/** How a call ended, for a person: what it produced on stdout, what went wrong on stderr. */
export function printOutcome(outcome: Outcome, { stdout, stderr, out, err }: Terminal): void {
  if (!outcome.ok) {
    const [block = "", ...rest] = visible(answerText(outcome)).split("\n\n");
    stderr.write(`${[err.red(block), ...rest].join("\n\n")}\n`);
    // The block is what a model reads; a person may know more.
    const reason = reasonOf(outcome);
    if (reason !== outcome.error.message) stderr.write(`${prose(`${whoSays(reason, outcome.decision)}: ${visible(reason)}`, stderr)}\n`);
    return;
  }
  const { text, diff } = outcome.output;
  stdout.write(line(visible(text)));
  // In a pipe the text alone is the result; the diff is there to be looked at.
  if (diff !== undefined && stdout.isTTY) stdout.write(line(colouredDiff(diff, out)));
  if (outcome.output.filter) stderr.write(err.dim(filteredLine(outcome.output.filter)));
}

/** Why a call failed, for a person: a model may have been told less. */
export function reasonOf({ error, decision: { why, by } }: Extract<Outcome, { ok: false }>): string {
  return why === undefined || by !== undefined || error.message.includes(why) ? error.message : why;
}

/** `[shell] 342 lines -> 28 lines, 91.8% filtered`; nothing when no line was removed. */
export function filteredLine({ rawLines, lines }: Pick<Filtering, "rawLines" | "lines">): string {
  if (lines >= rawLines) return "";
  return `[shell] ${rawLines} lines -> ${lines} lines, ${(100 * (1 - lines / rawLines)).toFixed(1)}% filtered\n`;
}

/** One line of JSON for programs. Escapes are spelled `\u001b`, which is the same JSON and moves no cursor. */
export const jsonLine = (value: object): string => `${visible(JSON.stringify(value))}\n`;

export const answerLine = (outcome: Outcome, durationMs: number): string => jsonLine(answerJson(outcome, durationMs));

export function colouredDiff(diff: string, colors: Colors): string {
  const colour = (text: string) => {
    if (/^(---|\+\+\+) /.test(text)) return colors.bold(text);
    if (text.startsWith("@@")) return colors.cyan(text);
    if (text.startsWith("+")) return colors.green(text);
    return text.startsWith("-") ? colors.red(text) : text;
  };
  return visible(diff).replace(/\n$/, "").split("\n").map(colour).join("\n");
}

/** `files, rule deny_read: /etc/passwd lies outside…` */
export const whoDecided = ({ gate, rule }: Decision): string =>
  visible([gate ?? "nobody", ...(rule === undefined ? [] : [`rule "${rule}"`])].join(", "));

/** A reason may name the rule itself, as those of a policy do. */
const whoSays = (reason: string, { rule, ...decision }: Decision): string =>
  whoDecided(rule === undefined || reason.startsWith(rule) ? decision : { ...decision, rule });

export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);

const WARNING = "warning:";

export const warn = ({ stderr, err }: Terminal, message: string): void =>
  void stderr.write(`${err.yellow(WARNING)}${prose(`${WARNING} ${visible(message)}`, stderr).slice(WARNING.length)}\n`);

const line = (text: string) => (text.endsWith("\n") ? text : `${text}\n`);
