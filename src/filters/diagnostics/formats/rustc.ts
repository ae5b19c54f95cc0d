import { endOfRun } from "../../../text/group-by.ts";
import type { Line } from "../../line.ts";
import { type DiagnosticFormat, diagnostic, isSystemFile, type ReadDiagnostic, type Reading, readPlace, textAt } from "../diagnostic.ts";
import { hasMargin, markedSource } from "../frame.ts";
import { templateOf } from "../template.ts";
import { labelsIn, remarksIn, ruleIn } from "./rustc-body.ts";

/** rustc, clippy, rustdoc, ruff and ty: a head, `--> file:line:column`, and a frame. */
export const rustc: DiagnosticFormat = () => {
  // A lint is named where it speaks first.
  const rules = new Map<string, string>();
  const ruleOf = (message: string, body: readonly Line[]): string => {
    const kind = templateOf(message).parts.join("\0");
    const rule = ruleIn(body) || (rules.get(kind) ?? "");
    rules.set(kind, rule);
    return rule;
  };
  return (lines, at) => (EXPLAIN.test(textAt(lines, at)) ? { found: [], end: at + 1 } : diagnosticAt(lines, at, ruleOf));
};

const EXPLAIN = /^(?:Some errors have detailed explanations: E\d|For more information about (?:an|this) error, try `rustc --explain )/;

function diagnosticAt(lines: readonly Line[], at: number, ruleOf: (message: string, body: readonly Line[]) => string): Reading | null {
  const [, severity, code = "", said] = HEAD.exec(textAt(lines, at)) ?? RUFF.exec(textAt(lines, at)) ?? [];
  if (severity === undefined) return null;
  const next = endOfRun(lines, at + 1, ({ text }, next) => next < at + 5 && /^ {3,}\S/.test(text) && !ARROW.test(text));
  const place = placeIn(textAt(lines, next));
  if (!place) return null;
  const { body, notes, end } = bodyAt(lines, next + 1);
  const head = lines.slice(at, next + 1);
  const told = [said, ...head.slice(1, -1).map(({ text }) => text.trim())].join(" ");
  const rule = /^\[E/.test(code) ? "" : ruleOf(told, body);
  // A lint is explained by its name; an error by what is written beside the marks.
  const labels = severity === "error" && rule === "" ? labelsIn(body).filter((label) => code !== "" || !label.startsWith("help:")) : [];
  const remarks = severity === "error" && code !== "" ? remarksIn(body) : [];
  const beside = [...(labels.length > 0 ? [labels.join("; ")] : []), ...(rule === "" ? [] : [rule])].map((text) => ` (${text})`).join("");
  const message = [`${told}${beside}`, ...remarks].join("; ");
  const first = diagnostic(place, `${severity}${code}`, message, head, body, markedSource(body));
  return { found: [first, ...notes], end };
}

const HEAD = /^(error|warning|info)(\[[\w:-]{1,80}\])?: (.+)$/;
const RUFF = /^([A-Z]{1,6}\d{2,5}|invalid-syntax)():?(?: \[\*\])? (.+)$/;
const ARROW = /^ {0,12}(?:-->|:::) (\S.*?):(\d{1,7}):(\d{1,6})$/;
const SUB = /^(note|help): (.+)$/;
const SUGGESTED = /^ {0,12}\d{1,7} {0,2}[-+~](?: |$)/;
const FOOT = /^ {1,12}= (?:note|help|warning|info): /;

function placeIn(text: string) {
  const [, file, line, column] = ARROW.exec(text) ?? [];
  return file === undefined ? null : readPlace(file, line, column);
}

/** Everything up to the blank line, as far as it is drawn or said by the compiler. Places of ours become notes. */
function bodyAt(
  lines: readonly Line[],
  at: number,
): { readonly body: readonly Line[]; readonly notes: readonly ReadDiagnostic[]; readonly end: number } {
  const body: Line[] = [];
  const notes: ReadDiagnostic[] = [];
  let end = at;
  while (end < lines.length && isBody(lines, end)) {
    const [, label, message] = SUB.exec(textAt(lines, end)) ?? [];
    const place = label === undefined ? null : placeIn(textAt(lines, end + 1));
    if (place && !isSystemFile(place.file)) {
      notes.push(diagnostic(place, label!, message!, lines.slice(end, end + 2)));
      end += 2;
    } else body.push(lines[end++]!);
  }
  return { body, notes, end };
}

function isBody(lines: readonly Line[], at: number): boolean {
  const { text } = lines[at]!;
  if (text === "...") return true;
  if (hasMargin(text) || SUGGESTED.test(text) || FOOT.test(text) || ARROW.test(text)) return true;
  if (SUB.test(text)) return at > 0 && textAt(lines, at - 1) !== "";
  // A remark that goes on is indented below its `=`.
  return /^ {6,}\S/.test(text) && (FOOT.test(textAt(lines, at - 1)) || /^ {6,}\S/.test(textAt(lines, at - 1)));
}
