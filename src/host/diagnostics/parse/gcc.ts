import { type Finding, type Parser, placeOf, severityOf } from "./finding.ts";
import { place, readLines } from "./lines.ts";

/** gcc and clang, without source lines: `a.c:2:7: warning: … [-Wunused]`. */
export const gcc: Parser = ({ stderr }) =>
  readLines(stderr, {
    read,
    noise: /^(?:In file included from |.*: (?:In|At) |.*: note: |compilation terminated|\d+ (?:errors?|warnings?)\b)/,
  });

const WORD = /^(fatal error|error|warning|note|remark): (.*?)(?: \[(-W[^\]\s]{1,80})\])?$/;
const PROGRAM = /^[\w.+-]{1,60}: (fatal error|error|warning): (.*)$/;

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
  const own = PROGRAM.exec(line);
  return own && { severity: severityOf(own[1]), message: own[2]!, file: null, line: null, col: null };
}
