import type { Line } from "../line.ts";
import { below, frameEnd, joined } from "./below.ts";
import { type Diagnostic, type Format, isSourceFile, isSystemFile, type Reading, textAt } from "./diagnostic.ts";
import { type Preamble, preamble } from "./preamble.ts";

/** `file:line:column: error: message`, the form of gcc, clang, javac, mypy, swiftc, flake8, pylint, pyright, ruff and many more. */
export const colon: Format = () => {
  // A chain of includes with nothing below it is looked at once.
  let barren = 0;
  return (lines, at) => {
    if (at < barren) return null;
    const start = namedAt(lines, at);
    const before = preamble(lines, start);
    const head = headOf(textAt(lines, before.end));
    if (head) return readFrom(lines, at, start, before, head);
    barren = before.end;
    return null;
  };
};

const PLACE = /^(?:vet: )? {0,8}((?:[A-Za-z]:[\\/])?[^\s:][^:]*):(\d{1,7})(?::(\d{1,6}))?(?:-\d[\d:]{0,12})?(:| -|) {1,4}(\S.*)$/;
const SEVERITY =
  /^((?:fatal error|internal compiler error|error|warning|note|info|information|hint|remark|style|performance|portability|convention|refactor|Error|Warning|[CWEFRI])(?:\[[\w:-]{1,60}\]| [A-Z]{1,6}\d{1,5})?): ?(.*)$/;
/** flake8, pylint and ruff name the rule first. */
const CODE = /^([A-Z]{1,6}\d{2,5}(?:\/[\w/-]{1,60})?):? (.+)$/;
/** `… [Error/no-var]`: the form unix of linters. */
const UNIX = /^(.+) \[(Error|Warning|Info)(?:\/([^\]\s]{1,100}))?\]$/;

export interface Head {
  readonly label: string;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function headOf(text: string): Head | null {
  const place = PLACE.exec(text);
  if (!place || !isSourceFile(place[1]!)) return null;
  const [, file = "", line, column = 0, colon, rest = ""] = place;
  const where = { file, line: Number(line), column: Number(column) };
  const [, label, message] = (colon && SEVERITY.exec(rest)) || CODE.exec(rest) || [];
  if (label !== undefined) return { label, message: message!, ...where };
  const [, said, severity, rule] = UNIX.exec(rest) ?? [];
  return severity ? { label: severity, message: rule ? `${said} (${rule})` : said!, ...where } : null;
}

/** Where a line points to and what it says there, whatever that is. */
export function placeOf(text: string) {
  const [, file, line, column = 0, colon, rest] = PLACE.exec(text) ?? [];
  return colon === ":" && isSourceFile(file!) ? { file: file!, line: Number(line), column: Number(column), rest: rest! } : null;
}

export const isHead = (text: string): boolean => headOf(text) !== null;

function readFrom(lines: readonly Line[], at: number, start: number, before: Preamble, head: Head): Reading {
  const { found, end } = diagnosticAt(lines, before.end, head);
  const { drawn, end: next } = idleNotes(lines, end);
  const chains = before.read(head.file);
  const first = { ...found, said: [...lines.slice(at, start), ...found.said], drawn: [...chains.drawn, ...found.drawn, ...drawn] };
  return { found: [first, ...chains.notes], end: next };
}

/** pyright names a file before it names it again in every line. */
function namedAt(lines: readonly Line[], at: number): number {
  const text = textAt(lines, at);
  return textAt(lines, at + 1).startsWith(`  ${text}:`) && isSourceFile(text) ? at + 1 : at;
}

function diagnosticAt(lines: readonly Line[], at: number, head: Head): { readonly found: Diagnostic; readonly end: number } {
  const { more, source, drawn, end } = below(lines, at + 1, isHead);
  const found = { ...head, message: joined(head.message, more), source, said: [lines[at]!, ...more], drawn };
  if (textAt(lines, end) !== "compilation terminated.") return { found, end };
  return { found: { ...found, drawn: [...drawn, lines[end]!] }, end: end + 1 };
}

/** Candidates and declarations in headers of the system, and what is said of each, explain the error above them at length. */
function idleNotes(lines: readonly Line[], at: number): { readonly drawn: readonly Line[]; readonly end: number } {
  let end = at;
  for (;;) {
    const from = preamble(lines, end).end;
    const head = headOf(textAt(lines, from));
    const idle = head && (isSystemFile(head.file) || EMPTY.test(head.message) || (end > at && /^ {2}/.test(head.message)));
    if (head?.label !== "note" || !idle) return { drawn: lines.slice(at, end), end };
    end = frameEnd(lines, from + 1);
    if (end === from + 1) end = below(lines, end, isHead).end;
  }
}

const EMPTY = /^each undeclared identifier is reported only once|^See https?:\/\/\S+$/;
