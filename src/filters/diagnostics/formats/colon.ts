import { type Head, type Point, severityHead } from "../../../diagnostics/heads.ts";
import type { Line } from "../../line.ts";
import { type DiagnosticFormat, diagnostic, heads, isSourceFile, isSystemFile, type Reading, textAt } from "../diagnostic.ts";
import { frameEnd, joinMessage, readBelow } from "../frame.ts";
import { type Preamble, readPreamble } from "./preamble.ts";

/** `file:line:column: error: message`, the form of gcc, clang, javac, mypy, swiftc, flake8, pylint, pyright, ruff and many more. */
export const colon: DiagnosticFormat = () => {
  // A chain of includes with nothing below it is looked at once.
  let barren = 0;
  return (lines, at) => {
    if (at < barren) return null;
    const start = namedAt(lines, at);
    const before = readPreamble(lines, start);
    const head = headOf(textAt(lines, before.end));
    if (head) return readFrom(lines, at, start, before, head);
    barren = before.end;
    return null;
  };
};

/** flake8, pylint and ruff name the rule first. */
const CODE = /^([A-Z]{1,6}\d{2,5}(?:\/[\w/-]{1,60})?):? (.+)$/;
/** `… [Error/no-var]`: the form unix of linters. */
const UNIX = /^(.+) \[(Error|Warning|Info)(?:\/([^\]\s]{1,100}))?\]$/;

/** `src/a.md:4:1 error MD004/ul-style text`: no colon behind the severity. */
const SPACED = /^(error|warning|info) (\S.*)$/;

export function headOf(text: string): Head | null {
  const point = heads.point(text);
  if (!point) return null;
  const known = severityHead(point);
  if (known) return known;
  const { file, line, column, rest } = point;
  const [, code, remark] = CODE.exec(rest) ?? [];
  if (code !== undefined) return { file, line, column, label: code, message: remark! };
  const [, severity, words] = SPACED.exec(rest) ?? [];
  if (severity !== undefined) return { file, line, column, label: severity, message: words! };
  const [, said, label, rule] = UNIX.exec(rest) ?? [];
  return label ? { file, line, column, label, message: rule ? `${said} (${rule})` : said! } : null;
}

/** Where a line points to and what it says there, whatever that is. */
export function pointIn(text: string): Point | null {
  const point = heads.point(text);
  return point?.by === ":" ? point : null;
}

export const isHead = (text: string): boolean => headOf(text) !== null;

function readFrom(lines: readonly Line[], at: number, start: number, before: Preamble, head: Head): Reading {
  const { more, source, caret, drawn, end } = readBelow(lines, before.end + 1, isHead);
  const ended = textAt(lines, end) === "compilation terminated." ? end + 1 : end;
  const next = idleEnd(lines, ended);
  const chains = before.read(head.file);
  const message = joinMessage(head.message, more);
  const said = [...lines.slice(at, start), lines[before.end]!, ...more];
  const first = diagnostic(head, head.label, message, said, [...chains.drawn, ...drawn, ...lines.slice(end, next)], source);
  const pointed = head.column === 0 && caret !== undefined ? { ...first, caret } : first;
  return { found: [pointed, ...chains.notes], end: next };
}

/** pyright names a file before it names it again in every line. */
function namedAt(lines: readonly Line[], at: number): number {
  const text = textAt(lines, at);
  return textAt(lines, at + 1).startsWith(`  ${text}:`) && isSourceFile(text) ? at + 1 : at;
}

/** Candidates in headers of the system, and what is said of each, explain the error above them at length. What was expected there stays. */
function idleEnd(lines: readonly Line[], at: number): number {
  let end = at;
  for (;;) {
    const from = readPreamble(lines, end).end;
    const head = headOf(textAt(lines, from));
    const isOther = head && isSystemFile(head.file) && OTHERS.test(head.message);
    const idle = head && (isOther || EMPTY.test(head.message) || (end > at && /^ {2}/.test(head.message)));
    if (head?.label !== "note" || !idle) return end;
    const frame = frameEnd(lines, from + 1);
    const rest = frame === from + 1 ? readBelow(lines, frame, isHead) : null;
    // What looks like an error there is none of the compiler's remarks.
    if (rest?.more.some(({ errors }) => errors > 0)) return end;
    end = rest?.end ?? frame;
  }
}

const OTHERS = /candidate|template|deduc|mismatch|conversion|declared here|in (?:instantiation|definition|expansion) of macro|^ {2}/;
const EMPTY =
  /^each undeclared identifier is reported only once|^See https?:\/\/\S+$| to silence this warning$|^use '==' to turn this assignment into |^Use "-> None" if function does not return a value$/;
