import type { Applied } from "../apply-rules.ts";
import type { Subject } from "../command.ts";
import { type Line, lengthOf } from "../line.ts";
import { commonPurpose, purposeOf } from "../purpose.ts";
import { isJson } from "../select-rules.ts";
import { foldRows } from "./rows.ts";
import { foldTables } from "./tables.ts";

/** More than this is cut anyway, and looking at it would only take time. */
const MOST = 300_000;

/** What is long and alike after every rule, said more shortly and without loss. Not what was chosen, nor what somebody wrote: prose, sources, changes. */
export function foldAlike(applied: Applied, before: readonly Line[], speakers: readonly Subject[]): Applied {
  const { lines, steps, confidence } = applied;
  const size = lengthOf(lines);
  if (size > MOST || size < lengthOf(before) / 2 || !mayFold(lines, speakers)) return applied;
  const folded = foldTables(lines).flatMap((passage) => (passage.isNamed ? foldRows(passage.lines, 1) : foldRows(passage.lines)));
  if (lengthOf(folded) >= size) return applied;
  const step = {
    rule: "alike",
    strategy: "fold",
    did: "shortened",
    before: lines.length,
    after: folded.length,
    confidence: "Full",
  } as const;
  const isFirst = !steps.some(({ did }) => did === "shortened");
  return { ...applied, lines: folded, steps: [...steps, step], confidence: isFirst ? "Full" : confidence };
}

function mayFold(lines: readonly Line[], speakers: readonly Subject[]): boolean {
  if (lines.length < 3 || speakers.length === 0 || speakers.some(({ verbatim }) => verbatim !== null)) return false;
  return commonPurpose(speakers.map(({ words }) => purposeOf(words))) !== "contents" && !isJson(lines) && !isWritten(lines);
}

const CHANGES = /^(?:@@ |diff --git |--- \S|\+\+\+ \S|commit [0-9a-f]{7,})/;
const SOURCE = /[;{}]$|^\s*(?:import|from|def|class|function|const|let|var|return|if|for|while|export|public|private|#include)\b.*[:;({]?$/;

/** Sources and changes, whoever prints them. */
function isWritten(lines: readonly Line[]): boolean {
  const some = lines.slice(0, LOOKED_AT);
  const source = some.filter(({ text }) => SOURCE.test(text)).length;
  return source > some.length / 3 || some.some(({ text }) => CHANGES.test(text));
}

const LOOKED_AT = 500;
