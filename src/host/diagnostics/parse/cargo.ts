import { at, type Finding, listOf, MOST_FINDINGS, type Parser, placeOf, severityOf, textOf, withCode } from "./finding.ts";
import { parsed } from "./json.ts";
import { linesOf } from "./lines.ts";

/** `--message-format=json`: one JSON object on each line. Build scripts may print between them. */
export const cargo: Parser = ({ stdout }) => {
  const findings: Finding[] = [];
  let garbage = 0;
  for (const line of linesOf(stdout)) {
    if (findings.length >= MOST_FINDINGS) break;
    if (line.trim() === "") continue;
    const event = parsed(line);
    const message = at(event, "message");
    if (typeof at(event, "reason") !== "string") garbage++;
    else if (at(event, "reason") === "compiler-message" && !isSummary(message)) {
      const finding = findingIn(message);
      if (finding) findings.push(finding);
      else garbage++;
    }
  }
  return { findings, garbage };
};

function findingIn(message: unknown): Finding | null {
  const text = textOf(at(message, "message"));
  if (text === null) return null;
  const spans = listOf(at(message, "spans"));
  const span = spans.find((one) => at(one, "is_primary") === true) ?? spans[0];
  return {
    severity: severityOf(at(message, "level")),
    message: text,
    file: textOf(at(span, "file_name")),
    line: placeOf(at(span, "line_start")),
    col: placeOf(at(span, "column_start")),
    ...withCode(at(message, "code", "code")),
  };
}

/** What the compiler says about its own messages: how many there were, where to read more. */
const SUMMARY = /^(?:aborting due to|\d+ warnings? emitted|Some errors have detailed explanations|For more information about)/;
const isSummary = (message: unknown): boolean =>
  listOf(at(message, "spans")).length === 0 &&
  (at(message, "level") === "failure-note" || SUMMARY.test(textOf(at(message, "message")) ?? ""));
