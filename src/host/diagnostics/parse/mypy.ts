import { type Finding, type Parser, placeOf, severityOf } from "./finding.ts";
import { place, readLines } from "./lines.ts";

/** `--show-column-numbers --no-pretty`: `a.py:2:12: error: …  [return-value]`. */
export const mypy: Parser = ({ stdout }) => readLines(stdout, { read, noise: /^(?:Success: |Found \d+ errors?)/ });

const WORD = /^(error|warning|note): (.*?)(?: {2}\[([\w-]{1,60})\])?$/;
/** A file as a whole, or the program itself. */
const BARE = /^(\S.*?): (error|warning): (.*?)(?: {2}\[([\w-]{1,60})\])?$/;

function read(line: string): Finding | null {
  const found = place(line);
  const [, word, message, code] = (found && WORD.exec(found.rest)) ?? [];
  if (found && message !== undefined)
    return {
      severity: severityOf(word),
      message,
      file: found.file,
      line: placeOf(found.line),
      col: placeOf(found.col),
      ...(code && { code }),
    };
  const bare = BARE.exec(line);
  if (!bare) return null;
  const file = bare[1] === "mypy" ? null : bare[1]!;
  return { severity: severityOf(bare[2]), message: bare[3]!, file, line: null, col: null, ...(bare[4] && { code: bare[4] }) };
}
