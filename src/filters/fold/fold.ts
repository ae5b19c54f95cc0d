import type { Applied } from "../apply-rules.ts";
import type { Subject } from "../command.ts";
import { type Line, lengthOf } from "../line.ts";
import { commonPurpose, purposeOf } from "../purpose.ts";
import { isJson } from "../select-rules.ts";
import { isExact, listsFiles } from "../verbatim.ts";
import { type BeginningOptions, type RowGroup, shareBeginnings } from "./beginnings.ts";
import type { Table } from "./cells.ts";
import { foldJson } from "./json.ts";
import { foldPathRows } from "./path-rows.ts";
import { foldRecords } from "./records.ts";
import { pointToRepeated } from "./repeated.ts";
import { foldRows } from "./rows.ts";
import { findTables } from "./tables.ts";
import { weighLines } from "./weigh-text.ts";
import { isFrame } from "./word-row.ts";
import { findWordRows } from "./words.ts";
import { writeTable } from "./write-table.ts";

/** More than this nobody reads row by row, and looking at it would take time. */
const MOST = 100_000;

/** What is long and alike after every rule, said more shortly and without loss. Not what was chosen, nor written text: prose, sources, changes. */
export function foldAlike(applied: Applied, before: readonly Line[], speakers: readonly Subject[]): Applied {
  const { lines, steps, confidence } = applied;
  const size = lengthOf(lines);
  if (size < lengthOf(before) / 2 || lines.length < 2 || speakers.length === 0) return applied;
  const folded = foldData(lines, speakers) ?? foldChosen(lines, speakers) ?? (size > MOST ? lines : fold(lines, speakers));
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

/** Data that a program made for other programs. A command that reads or formats a document gets it as it is. */
const foldData = (lines: readonly Line[], speakers: readonly Subject[]): readonly Line[] | null =>
  speakers.some(({ verbatim }) => verbatim === "text") ? null : foldJson(lines);

/** Rows about files were asked for, and each of them stays; their folders are said once. null: nothing of the kind was asked for. */
function foldChosen(lines: readonly Line[], speakers: readonly Subject[]): readonly Line[] | null {
  if (!speakers.every(({ words }) => listsFiles(words))) return null;
  return foldPathRows(lines, { isGit: speakers.every(({ words }) => words[0] === "git") });
}

function fold(lines: readonly Line[], speakers: readonly Subject[]): readonly Line[] {
  const purpose = commonPurpose(speakers.map(({ words, verbatim }) => (verbatim === "rows" ? "list" : purposeOf(words))));
  if (purpose === "contents" || speakers.some(isExact) || isJson(lines)) return lines;
  // Rows may hold written text, as those of `git blame` do: then only what stands before it is said once.
  if (isWritten(lines)) return speakers.every(({ verbatim }) => verbatim === "rows") ? linesOf(shareBeginnings(lines)) : lines;
  const keep = purpose === "act" ? "ends" : "all";
  const plain = foldRest(lines, keep);
  const byFolder = keep === "all" ? foldPathRows(lines) : lines;
  if (byFolder === lines) return plain;
  const both = foldRest(byFolder, keep);
  return weighLines(both) < weighLines(plain) ? both : plain;
}

const foldRest = (lines: readonly Line[], keep: "ends" | "all"): readonly Line[] =>
  pointToRepeated(findTables(lines).flatMap(({ lines, table }) => (table ? foldTable(lines, table) : foldText(lines, keep))));

/** A table without its blanks, and with what its rows have in common said once, in whichever way is shortest. */
function foldTable(lines: readonly Line[], table: Table): readonly Line[] {
  const plain = writeTable(table, "each");
  const rows = table.isNamed ? foldRows(plain, { mostSlots: 1 }) : foldRecords(foldRows(plain));
  const squeezed = weighLines(plain) < weighLines(lines) ? plain : lines;
  return lightest(squeezed, rows, linesOf(shareBeginnings(plain)), linesOf(shareBeginnings(writeTable(table, "once"))));
}

function foldText(lines: readonly Line[], keep: "all" | "ends"): readonly Line[] {
  const alike = (some: readonly Line[]) => foldRecords(foldRows(some, { keep }));
  if (keep === "ends") return alike(lines);
  return lightest(
    alike(lines),
    shareBeginnings(lines, TEXT).flatMap(({ lines, isTold }) => (isTold ? lines : alike(lines))),
    findWordRows(lines).flatMap(({ lines, table }) => (table ? foldWords(lines, table) : lines)),
  );
}

/** Errors, warnings and frames are read in one piece, and a few words in common are no columns. */
const TEXT: BeginningOptions = {
  leastFront: 5,
  leastRows: 3,
  mayShare: ({ text, errors }) => errors === 0 && !isFrame(text) && !REMARK.test(text),
};
const REMARK = /\b(?:warn(?:ing)?|note|[A-Z]\w*Warning): /i;

/** Rows of words, with what is true of a whole column of them said once. */
function foldWords(lines: readonly Line[], table: Table): readonly Line[] {
  const each = writeTable(table, "each", "word");
  const best = lightest(each, linesOf(shareBeginnings(each)), linesOf(shareBeginnings(writeTable(table, "once", "word"))));
  return weighLines(best) < weighLines(lines) * WORTH_WORDS ? best : lines;
}

/** A row of words reads best as it was. */
const WORTH_WORDS = 0.85;

const linesOf = (segments: readonly RowGroup[]): readonly Line[] => segments.flatMap(({ lines }) => lines);

/** What comes later here is harder to read, and has to be worth it. */
const WORTH = 4;
const lightest = (first: readonly Line[], ...others: readonly (readonly Line[])[]): readonly Line[] =>
  others.reduce((best, each) => (weighLines(each) + WORTH <= weighLines(best) ? each : best), first);

const CHANGES = /^(?:@@ |diff --git |--- \S|\+\+\+ \S|commit [0-9a-f]{7,})/;
const SOURCE = /[;{}]$|^\s*(?:import|from|def|class|function|const|let|var|return|if|for|while|export|public|private|#include)\b.*[:;({]?$/;

const QUOTED = /^[^\s:]+:\d+(?::\d+)?: (?:error|warning|note|style|information|fatal error|performance|portability)\b/;

/** Sources and changes, whichever program prints them. */
function isWritten(lines: readonly Line[]): boolean {
  const some = lines.slice(0, LOOKED_AT);
  const source = some.filter(({ text }) => SOURCE.test(text)).length;
  // What a compiler quotes of a source is not the source.
  const isQuoted = some.filter(({ text }) => QUOTED.test(text)).length >= 2;
  return (source > some.length / 3 && !isQuoted) || some.some(({ text }) => CHANGES.test(text));
}

const LOOKED_AT = 500;
