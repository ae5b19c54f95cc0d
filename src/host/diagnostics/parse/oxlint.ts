import { eslint } from "./eslint.ts";
import { at, listOf, type Parser, placeOf, severityOf, textOf, withCode } from "./finding.ts";
import { jsonParser } from "./json.ts";

/** `-f json`: an object with a list of diagnostics; the first releases wrote what eslint writes. */
export const oxlint: Parser = (printed) => {
  const read = current(printed);
  if (read.findings.length > 0 || read.garbage === 0) return read;
  const older = eslint(printed);
  return older.findings.length > 0 || older.garbage === 0 ? older : read;
};

const current = jsonParser(
  (document) => (Array.isArray(at(document, "diagnostics")) ? listOf(at(document, "diagnostics")) : null),
  (entry) => {
    const message = textOf(at(entry, "message"));
    if (message === null) return null;
    const span = at(listOf(at(entry, "labels"))[0], "span");
    return {
      severity: severityOf(at(entry, "severity")),
      message,
      file: textOf(at(entry, "filename")),
      line: placeOf(at(span, "line")),
      col: placeOf(at(span, "column")),
      ...withCode(at(entry, "code")),
    };
  },
);
