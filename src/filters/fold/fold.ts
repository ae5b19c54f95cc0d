import type { Applied } from "../apply-rules.ts";
import type { Subject } from "../command.ts";
import { type Line, lengthOf } from "../line.ts";
import { commonPurpose, purposeOf } from "../purpose.ts";
import { isJson } from "../select-rules.ts";
import { isExact, listsFiles } from "../verbatim.ts";
import { foldJson } from "./json.ts";
import { foldPathRows } from "./path-rows.ts";
import { squeezeTables } from "./tables.ts";
import { weighLines } from "./weigh-text.ts";

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
  if (purpose === "contents" || speakers.some(isExact) || isJson(lines) || isWritten(lines)) return lines;
  const plain = squeezeTables(lines);
  const byFolder = purpose === "act" ? lines : foldPathRows(lines);
  if (byFolder === lines) return plain;
  const both = squeezeTables(byFolder);
  return weighLines(both) < weighLines(plain) ? both : plain;
}

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
