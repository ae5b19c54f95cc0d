import { type DiagnosticFormat, diagnostic, heads, textAt } from "../diagnostic.ts";
import { joinMessage, readBelow } from "../frame.ts";

/** `file(line,column): error TS2322: message`: tsc, csc, msbuild, cl. msbuild adds the project, and says everything twice. */
export const paren: DiagnosticFormat = () => (lines, at) => {
  const head = heads.paren(textAt(lines, at));
  if (!head) return null;
  const { more, source, drawn, end } = readBelow(lines, at + 1, isOther);
  const message = withoutProject(joinMessage(head.message, more), head.file);
  return { found: [diagnostic(head, head.label, message, [lines[at]!, ...more], drawn, source)], end };
};

/** The next one, or how many msbuild counts. */
const isOther = (text: string): boolean => heads.paren(text) !== null || /^ +\d+ (?:Warning|Error)\(s\)$/.test(text);

/** The project is told by the path when the file lies below it. */
function withoutProject(message: string, file: string): string {
  if (!message.endsWith("proj]")) return message;
  const [, said, folder] = /^(.+) \[([^\][]{0,400}[\\/])[^\][\\/]{1,200}proj\]$/.exec(message) ?? [];
  return said !== undefined && file.startsWith(folder!) ? said : message;
}
