import { at, type Finding, listOf, placeOf, severityOf, textOf, withCode } from "./finding.ts";
import { jsonParser } from "./json.ts";

/** `--reporter=json`. Version 1 wrote the path as an object and the message as a list of parts. */
export const biome = jsonParser(
  (document) => (Array.isArray(at(document, "diagnostics")) ? listOf(at(document, "diagnostics")) : null),
  (entry): Finding | null => {
    const code = at(entry, "category");
    const message = code === "format" ? unformatted(messageOf(entry)) : messageOf(entry);
    if (message === null) return null;
    return {
      severity: severityOf(at(entry, "severity")),
      message,
      file: textOf(at(entry, "location", "path")) ?? textOf(at(entry, "location", "path", "file")),
      line: placeOf(at(entry, "location", "start", "line")),
      col: placeOf(at(entry, "location", "start", "column")),
      ...withCode(code),
    };
  },
);

const messageOf = (entry: unknown): string | null =>
  textOf(at(entry, "message")) ??
  textOf(at(entry, "description")) ??
  textOf(
    listOf(at(entry, "message"))
      .map((part) => textOf(at(part, "content")) ?? "")
      .join(""),
  );

/** It announces a text that is not shown here. */
const unformatted = (message: string | null) =>
  message?.startsWith("Formatter would have printed") ? "The file is not formatted." : message;
