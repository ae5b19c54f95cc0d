import { at, placeOf, textOf, withCode } from "./finding.ts";
import { jsonParser } from "./json.ts";

/** `-f json`: a list of files, each with its messages. Severity 2 is an error. */
export const eslint = jsonParser(
  (document) => (Array.isArray(document) ? eslintEntries(document) : null),
  (entry) => {
    const message = textOf(at(entry, "message"));
    if (message === null) return null;
    return {
      severity: at(entry, "fatal") === true || at(entry, "severity") === 2 ? "error" : "warning",
      message,
      file: textOf(at(entry, "file")),
      line: placeOf(at(entry, "line")),
      col: placeOf(at(entry, "column")),
      ...withCode(at(entry, "ruleId")),
    };
  },
);

const eslintEntries = (files: readonly unknown[]): unknown[] =>
  files.flatMap((file) => {
    const messages = at(file, "messages");
    if (!Array.isArray(messages)) return [null];
    return messages.map((message) => (typeof message === "object" ? { ...message, file: at(file, "filePath") } : null));
  });
