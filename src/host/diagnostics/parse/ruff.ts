import { at, placeOf, textOf, withCode } from "./finding.ts";
import { jsonParser } from "./json.ts";

/** `--output-format json`. Ruff has no severities: a file that cannot be parsed is an error, a broken rule a warning. */
export const ruff = jsonParser(
  (document) => (Array.isArray(document) ? document : null),
  (entry) => {
    const message = textOf(at(entry, "message"));
    if (message === null) return null;
    const code = at(entry, "code");
    const isSyntax = code === null || code === "invalid-syntax" || code === "E999" || /^SyntaxError/.test(message);
    return {
      severity: isSyntax ? "error" : "warning",
      message,
      file: textOf(at(entry, "filename")),
      line: placeOf(at(entry, "location", "row")),
      col: placeOf(at(entry, "location", "column")),
      ...withCode(code),
    };
  },
);
