import type { Outcome } from "../../../../core/layer.ts";
import type { ToolRequest } from "../../../../core/request.ts";
import { failureReason } from "../../../../question/failure-reason.ts";
import { CHANGED_TEXTS } from "../../../../question/question.ts";
import { ROLLED_BACK, rollbackWords } from "../../../../question/rollback-words.ts";
import { plural } from "../../../../text/words.ts";
import { outputPiece } from "../../chat/call-outputs.ts";
import { diffBody } from "../../chat/diff-view.ts";
import { EXIT, exitCode } from "../../exit.ts";
import { approveHint, argumentSummary, endingOf } from "../../run/ending.ts";
import type { Theme } from "../theme.ts";
import { columnsOfLine, cutLine, wrapLine } from "../width.ts";
import { diffLines } from "./diff.ts";
import { shownLine, shownText, timeTaken } from "./shown-text.ts";

/** A call that has ended. */
export interface ShownCall {
  readonly request: Pick<ToolRequest, "name" | "args">;
  readonly outcome: Outcome;
  /** How long it took, without the time a person was asked. */
  readonly ms: number;
  /** The number under which it can be looked at again. */
  readonly n?: number;
  /** The person called it, and wants to read what it printed. */
  readonly isOwn?: boolean;
}

const DIFF_LINES = 12;
const PROBLEM_LINES = 3;
const OWN_LINES = 40;
const LEAST_SUMMARY = 12;

/** The line of a call, and a piece of what came of it below. */
export function callLines(call: ShownCall, width: number, theme: Theme): string[] {
  const edge = `  ${theme.dim(theme.signs.pipe)} `;
  return [
    callHead(call, width, theme),
    ...outputLines(call, Math.max(1, width - 4), theme).map((line) => cutLine(edge + line, width, theme.signs.cut)),
  ];
}

/** `! bash npm test  exit 1, 729 ms, F 347→28 lines [2]`. What was asked gives way when there is too little room. */
export function callHead({ request, outcome, ms, n }: ShownCall, width: number, theme: Theme): string {
  const { bold, dim, signs } = theme;
  const name = cutLine(shownLine(request.name, signs), Math.max(1, Math.floor(width / 3)), signs.cut);
  const whole = askedText(request.args, outcome);
  const number = n === undefined ? "" : ` [${n}]`;
  const room = width - columnsOfLine(name) - 5 - number.length;
  const undone = rollbackWords(outcome.output);
  const counted = undone === null || undone === ROLLED_BACK ? [] : [undone];
  const words = [...endingWords(outcome), timeTaken(ms), ...counted, ...savedWords(outcome, signs.arrow)].join(", ");
  const ended = cutLine(shownLine(words, signs), Math.max(1, room - Math.min(LEAST_SUMMARY, columnsOfLine(whole))), signs.cut);
  const summary = cutLine(whole, Math.max(0, room - columnsOfLine(ended)), signs.cut);
  return cutLine(`${signOf(outcome, theme)} ${bold(name)}${summary === "" ? "" : ` ${summary}`}  ${dim(ended + number)}`, width, signs.cut);
}

/** What was asked in one line, without the texts that a diff below it tells. */
function askedText(args: unknown, { output }: Outcome): string {
  if (!output?.diff || typeof args !== "object" || args === null) return argumentSummary(args);
  return argumentSummary(Object.fromEntries(Object.entries(args).filter(([name]) => !CHANGED_TEXTS.includes(name))));
}

function signOf(outcome: Outcome, { good, warn, bad, signs }: Theme): string {
  if (isRefused(outcome)) return bad(signs.refused);
  return outcome.ok && (outcome.output.exitCode ?? 0) === 0 ? good(signs.ok) : warn(signs.failed);
}

const isRefused = (outcome: Outcome): boolean => [EXIT.denied, EXIT.unanswered].some((code) => code === exitCode(outcome));

/** That a call went well is said by its sign and by nothing that was wrong. */
function endingWords(outcome: Outcome): string[] {
  const { by, gate } = outcome.decision;
  if (exitCode(outcome) === EXIT.denied && by === undefined) return [`refused by ${gate ?? "nobody"}`];
  const isWell = outcome.ok && (outcome.output.exitCode ?? 0) === 0;
  return [...(isWell ? [] : [endingOf(outcome)]), ...(rollbackWords(outcome.output) === ROLLED_BACK ? [ROLLED_BACK] : [])];
}

function savedWords(outcome: Outcome, arrow: string): string[] {
  const filter = outcome.output?.filter;
  return [
    ...(filter && filter.lines < filter.rawLines ? [`${LETTER[filter.confidence]} ${filter.rawLines}${arrow}${filter.lines} lines`] : []),
    ...(outcome.ok && outcome.cached ? ["cached"] : []),
  ];
}
/** As the Resources panel counts them. */
const LETTER = { Full: "F", Partial: "P", Fallback: "B" } as const;

function outputLines({ outcome, n, isOwn }: ShownCall, width: number, theme: Theme): string[] {
  const { dim, signs } = theme;
  const where = n === undefined ? "" : ", Ctrl-O";
  const more = (left: number) => (left > 0 ? [dim(`${signs.cut} ${plural(left, "more line")}${where}`)] : []);
  const said = (text: string) => {
    const all = wrapLine(shownText(text).trim(), width, { hard: true });
    return [...all.slice(0, PROBLEM_LINES).map(dim), ...more(all.length - PROBLEM_LINES)];
  };
  const undone = outcome.output?.rollback === undefined ? [] : said(outcome.output.rollback);
  const piece = outputPiece(outcome, isOwn ? OWN_LINES : undefined);
  if (piece === null) return refusalLines(outcome, said);
  if (piece.kind === "problem") return said(piece.text);
  if (piece.kind === "media") return piece.lines.map((line) => dim(cutLine(shownText(line), width, signs.cut)));
  if (piece.kind === "diff") {
    const left = diffBody(piece.diff).length - DIFF_LINES;
    return [...diffLines(piece.diff, width, theme, { most: DIFF_LINES }), ...more(left)];
  }
  const before = piece.left === null ? [dim(`${signs.cut} more lines${where}`)] : more(piece.left);
  return [...before, ...piece.lines.map((line) => dim(cutLine(shownText(line.slice(0, 4 * width)), width, signs.cut))), ...undone];
}

/** Why it was refused, and what lets it through all the same. A person knows why they said no. */
function refusalLines(outcome: Outcome, said: (text: string) => string[]): string[] {
  if (outcome.ok || !isRefused(outcome) || outcome.decision.by !== undefined) return [];
  const lifted = approveHint(outcome);
  return [...said(failureReason(outcome)), ...(lifted === null ? [] : said(`${lifted} lets exactly this call through, once`))];
}
