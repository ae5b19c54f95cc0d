import { endOfRun } from "../../../text/group-by.ts";
import { type DiagnosticFormat, diagnostic, type ReadDiagnostic, textAt } from "../diagnostic.ts";

const HEAD = /^In (\S.*) line (\d{1,7}):$/;
const MARK = /^(\s*)\^-*\^? (SC\d{3,5}) \((\w{1,20})\): (.+)$/;

/** `In file line 3:`, the source, then a mark and a message for each problem. */
export const shellcheck: DiagnosticFormat = () => (lines, at) => {
  if (/^For more information:$/.test(textAt(lines, at)) && isLink(textAt(lines, at + 1)))
    return { found: [], end: endOfRun(lines, at + 1, ({ text }) => isLink(text)) };
  const [, file, line] = HEAD.exec(textAt(lines, at)) ?? [];
  if (file === undefined || !MARK.test(textAt(lines, at + 2))) return null;
  const found: ReadDiagnostic[] = [];
  let end = at + 2;
  for (let mark = MARK.exec(textAt(lines, end)); mark; mark = MARK.exec(textAt(lines, end))) {
    const [, indent, code, severity, message] = mark;
    const first = end === at + 2;
    const place = { file, line: Number(line), column: indent!.length + 1 };
    const said = first ? [lines[at]!, lines[end]!] : [lines[end]!];
    found.push(diagnostic(place, `${severity} ${code}`, message!, said, first ? [lines[at + 1]!] : []));
    end++;
  }
  // Its own proposal repeats the line with the quotes put in.
  const proposal = textAt(lines, end) === "" ? end + 1 : end;
  if (/^Did you mean:\s*$/.test(textAt(lines, proposal)) && textAt(lines, proposal + 1) !== "" && lines[proposal + 1]!.errors === 0)
    end = proposal + 2;
  return { found, end };
};

const isLink = (text: string): boolean => /^ {2}https:\/\/\S+ -- /.test(text);
