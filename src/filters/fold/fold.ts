import type { Applied } from "../apply-rules.ts";
import type { Subject } from "../command.ts";
import { type Line, lengthOf, standFor } from "../line.ts";
import { commonPurpose, purposeOf } from "../purpose.ts";
import { isJson } from "../select-rules.ts";
import { foldRecords } from "./records.ts";
import { pointToRepeated } from "./repeated.ts";
import { foldRows } from "./rows.ts";
import { foldTables } from "./tables.ts";

/** More than this nobody reads row by row, and looking at it would take time. */
const MOST = 100_000;

/** What is long and alike after every rule, said more shortly and without loss. Not what was chosen, nor what somebody wrote: prose, sources, changes. */
export function foldAlike(applied: Applied, before: readonly Line[], speakers: readonly Subject[]): Applied {
  const { lines, steps, confidence } = applied;
  const size = lengthOf(lines);
  if (size > MOST || size < lengthOf(before) / 2 || lines.length < 2 || speakers.length === 0) return applied;
  const folded = speakers.every(isPadded) ? withoutPadding(lines) : fold(lines, speakers);
  if (folded === lines || lengthOf(folded) >= size) return applied;
  const step = {
    rule: "alike",
    strategy: "fold",
    command: speakers[0]?.forms.at(-1) ?? "",
    did: "shortened",
    before: lines.length,
    after: folded.length,
    confidence: "Full",
  } as const;
  const isFirst = !steps.some(({ did }) => did === "shortened");
  return { ...applied, lines: folded, steps: [...steps, step], confidence: isFirst ? "Full" : confidence };
}

/** `--stat` is chosen, so its lines stay; their blanks are only for the eye. */
const isPadded = ({ words }: Subject): boolean => words[0] === "git" && words.some((word) => /^--stat(?:=|$)/.test(word));
const STAT_ROW = /^( \S.*?) +\| +(\d+(?: [+-]+)?|Bin(?: \d+ -> \d+ bytes)?|Unmerged)$/;
const withoutPadding = (lines: readonly Line[]): readonly Line[] =>
  lines.map((line) => (STAT_ROW.test(line.text) ? standFor(line.text.replace(STAT_ROW, "$1 | $2"), [line]) : line));

function fold(lines: readonly Line[], speakers: readonly Subject[]): readonly Line[] {
  const purpose = commonPurpose(speakers.map(({ words }) => purposeOf(words)));
  if (purpose === "contents" || speakers.some(({ verbatim }) => verbatim !== null) || isJson(lines) || isWritten(lines)) return lines;
  const keep = purpose === "act" ? "ends" : "all";
  const parts = foldTables(lines).flatMap((part) =>
    part.isNamed ? foldRows(part.lines, { mostSlots: 1 }) : foldRecords(foldRows(part.lines, { keep })),
  );
  return pointToRepeated(parts);
}

const CHANGES = /^(?:@@ |diff --git |--- \S|\+\+\+ \S|commit [0-9a-f]{7,})/;
const SOURCE = /[;{}]$|^\s*(?:import|from|def|class|function|const|let|var|return|if|for|while|export|public|private|#include)\b.*[:;({]?$/;

const QUOTED = /^[^\s:]+:\d+(?::\d+)?: (?:error|warning|note|style|information|fatal error|performance|portability)\b/;

/** Sources and changes, whoever prints them. */
function isWritten(lines: readonly Line[]): boolean {
  const some = lines.slice(0, LOOKED_AT);
  const source = some.filter(({ text }) => SOURCE.test(text)).length;
  // What a compiler quotes of a source is not the source.
  const isQuoted = some.filter(({ text }) => QUOTED.test(text)).length >= 2;
  return (source > some.length / 3 && !isQuoted) || some.some(({ text }) => CHANGES.test(text));
}

const LOOKED_AT = 500;
