import { type Format, isSourceFile, textAt } from "./diagnostic.ts";

const FILE = /^(\[(?:warn|error)\]|[Ww]ould reformat:?) (\S.*)$/;
const BROKEN = /^\[error\] (\S[^:]*): (\S.*) \((\d{1,7}):(\d{1,6})\)$/;
const FRAME = /^\[error\] [ >] {0,8}\d{0,7} \|/;

/** `prettier --check`, `ruff format --check`, `black --check`: a line for each file, and a frame for those that are broken. */
export const prettier: Format = () => (lines, at) => {
  const text = textAt(lines, at);
  const [, file, message, line, column] = BROKEN.exec(text) ?? [];
  if (file !== undefined) {
    let end = at + 1;
    while (FRAME.test(textAt(lines, end))) end++;
    const place = { file, line: Number(line), column: Number(column) };
    return {
      found: [{ ...place, label: "[error]", message: message!, source: "", said: [lines[at]!], drawn: lines.slice(at + 1, end) }],
      end,
    };
  }
  const [, label, name] = FILE.exec(text) ?? [];
  if (label === undefined || name === undefined || !isSourceFile(name)) return null;
  return {
    found: [{ label, message: "", file: name, line: 0, column: 0, source: "", said: [lines[at]!], drawn: [] }],
    end: at + 1,
  };
};
