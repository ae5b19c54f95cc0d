import { endOfRun } from "../../../text/group-by.ts";
import type { Line } from "../../line.ts";
import { type DiagnosticFormat, diagnostic, isSystemFile, type ReadDiagnostic, readPlace, textAt } from "../diagnostic.ts";
import { headOf } from "./colon.ts";

const NUMBERED = /^ {0,12}\d{1,7} (.*)$/;
const TILDES = /^ +~+\s*$/;
const RELATED = /^ {2}(\S[^:]*):(\d{1,7}):(\d{1,6})(?: - (.+))?$/;

/** `tsc --pretty`: a head, a frame with the number of the line before it, and the places it refers to. */
export const pretty: DiagnosticFormat = () => (lines, at) => {
  if (/^Errors {2}Files$/.test(textAt(lines, at))) return { found: [], end: endOfRun(lines, at + 1, ({ text }) => isTableRow(text)) };
  const head = / - (?:error|warning|message|suggestion) TS\d{1,6}: /.test(textAt(lines, at)) ? headOf(textAt(lines, at)) : null;
  if (!head) return null;
  const said = [lines[at]!];
  let next = at + 1;
  for (; /^ {2,}\S/.test(textAt(lines, next)) && !RELATED.test(textAt(lines, next)); next++) said.push(lines[next]!);
  const message = [head.message, ...said.slice(1).map(({ text }) => text.trim())].join(" ");
  const frame = frameAt(lines, next);
  next = frame.end;
  const found: ReadDiagnostic[] = [];
  const drawn = [...frame.drawn];
  for (let related = relatedAt(lines, next); related; related = relatedAt(lines, next)) {
    next = related.end;
    // The place where a library declares a name is of no use.
    if (isSystemFile(related.found.file)) drawn.push(...related.found.said, ...related.found.drawn);
    else found.push(related.found);
  }
  return { found: [diagnostic(head, head.label, message, said, drawn, frame.source), ...found], end: next };
};

/** How many in which file: all of them were told above. */
const isTableRow = (text: string): boolean => /^ {1,8}\d{1,7} {2}\S.*:\d{1,7}$/.test(text);

function frameAt(lines: readonly Line[], at: number) {
  const drawn: Line[] = [];
  let source = "";
  let next = skipBlank(lines, at);
  while (NUMBERED.test(textAt(lines, next)) && (TILDES.test(textAt(lines, next + 1)) || drawn.length > 0)) {
    source ||= NUMBERED.exec(textAt(lines, next))![1]!.trim();
    drawn.push(lines[next++]!);
    for (; TILDES.test(textAt(lines, next)) || textAt(lines, next).trim() === "..."; next++) drawn.push(lines[next]!);
  }
  return drawn.length > 0 ? { drawn, source, end: next } : { drawn, source, end: at };
}

function relatedAt(lines: readonly Line[], at: number): { readonly found: ReadDiagnostic; readonly end: number } | null {
  const start = skipBlank(lines, at);
  const [, file, line, column, inline] = RELATED.exec(textAt(lines, start)) ?? [];
  if (file === undefined) return null;
  const { drawn, end } = frameAt(lines, start + 1);
  const after = inline === undefined && /^ {4}\S/.test(textAt(lines, end)) ? lines[end] : undefined;
  const message = inline ?? after?.text.trim() ?? "";
  const said = after ? [lines[start]!, after] : [lines[start]!];
  return {
    found: diagnostic(readPlace(file, line, column), "note", message, said, drawn),
    end: after ? end + 1 : end,
  };
}

const skipBlank = (lines: readonly Line[], at: number): number => (textAt(lines, at) === "" && at < lines.length ? at + 1 : at);
