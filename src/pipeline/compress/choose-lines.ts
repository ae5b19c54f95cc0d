import { isErrorShaped } from "../../filters/errors.ts";
import { plural } from "../../text/words.ts";
import { relevance, type Terms } from "./relevance.ts";
import type { Cut } from "./sections.ts";

/** Which lines are shown, and what is said of the others. Null where all of them are. */
export interface LineChoice {
  readonly shown: ReadonlySet<number>;
  /** A note where lines are missing, or one at the end, or none. */
  readonly notes: "each" | "one" | "none";
  /** Why a line is not shown. */
  readonly why: (line: number) => string;
  /** The file a line is about, where that is known. */
  readonly labelOf?: (line: number) => string | undefined;
  /** What is said before everything else. */
  readonly title?: string;
}

export interface GoalReading {
  readonly lines: readonly string[];
  readonly terms: Terms;
  /** Lines that stay whatever is chosen. */
  readonly always: ReadonlySet<number>;
}

/** Lines that stay: what tells of an error, what frames a stranger's text, our own notes, and what a tool says about its own output at its end. */
export function alwaysShown(lines: readonly string[], errors: "keep" | "count"): ReadonlySet<number> {
  const always = new Set<number>();
  for (const [n, line] of lines.entries()) if (FRAME.test(line) || (errors === "keep" && isErrorShaped(line))) always.add(n);
  for (let n = lines.length - 1; n >= 0 && /^(?:\[.*\]|\(.*\)|\s*)$/.test(lines[n]!); n--) if (lines[n]!.trim() !== "") always.add(n);
  return always;
}
const FRAME = /^\[(?:security\] |untrusted |end of untrusted |zeph:|output filtered: |-\d+ (?:lines?|errors?|chars)\b)/;

/** Two lines: the one that says most about the goal, or the first; and the one that says how it ended. */
export function chooseTwoLines({ lines, terms }: GoalReading): LineChoice {
  const full = lines.flatMap((line, n) => (line.trim() === "" ? [] : [n]));
  const last = full.slice(-TAIL).findLast((n) => isSummary(lines[n]!)) ?? full.at(-1) ?? 0;
  const best = full.reduce(
    (first, n) => (n !== last && scoreOf(lines[n]!, terms) > scoreOf(lines[first]!, terms) ? n : first),
    full[0] ?? 0,
  );
  return { shown: new Set([best, last]), notes: "none", why: () => SHORTENED };
}

const SHORTENED = "shortened while a goal is active";
const FEW_PATHS = 5;

/** How many paths there are, the first of them, in so many characters or a few, and those that have to do with the goal. */
export function choosePaths(
  { lines, terms }: GoalReading,
  relevant: LineChoice | null,
  { first, threshold }: { readonly first: number | "few"; readonly threshold: number },
): LineChoice {
  const paths = lines.flatMap((line, n) => (line.trim() === "" || /^[([].*[)\]]$/.test(line) ? [] : [n]));
  const shown = relevant ? new Set(relevant.shown) : new Set(paths.filter((n) => relevance(lines[n]!, terms) >= threshold));
  let used = 0;
  for (const [at, n] of paths.entries()) {
    used += lines[n]!.length + 1;
    if (first === "few" ? at >= FEW_PATHS : used > first) break;
    shown.add(n);
  }
  return { shown, notes: "one", why: relevant?.why ?? (() => SHORTENED), title: `${plural(paths.length, "path")} found` };
}

/** So near to the end a line with numbers in it sums up. */
const TAIL = 6;
const SUMMARY =
  /\d.*\b(?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|tests?|total|suites?|files?|matches|errors?|warnings?|coverage|insertions?|deletions?|packages?|built|done|finished|took|seconds)\b|\b(?:total|tests?|passed|failed|coverage|took|duration|built|done|finished)\b.*\d/i;

/** Of a giant line only the beginning is looked at. */
const isSummary = (line: string) => SUMMARY.test(line.slice(0, 300));

const scoreOf = (line: string, terms: Terms) => relevance(line.slice(0, 500), terms) + (/\d/.test(line) ? 0.01 : 0);

/** What declares something or heads a part: where to look next. */
const OUTLINE =
  /^(?: *\d+\t)?(?:#{1,4} \S|(?:export |public |private |protected |static |async |pub |default |abstract )*(?:function|class|interface|type|enum|def|func|fn|struct|impl|trait|module|namespace|const \w+ = (?:async )?\(|CREATE TABLE)\b.*)/i;

/** The beginning, the end, the outline, and the lines that name the goal, each in so many characters. */
export function chooseOutline(
  { lines, terms }: GoalReading,
  { beginning, end, most, threshold }: Readonly<Record<"beginning" | "end" | "most" | "threshold", number>>,
): LineChoice {
  const shown = new Set<number>();
  let used = 0;
  const show = (n: number, limit: number) => {
    if (shown.has(n)) return true;
    if (used + lines[n]!.length > limit) return false;
    used += lines[n]!.length + 1;
    shown.add(n);
    return true;
  };
  for (let n = 0; n < lines.length && show(n, beginning); n++);
  const until = used + end;
  for (let n = lines.length - 1; n >= 0 && show(n, until); n--);
  for (const [n, line] of lines.entries()) if (relevance(line.slice(0, 2_000), terms) >= threshold) show(n, most);
  for (const [n, line] of lines.entries()) if (OUTLINE.test(line)) show(n, most);
  return { shown, notes: "each", why: () => SHORTENED };
}

export interface ScoredSections {
  readonly cut: Cut;
  readonly scores: readonly number[];
  readonly threshold: number;
  /** Most characters of relevant sections. */
  readonly most: number;
  /** Whether the outline of what is left out is shown. */
  readonly outline: "outline" | "none";
}

/** The sections that have to do with the goal, the most relevant first, in so many characters. Null when none has. */
export function chooseRelevant(
  { lines, always }: GoalReading,
  { cut, scores, threshold, most, outline }: ScoredSections,
): LineChoice | null {
  const shown = new Set<number>();
  const wanted = new Set<number>();
  const ranked = [...cut.sections.keys()].filter((n) => scores[n]! >= threshold).sort((a, b) => scores[b]! - scores[a]! || a - b);
  if (ranked.length === 0) return null;
  let room = most;
  const show = (n: number) => {
    if (shown.has(n)) return;
    if (!always.has(n)) room -= lines[n]!.length + 1;
    if (room >= 0 || always.has(n)) shown.add(n);
  };
  for (const at of ranked) {
    const { from, to, head } = cut.sections[at]!;
    for (let n = from; n < to; n++) wanted.add(n);
    if (head !== undefined) show(head);
    for (let n = from; n < to; n++) show(n);
  }
  if (outline === "outline") for (const [n, line] of lines.entries()) if (OUTLINE.test(line)) show(n);
  for (let n = Math.max(0, lines.length - TAIL); n < lines.length; n++) if (isSummary(lines[n]!)) shown.add(n);
  const labels = new Map(
    cut.sections.flatMap(({ from, to, label }) => Array.from({ length: to - from }, (_, n) => [from + n, label] as const)),
  );
  return {
    shown,
    notes: cut.kind === "text" ? "each" : "one",
    why: (n) => (wanted.has(n) ? TOO_LONG : OFF_TOPIC),
    labelOf: (n) => labels.get(n),
  };
}

const OFF_TOPIC = "not about the goal";
const TOO_LONG = "about the goal, but more than tools.compression.max_preserved_chars";
