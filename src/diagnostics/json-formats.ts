import type { Severity } from "../core/ports/diagnostics.ts";
import { at, type Finding, givenItems, givenPosition, givenText, MOST_FINDINGS, type Parser, severityOf } from "./finding.ts";
import { jsonParser, parseObject } from "./json.ts";
import { linesOf } from "./lines.ts";

/** Where the parts of a finding stand: names of members, from the outside in, with points between them. */
interface Shape {
  readonly file: string;
  readonly line: string;
  readonly col: string;
  readonly code: string;
  readonly severity: string | ((entry: unknown) => Severity);
  readonly message?: (entry: unknown) => string | null;
  /** The number of the first line and column; 1 unless it says otherwise. */
  readonly first?: 0;
}

const findingIn =
  ({ file, line, col, code, severity, message = messageIn, first }: Shape) =>
  (entry: unknown): Finding | null => {
    const text = message(entry);
    if (text === null) return null;
    const place = (value: unknown) => givenPosition(first === 0 && typeof value === "number" ? value + 1 : value);
    const rule = at(entry, code);
    return {
      severity: typeof severity === "function" ? severity(entry) : severityOf(at(entry, severity)),
      message: text,
      file: givenText(at(entry, file)),
      line: place(at(entry, line)),
      col: place(at(entry, col)),
      ...(typeof rule === "string" && rule !== "" && { code: rule }),
    };
  };

const messageIn = (entry: unknown): string | null => givenText(at(entry, "message"));
const listIn = (name: string) => (document: unknown) => (Array.isArray(at(document, name)) ? givenItems(at(document, name)) : null);
const asList = (document: unknown) => (Array.isArray(document) ? document : null);

/** `-f json`: a list of files, each with its messages. Severity 2 is an error. */
export const parseEslint = jsonParser(
  (document) => asList(document)?.flatMap(messagesOfFile) ?? null,
  findingIn({
    severity: (entry) => (at(entry, "fatal") === true || at(entry, "severity") === 2 ? "error" : "warning"),
    file: "file",
    line: "line",
    col: "column",
    code: "ruleId",
  }),
);

function messagesOfFile(file: unknown): unknown[] {
  const messages = at(file, "messages");
  if (!Array.isArray(messages)) return [null];
  return messages.map((message) => (typeof message === "object" ? { ...message, file: at(file, "filePath") } : null));
}

/** `--reporter=json`. Version 1 wrote the path as an object and the message as a list of parts. */
export const parseBiome = jsonParser(
  (document) => listIn("diagnostics")(document)?.map(withPlainPath) ?? null,
  findingIn({
    message: biomeMessage,
    severity: "severity",
    file: "file",
    line: "location.start.line",
    col: "location.start.column",
    code: "category",
  }),
);

const withPlainPath = (entry: unknown): unknown =>
  typeof entry === "object" && { ...entry, file: givenText(at(entry, "location.path")) ?? at(entry, "location.path.file") };

function biomeMessage(entry: unknown): string | null {
  const parts = givenItems(at(entry, "message")).map((part) => givenText(at(part, "content")) ?? "");
  const message = messageIn(entry) ?? givenText(at(entry, "description")) ?? givenText(parts.join(""));
  // It announces a text that is not shown here.
  const isAnnounced = at(entry, "category") === "format" && message?.startsWith("Formatter would have printed");
  return isAnnounced ? "The file is not formatted." : message;
}

/** `-f json`: an object with a list of diagnostics; the first releases wrote what eslint writes. */
export const parseOxlint: Parser = (printed) => {
  const read = oxlintNow(printed);
  if (read.findings.length > 0 || read.garbage === 0) return read;
  const older = parseEslint(printed);
  return older.findings.length > 0 || older.garbage === 0 ? older : read;
};

const oxlintNow = jsonParser(
  listIn("diagnostics"),
  findingIn({ severity: "severity", file: "filename", line: "labels.0.span.line", col: "labels.0.span.column", code: "code" }),
);

/** `--outputjson`. Its lines and columns count from 0. */
export const parsePyright = jsonParser(
  listIn("generalDiagnostics"),
  findingIn({ severity: "severity", file: "file", line: "range.start.line", col: "range.start.character", code: "rule", first: 0 }),
);

/** `--output-format json`. Ruff has no severities: a file that cannot be parsed is an error, a broken rule a warning. */
export const parseRuff = jsonParser(
  asList,
  findingIn({
    severity(entry) {
      const code = at(entry, "code");
      const isSyntax = code === null || code === "invalid-syntax" || code === "E999" || /^SyntaxError/.test(messageIn(entry) ?? "");
      return isSyntax ? "error" : "warning";
    },
    file: "filename",
    line: "location.row",
    col: "location.column",
    code: "code",
  }),
);

/** `--message-format=json`: one JSON object on each line. Build scripts may print between them. */
export const parseCargo: Parser = ({ stdout }) => {
  const findings: Finding[] = [];
  let garbage = 0;
  for (const line of linesOf(stdout)) {
    if (findings.length >= MOST_FINDINGS) break;
    if (line.trim() === "") continue;
    const event = parseObject(line);
    const message = at(event, "message");
    if (typeof at(event, "reason") !== "string") garbage++;
    else if (at(event, "reason") === "compiler-message" && !isSummary(message)) {
      const finding = compilerMessage({ message, span: primarySpan(message) });
      if (finding) findings.push(finding);
      else garbage++;
    }
  }
  return { findings, garbage };
};

const compilerMessage = findingIn({
  message: (entry) => givenText(at(entry, "message.message")),
  severity: "message.level",
  file: "span.file_name",
  line: "span.line_start",
  col: "span.column_start",
  code: "message.code.code",
});

function primarySpan(message: unknown): unknown {
  const spans = givenItems(at(message, "spans"));
  return spans.find((one) => at(one, "is_primary") === true) ?? spans[0];
}

/** What the compiler says about its own messages: how many there were, where to read more. */
const SUMMARY = /^(?:aborting due to|\d+ warnings? emitted|Some errors have detailed explanations|For more information about)/;
const isSummary = (message: unknown): boolean =>
  givenItems(at(message, "spans")).length === 0 &&
  (at(message, "level") === "failure-note" || SUMMARY.test(givenText(at(message, "message")) ?? ""));
