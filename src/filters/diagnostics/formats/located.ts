import { endOfRun } from "../../../text/group-by.ts";
import { type DiagnosticFormat, diagnostic, isSourceFile, readPlace, textAt } from "../diagnostic.ts";

const PLACE = /^(?:\.\/)?(\S[^:]*):(\d{1,7}):(\d{1,6})$/;
const SAID = /^((?:Type |Syntax )?[Ee]rror|Warning|Hint|Warn): (\S.*)$/;
const FRAME = /^[> ] {0,8}\d{0,7} \|/;

/** The place in a line of its own, the message in the next, and perhaps a frame: next build, svelte-check. */
export const placeAbove: DiagnosticFormat = () => (lines, at) => {
  const [, file, line, column] = PLACE.exec(textAt(lines, at)) ?? [];
  const [, label, message] = SAID.exec(textAt(lines, at + 1)) ?? [];
  if (file === undefined || label === undefined || !isSourceFile(file)) return null;
  const first = textAt(lines, at + 2) === "" ? at + 3 : at + 2;
  const end = endOfRun(lines, first, ({ text }) => FRAME.test(text));
  const drawn = lines.slice(first, end);
  const said = lines.slice(at, at + 2);
  return { found: [diagnostic(readPlace(file, line, column), label, message!, said, drawn)], end: end > first ? end : at + 2 };
};
