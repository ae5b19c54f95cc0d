import { endOfRun } from "../../../text/group-by.ts";
import { type DiagnosticFormat, diagnostic, isSourceFile, readPlace, textAt } from "../diagnostic.ts";

const FILE = /^(\[(?:warn|error)\]|[Ww]ould reformat:?) (\S.*)$/;
const BROKEN = /^\[error\] (\S[^:]*): (\S.*) \((\d{1,7}):(\d{1,6})\)$/;
const FRAME = /^\[error\] [ >] {0,8}\d{0,7} \|/;

/** `prettier --check`, `ruff format --check`, `black --check`: a line for each file, and a frame for each broken one. */
export const prettier: DiagnosticFormat = () => (lines, at) => {
  const text = textAt(lines, at);
  const [, file, message, line, column] = BROKEN.exec(text) ?? [];
  if (file !== undefined) {
    const end = endOfRun(lines, at + 1, ({ text }) => FRAME.test(text));
    return { found: [diagnostic(readPlace(file, line, column), "[error]", message!, [lines[at]!], lines.slice(at + 1, end))], end };
  }
  const [, label, name] = FILE.exec(text) ?? [];
  if (label === undefined || name === undefined || !isSourceFile(name)) return null;
  return {
    found: [diagnostic(readPlace(name), label === "[warn]" ? "needs formatting" : label.replace(/:$/, ""), "", [lines[at]!])],
    end: at + 1,
  };
};
