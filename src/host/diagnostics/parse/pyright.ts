import { at, listOf, placeOf, severityOf, textOf, withCode } from "./finding.ts";
import { jsonParser } from "./json.ts";

/** `--outputjson`. Its lines and columns count from 0. */
export const pyright = jsonParser(
  (document) => (Array.isArray(at(document, "generalDiagnostics")) ? listOf(at(document, "generalDiagnostics")) : null),
  (entry) => {
    const message = textOf(at(entry, "message"));
    if (message === null) return null;
    return {
      severity: severityOf(at(entry, "severity")),
      message,
      file: textOf(at(entry, "file")),
      line: fromZero(at(entry, "range", "start", "line")),
      col: fromZero(at(entry, "range", "start", "character")),
      ...withCode(at(entry, "rule")),
    };
  },
);

const fromZero = (value: unknown): number | null => (typeof value === "number" ? placeOf(value + 1) : null);
