import { below, joined } from "./below.ts";
import { diagnostic, type Format, isSourceFile, textAt } from "./diagnostic.ts";

/** `file(line,column): error TS2322: message`: tsc, csc, msbuild, cl. msbuild adds the project, and says everything twice. */
export const paren: Format = () => (lines, at) => {
  const head = headOf(textAt(lines, at));
  if (!head) return null;
  const { more, source, drawn, end } = below(lines, at + 1, isOther);
  const message = withoutProject(joined(head.message, more), head.file);
  return { found: [diagnostic(head, head.label, message, [lines[at]!, ...more], drawn, source)], end };
};

const HEAD =
  /^ {0,8}(?:\d{1,3}>)?((?:[A-Za-z]:[\\/])?[^\s:(][^:(]*|[^\s:][^:]*)\((\d{1,7})(?:,(\d{1,6}))?(?:,\d{1,7},\d{1,6})?\) ?: {1,2}((?:fatal error|error|warning|message|info)(?: [A-Z]{1,10}\d{1,6})?): (.+)$/;

function headOf(text: string) {
  const [, file, line, column, label, message] = HEAD.exec(text) ?? [];
  if (file === undefined || !isSourceFile(file)) return null;
  return { label: label!, message: message!, file, line: Number(line), column: Number(column ?? 0) };
}

/** The next one, or how many msbuild counts. */
const isOther = (text: string): boolean => headOf(text) !== null || /^ +\d+ (?:Warning|Error)\(s\)$/.test(text);

/** The project is told by the path when the file lies below it. */
function withoutProject(message: string, file: string): string {
  if (!message.endsWith("proj]")) return message;
  const [, said, folder] = /^(.+) \[([^\][]{0,400}[\\/])[^\][\\/]{1,200}proj\]$/.exec(message) ?? [];
  return said !== undefined && file.startsWith(folder!) ? said : message;
}
