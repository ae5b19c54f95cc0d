import { type DiagnosticFormat, diagnostic, isSourceFile, readPlace, textAt } from "../diagnostic.ts";

const HEAD = /^([ew]): (?:file:\/\/)?((?:[A-Za-z]:[\\/])?[^\s:][^:]*):(?:(\d{1,7}):(\d{1,6}):?| \((\d{1,7}), (\d{1,6})\):) (\S.*)$/;
const COMPACT = /^(\S[^:]*): line (\d{1,7}), col (\d{1,6}), (Error|Warning) - (\S.*)$/;

/** Kotlin below Gradle: `e: file:///path/A.kt:2:32 message`. */
export const kotlin: DiagnosticFormat = () => (lines, at) => {
  const [, label, file, line, column, oldLine, oldColumn, message] = HEAD.exec(textAt(lines, at)) ?? [];
  if (file === undefined || !isSourceFile(file)) return null;
  return { found: [diagnostic(readPlace(file, line ?? oldLine, column ?? oldColumn), label!, message!, [lines[at]!])], end: at + 1 };
};

/** `file: line 1, col 1, Error - message (rule)`: the form compact of linters. */
export const compact: DiagnosticFormat = () => (lines, at) => {
  const [, file, line, column, label, message] = COMPACT.exec(textAt(lines, at)) ?? [];
  if (file === undefined || !isSourceFile(file)) return null;
  return { found: [diagnostic(readPlace(file, line, column), label!, message!, [lines[at]!])], end: at + 1 };
};
