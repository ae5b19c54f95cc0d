import type { Line } from "../../line.ts";
import { type DiagnosticFormat, diagnostic, type Reading, textAt } from "../diagnostic.ts";
import { joinMessage, readBelow } from "../frame.ts";
import { pointIn } from "./colon.ts";

const PACKAGE = /^# [^\s#]\S{0,300}(?: \[\S{1,300}\])?$/;

/** `# package`, then `file:line:column: message` with no severity: the go command. golangci-lint draws a caret below and names the linter. */
export const go: DiagnosticFormat = () => {
  let inPackage = false;
  return (lines, at) => {
    const reading = goAt(lines, at, inPackage);
    inPackage = reading !== null || (PACKAGE.test(textAt(lines, at)) && isGo(textAt(lines, at + 1)));
    return reading;
  };
};

/** The same without a proof, for commands that are known to write it and nothing else. */
export const bare: DiagnosticFormat = () => (lines, at) => goAt(lines, at, true);

/** What a test logs is indented. */
const isGo = (text: string): boolean => /^\S/.test(text) && pointIn(text)?.file.endsWith(".go") === true;

function goAt(lines: readonly Line[], at: number, known: boolean): Reading | null {
  const text = textAt(lines, at);
  const point = pointIn(text);
  if (!point) return null;
  const { more, source, drawn, end } = readBelow(lines, at + 1, isPlace);
  const linted = drawn.length > 0 && /\([\w-]{2,40}\)$/.test(point.rest);
  if (!linted && !(known && isGo(text))) return null;
  const message = joinMessage(point.rest, more);
  return {
    found: [diagnostic(point, text.startsWith("vet: ") ? "vet" : "", message, [lines[at]!, ...more], drawn, source)],
    end,
  };
}

const isPlace = (text: string): boolean => pointIn(text) !== null || PACKAGE.test(text);
