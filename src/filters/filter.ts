import { omission } from "../core/marker.ts";
import type { Confidence } from "../core/tool.ts";
import { accountFor } from "./account.ts";
import type { RuleStep } from "./apply-rules.ts";
import { filterBlocks } from "./blocks/filter-blocks.ts";
import { speakersOf } from "./command.ts";
import { gatherLines, readGathered } from "./gather.ts";
import { isSmall, type Picked, withoutBulk } from "./giant.ts";
import { GAP, type Line, printedLine, sumOf } from "./line.ts";
import { hasLongLine, withoutLongLines } from "./long-lines.ts";
import type { Rule } from "./rule.ts";
import { cleanLines, isBinary } from "./sanitise.ts";
import { mayApply } from "./select-rules.ts";
import { searchedFor } from "./text/search.ts";

export interface PrintedOutput {
  readonly command: string;
  readonly raw: string;
  readonly exitCode: number;
  /** The same command printed before in this turn: no rule shortens it. */
  readonly again?: true;
}

/** What was left out, for the one line that says so. */
export interface Omission {
  readonly lines: number;
  readonly errors: number;
  readonly characters: number;
  /** Values that no line tells, of lines that are told. */
  readonly values: number;
}

/** How a mark reads. A text that is shortened has to be shorter together with it. */
export type Mark = (left: Omission) => string;

/** An output after its rules, and what they did. */
export interface FilterResult {
  /** What is shown, and the mark behind it. */
  readonly text: string;
  readonly body: string;
  readonly mark: string | null;
  readonly rule: string | null;
  readonly confidence: Confidence;
  readonly rawLines: number;
  readonly lines: number;
  /** What each rule did, in order. */
  readonly steps: readonly RuleStep[];
  /** What the mark speaks of; null when nothing was left out. */
  readonly left: Omission | null;
}

/**
 * Shortens what a command printed, and never lies about it: what is left out is counted, what looks like an error stays or is counted, what is not
 * built as expected stays as it came. The text is never longer than the raw one.
 */
export function filterText({ command, raw, exitCode, again }: PrintedOutput, rules: readonly Rule[], mark: Mark = omission): FilterResult {
  const untouched = unfiltered(raw);
  const { rawLines } = untouched;
  if (isBinary(raw)) return { ...untouched, ...binary(raw, mark) };
  const speakers = speakersOf(command);
  const [only, ...others] = speakers;
  const isAsked = speakers.length > 0 && speakers.every(({ verbatim }) => verbatim === "text");
  const wanted = speakers.flatMap(({ words }) => searchedFor(words));
  const isLongSearch = wanted.length > 0 && hasLongLine(raw);
  const isContents = isAsked && !isLongSearch && (others.length > 0 || !rules.some((rule) => mayApply(rule, only!) && rule.matches(only!)));
  if (again || isContents) return withinBudget(untouched, { mark, wanted, picked: again ? "errors and rarities" : "nothing" });

  const clean = gatherLines(cleanLines(raw));
  const { lines: readable, cut } = withoutLongLines(clean.entries, wanted);
  const { printed: before, lines: given } = readGathered({ entries: readable, dropped: clean.dropped });
  const { lines, steps, confidence, harmless } = filterBlocks({ lines: given, speakers, exitCode }, rules);
  const did = steps.filter((step) => step.did === "shortened");
  // A file or an answer in which nothing was found to shorten is the person's, however long it is.
  const isWhole = speakers.length > 0 && speakers.every(({ verbatim }) => verbatim === "text" || verbatim === "rows");
  if (isWhole && did.length === 0 && !isLongSearch) return withinBudget({ ...untouched, steps }, { mark, wanted, picked: "nothing" });
  const shown = withoutBulk(lines, { printed: before, wanted }) ?? lines;
  const changed = did.length > 0 || shown !== lines || cut > 0 || !clean.isWhole;
  const left = changed ? leftOut(before, shown, { harmless, cut }) : NOTHING;
  const leaves = left.lines > 0 || left.characters > 0 || left.values > 0;
  const body = withoutGaps(shown).join("\n");
  const marked = leaves ? mark(left) : null;
  const text = joinTexts(body, marked);

  if (changed && text.length < clean.length && isWorthMark(marked, clean.length - body.length)) {
    const rule = [...new Set(did.map(({ rule }) => rule))].join(" + ") || "giant";
    return {
      text,
      body,
      mark: marked,
      rule,
      confidence: shown === lines ? confidence : "Partial",
      rawLines,
      lines: shown.length,
      steps,
      left: leaves ? left : null,
    };
  }
  // The rule that was meant for this command, if there is one, though it found nothing to do.
  const name = steps.find(({ rule }) => !rule.startsWith("any-"))?.rule ?? null;
  const plain = clean.isWhole ? clean.entries.map(({ text }) => text).join("\n") : raw;
  if (isAsked || !clean.isWhole || plain === raw.replace(/\n$/, "")) return { ...untouched, rule: name, steps };
  return { ...untouched, text: plain, body: plain, rule: name, lines: clean.entries.length, steps };
}

/** A mark costs tokens and makes a reader wonder. */
const isWorthMark = (mark: string | null, saved: number): boolean => mark === null || saved >= MARK_WORTH * mark.length;
const MARK_WORTH = 4;

interface Budgeted {
  readonly mark: Mark;
  readonly picked: Picked;
  readonly wanted: readonly string[];
}

/** A text that no rule may shorten, as it was printed: as much of it as there is room for. */
function withinBudget(untouched: FilterResult, { mark, picked, wanted }: Budgeted): FilterResult {
  const raw = untouched.text;
  if (isSmall(raw.length)) return untouched;
  const { entries, dropped } = gatherLines(cleanLines(raw));
  const { lines: readable, cut } = withoutLongLines(entries, wanted);
  const { printed, lines } = readGathered({ entries: readable, dropped });
  const shown = withoutBulk(lines, { picked, printed, wanted });
  if (shown === null) return untouched;
  const left = leftOut(printed, shown, { harmless: 0, cut });
  const body = withoutGaps(shown).join("\n");
  const marked = mark(left);
  const text = joinTexts(body, marked);
  if (text.length >= raw.length) return untouched;
  return { ...untouched, text, body, mark: marked, rule: "giant", confidence: "Partial", lines: shown.length, left };
}

function leftOut(
  before: readonly Line[],
  shown: readonly Line[],
  { harmless, cut }: { readonly harmless: number; readonly cut: number },
): Omission {
  const { left, partly, values } = accountFor(before, shown);
  const errors = Math.max(sumOf(before).errors - sumOf(shown).errors - harmless, 0);
  // A mark is short: lines that are told in part are counted among the others where these are many, or where there is more to say.
  const tellsValues = errors === 0 && cut === 0 && left < partly * 2;
  return { lines: tellsValues ? left : left + partly, errors, characters: cut, values: tellsValues ? values : 0 };
}

const NOTHING: Omission = { lines: 0, errors: 0, characters: 0, values: 0 };

/** What is there, line by line. */
export const joinTexts = (...texts: readonly (string | null)[]): string => texts.filter((text) => text !== null && text !== "").join("\n");

/** An output that no rule looked at. */
export function unfiltered(raw: string): FilterResult {
  const lines = countLines(raw);
  return { text: raw, body: raw, mark: null, rule: null, confidence: "Fallback", rawLines: lines, lines, steps: [], left: null };
}

/** Lines that were left out leave blank ones behind. */
function withoutGaps(lines: readonly Line[]): string[] {
  const texts: string[] = [];
  for (const { text } of lines) if (text !== "" || (texts.length > 0 && texts.at(-1) !== "")) texts.push(text);
  if (texts.at(-1) === "") texts.pop();
  return texts;
}

/** Binary output is not shown, but for lines in it that are text and look like errors. */
function binary(raw: string, mark: Mark): Partial<FilterResult> {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a line with one is not text
  const readable = raw.split("\n", 10_000).filter((line) => line.length < 500 && !/[\u0000-\u0008\u000e-\u001a\ufffd]/.test(line));
  const errors = readable.filter((line) => printedLine(line).errors > 0).slice(0, 20);
  const left = { lines: 0, errors: 0, characters: raw.length, values: 0 };
  const body = [...errors, "[binary output]", ...(GAP.exec(raw) ?? [])].join("\n");
  const marked = mark(left);
  const text = joinTexts(body, marked);
  return text.length < raw.length
    ? { text, body, mark: marked, rule: "binary", confidence: "Partial", lines: errors.length + 1, left }
    : {};
}

const countLines = (raw: string): number => {
  if (raw === "") return 0;
  let count = raw.endsWith("\n") ? 0 : 1;
  for (let at = raw.indexOf("\n"); at !== -1; at = raw.indexOf("\n", at + 1)) count++;
  return count;
};
