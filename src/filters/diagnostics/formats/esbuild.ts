import { endOfRun } from "../../../text/group-by.ts";
import { type DiagnosticFormat, diagnostic, readPlace, textAt } from "../diagnostic.ts";
import { hasMargin } from "../frame.ts";

const HEAD = /^[✘▲] \[(ERROR|WARNING)\] (\S.*)$/;
const PLACE = /^ {4}(\S.*?):(\d{1,7}):(\d{1,6}):$/;

/** `✘ [ERROR] message`, a blank line, the place, and a frame. */
export const esbuild: DiagnosticFormat = () => (lines, at) => {
  const [, label, message] = HEAD.exec(textAt(lines, at)) ?? [];
  const [, file, line, column] = PLACE.exec(textAt(lines, at + 2)) ?? [];
  if (label === undefined || file === undefined || textAt(lines, at + 1) !== "") return null;
  const end = endOfRun(lines, at + 3, ({ text }) => hasMargin(text) || /^ {6,}╵/.test(text));
  const said = [lines[at]!, lines[at + 2]!];
  return { found: [diagnostic(readPlace(file, line, column), label, message!, said, lines.slice(at + 3, end))], end };
};
