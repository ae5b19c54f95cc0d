import { attempt } from "../text/attempt.ts";
import { type Finding, MOST_FINDINGS, type Parsed, type Parser } from "./finding.ts";
import { linesOf } from "./lines.ts";

/** A parser of one JSON document on stdout. `entries` gives its findings in any shape; `read` gives null for one it does not understand. */
export const jsonParser =
  (entries: (document: unknown) => readonly unknown[] | null, read: (entry: unknown) => Finding | null): Parser =>
  ({ stdout }): Parsed => {
    const document = documentIn(stdout);
    const found = document === undefined ? null : entries(document);
    if (found === null) return { findings: [], garbage: linesIn(stdout) };
    const findings = found.slice(0, MOST_FINDINGS).map(read);
    return { findings: findings.filter((finding) => finding !== null), garbage: findings.filter((finding) => finding === null).length };
  };

/** The document, also when something was printed before or after it. Undefined when there is none. */
function documentIn(text: string): unknown {
  const whole = parseObject(text);
  if (whole !== undefined) return whole;
  const start = /^[ \t]*[[{]/m.exec(text)?.index;
  if (start === undefined) return undefined;
  const end = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1;
  return parseObject(text.slice(start, end));
}

export function parseObject(text: string): unknown {
  const value: unknown = attempt(() => JSON.parse(text), undefined);
  return typeof value === "object" && value !== null ? value : undefined;
}

function linesIn(text: string): number {
  let count = 0;
  for (const line of linesOf(text)) if (line.trim() !== "") count++;
  return count;
}
