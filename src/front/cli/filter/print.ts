import type { DeskOutput } from "../../../runtime/filter/standalone-filter.ts";
import { visible } from "../../../text/visible.ts";
import { plural } from "../../../text/words.ts";
import { jsonLine } from "../run/print.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Prints the text for the model. In a pipe exactly that; a terminal must not obey what a program printed. */
export function printText({ text, rawChars }: DeskOutput, { stdout }: Terminal): void {
  if (text === "") return;
  // What came through untouched stays so to the last byte; a shortened text ends its line.
  const whole = text.endsWith("\n") || text.length === rawChars ? text : `${text}\n`;
  stdout.write(stdout.isTTY ? visible(whole) : whole);
}

export const outputJson = ({ kept, left, ...output }: DeskOutput, exitCode?: number): string =>
  jsonLine({ ...output, left, raw_id: kept, ...(exitCode !== undefined && { exit_code: exitCode }) });

/** Each rule and what it did, for a person who wonders why a line is there or is not. */
export function explanation(command: string, output: DeskOutput): string {
  const { forms, speakers, verbatim, steps, left, secrets, kept } = output;
  const noRule = forms === null ? "none: no block of the output is known, or it is not clear who printed it" : "none matches";
  const rows: readonly Row[] = [
    ["command", command],
    ...otherForms(command, forms),
    ...rowIf(speakers.length > 1, "speakers", () => speakers.join(" | ")),
    ...rowIf(verbatim !== null, "asked for", () => VERBATIM[verbatim!]),
    ...steps.map(stepRow),
    ...rowIf(steps.length === 0, "rules", () => noRule),
    ["result", resultWords(output)],
    ["left out", left === null ? "nothing" : leftWords(left)],
    ...rowIf(secrets.length > 0, "secrets", () => `${secrets.length} redacted: ${familyWords(secrets)}`),
    ...rowIf(kept !== null, "kept as", () => `${kept} (zeph filter --raw '${kept}')`),
  ];
  return rows.map(([name, value]) => `${name.padEnd(WIDTH)} ${value}\n`).join("");
}

type Row = readonly [name: string, text: string];
const rowIf = (isWanted: boolean, name: string, text: () => string): Row[] => (isWanted ? [[name, text()]] : []);

const WIDTH = 10;
const VERBATIM = {
  text: "a text as it is: only rules for files apply",
  lines: "lines that the command chose: only rules for files apply",
  rows: "rows of an answer: only what repeats is said once",
} as const;

function otherForms(command: string, forms: DeskOutput["forms"]): Row[] {
  const others = (forms ?? []).filter((form) => form !== command);
  return others.length === 0 ? [] : [["known as", others.join(" | ")]];
}

function stepRow({ rule, strategy, did, before, after, confidence, form }: DeskOutput["steps"][number]): Row {
  const what = did === "shortened" ? `${before} -> ${plural(after, "line")}, ${confidence}` : DID[did];
  return ["rule", `${rule} (${strategy}${form === null ? "" : `, by "${form}"`}): ${what}`];
}

const DID = { nothing: "nothing to do", "left alone": "not in the form the rule expects, left as it is" } as const;

const resultWords = ({ rule, confidence, rawLines, lines, rawChars, chars }: DeskOutput): string =>
  `${rawLines} -> ${plural(lines, "line")}, ${rawChars} -> ${chars} characters, ${confidence}${rule === null ? "" : ` (${rule})`}`;

function leftWords({ lines, errors, characters }: NonNullable<DeskOutput["left"]>): string {
  const parts = [lines > 0 ? plural(lines, "line") : "", characters > 0 ? `${characters} characters of long lines` : ""].filter(Boolean);
  return `${parts.join(", ")}; ${errors === 0 ? "none of them" : `${errors} of them`} error-shaped`;
}

function familyWords(secrets: DeskOutput["secrets"]): string {
  const counts = new Map<string, number>();
  for (const { family } of secrets) counts.set(family, (counts.get(family) ?? 0) + 1);
  return [...counts].map(([family, count]) => (count === 1 ? family : `${family} ×${count}`)).join(", ");
}
