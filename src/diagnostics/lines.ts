import { type Finding, MOST_FINDINGS, type Parsed } from "./finding.ts";

/** Longer lines are no messages. */
const MOST = 20_000;

export interface LineFormat {
  /** A finding that begins on this line; null when none does. */
  readonly read: (line: string) => Finding | null;
  /** What such programs print besides. */
  readonly noise: RegExp;
}

/** Findings of one line each. Indented lines go on with the one before, when the format says so. */
export function readLineFindings(text: string, { read, noise }: LineFormat, indented: "belong" | "skip" = "skip"): Parsed {
  const findings: Finding[] = [];
  let garbage = 0;
  for (const raw of linesOf(text)) {
    if (findings.length >= MOST_FINDINGS) break;
    const line = raw.replace(/\r$/, "");
    if (line.trim() === "") continue;
    if (line.length > MOST) {
      garbage++;
      continue;
    }
    if (/^\s/.test(line)) {
      const last = findings.at(-1);
      if (indented === "belong" && last && last.message.length < MOST)
        findings[findings.length - 1] = { ...last, message: `${last.message}\n${line.trim()}` };
      continue;
    }
    const finding = read(line);
    if (finding) findings.push(finding);
    else if (!noise.test(line)) garbage++;
  }
  return { findings, garbage };
}

/** The lines that are not empty, one at a time: a list of all of them could take many times the memory of the text. */
export function* linesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    if (end > start) yield text.slice(start, end);
    start = end + 1;
  }
}
