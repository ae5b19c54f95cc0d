import { at, type Finding, givenItems, givenPosition, givenText, type Parsed, type Parser } from "./finding.ts";
import { parseObject } from "./json.ts";
import { parseGoLines } from "./line-formats.ts";
import { linesOf } from "./lines.ts";

/** `go vet -json`: what vet found as JSON, one indented object for each package; what does not compile as lines of text between them. */
export const parseGoVet: Parser = ({ stdout, stderr }) => {
  const { documents, rest } = split(`${stdout}\n${stderr}`);
  const found = documents.map(vetted);
  const told = parseGoLines(rest);
  return {
    findings: [...told.findings, ...found.flatMap(({ findings }) => findings)],
    garbage: told.garbage + found.reduce((sum, { garbage }) => sum + garbage, 0),
  };
};

function split(text: string): { documents: string[]; rest: string } {
  const documents: string[] = [];
  const rest: string[] = [];
  let open: string[] | null = null;
  for (const line of linesOf(text)) {
    if (open === null && /^\{\}?\r?$/.test(line)) open = [];
    if (open === null) rest.push(line);
    else {
      open.push(line);
      if (!/^\{?\}\r?$/.test(line)) continue;
      documents.push(open.join("\n"));
      open = null;
    }
  }
  // Cut in the middle: whatever it was, it is counted.
  if (open !== null) documents.push(open.join("\n"));
  return { documents, rest: rest.join("\n") };
}

/** `{package: {analyzer: [{posn, message}]}}`; in place of the list, an object with an error. */
function vetted(text: string): Parsed {
  const document = parseObject(text);
  if (document === undefined) return { findings: [], garbage: 1 };
  const findings: Finding[] = [];
  let garbage = 0;
  for (const analyzers of Object.values(document as object))
    for (const [code, entries] of Object.entries((analyzers ?? {}) as object)) {
      const error = givenText(at(entries, "error"));
      if (error !== null) findings.push({ severity: "error", message: error, file: null, line: null, col: null, code });
      for (const entry of givenItems(entries)) {
        const message = givenText(at(entry, "message"));
        const [, file, line, col] = /^(.*):(\d{1,9}):(\d{1,9})$/.exec(givenText(at(entry, "posn")) ?? "") ?? [];
        if (message === null || file === undefined) garbage++;
        else findings.push({ severity: "warning", message, file, line: givenPosition(line), col: givenPosition(col), code });
      }
    }
  return { findings, garbage };
}
