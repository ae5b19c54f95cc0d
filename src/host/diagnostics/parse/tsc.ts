import { type Finding, type Parser, placeOf, severityOf } from "./finding.ts";
import { readLines } from "./lines.ts";

/** `--pretty false`: `src/a.ts(3,5): error TS2322: …`, and indented lines that explain it. */
export const tsc: Parser = ({ stdout }) => readLines(stdout, { read, noise: /^(?:Found \d+ errors?|Version \d)/ }, "belong");

const WITH_PLACE = /^(\S.*?)\((\d{1,9}),(\d{1,9})\): (error|warning|message|suggestion) (TS\d{1,6}): (.*)$/;
const WITHOUT = /^(error|warning|message) (TS\d{1,6}): (.*)$/;

function read(line: string): Finding | null {
  const [, file, row, col, word, code, message] = WITH_PLACE.exec(line) ?? [];
  if (file !== undefined)
    return { severity: severityOf(word), message: message!, file, line: placeOf(row), col: placeOf(col), code: code! };
  const bare = WITHOUT.exec(line);
  if (!bare) return null;
  return { severity: severityOf(bare[1]), message: bare[3]!, file: null, line: null, col: null, code: bare[2]! };
}
