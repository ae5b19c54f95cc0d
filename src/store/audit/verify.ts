import type { Anchor } from "../../core/ports/anchors.ts";
import type { AuditProblem, Verification } from "../../core/ports/audit.ts";
import { plural } from "../../text/words.ts";
import { StoreError } from "../sqlite/error.ts";
import { type ChainedEntry, createClaimCounter, cutText, eventOf, inLines, isProblem, parseEntry, START, whoWrote } from "./chain.ts";
import { type AuditLine, auditLines } from "./lines.ts";

const KEPT_PROBLEMS = 100;

/**
 * Reads the whole log and says where it is not what was written. The log may grow meanwhile: take its size first, then the anchor. Of
 * the lines up to that size, a process that writes leaves at most one without an anchor.
 */
export async function verifyAudit(file: string, anchor: Anchor | null, size = Number.POSITIVE_INFINITY): Promise<Verification> {
  const check = createLineCheck(anchor, size);
  try {
    for await (const lines of auditLines(file)) for (const line of lines) check.line(line);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    if (!anchor) throw new StoreError(file, `There is no audit log at ${file}.`, { cause: error });
    return { file, anchored: true, ...check.missing(anchor) };
  }
  return { file, anchored: anchor !== null, ...check.end() };
}

type Findings = Pick<Verification, "lines" | "intact" | "problems" | "torn" | "remarks">;

/** Where lines are looked at from: the number and hash of the one before the first. */
export interface LineBefore {
  readonly number: number;
  readonly hash: string;
}

/** Looks at the lines of a chain, one after the other. */
export function createLineCheck(anchor: Anchor | null, size: number, before: LineBefore = { number: 0, hash: START.hash }) {
  const problems: AuditProblem[] = [];
  const remarks: string[] = [];
  const unknown = createClaimCounter();
  let position = 0;
  const torn: number[] = [];
  /** The last line, where the store remembers it whole. */
  let cut: number | null = null;
  let last = before;
  /** A line that is no entry, until the next one shows whether it was torn, and the hash of the line before it. */
  let odd: { readonly number: number; readonly before: string } | null = null;

  const report = (line: number, kind: AuditProblem["kind"], reason: string) => {
    if (problems.length < KEPT_PROBLEMS) problems.push({ line, kind, reason });
  };
  const remark = (text: string) => {
    if (remarks.length < KEPT_PROBLEMS) remarks.push(text);
  };
  const reportOdd = () => {
    if (odd) report(odd.number, "garbled", `Line ${odd.number} is not an audit entry: it was edited, or something else wrote to the file.`);
    odd = null;
  };
  const chained = (entry: ChainedEntry, number: number) => {
    const event = eventOf(entry);
    const seals = event?.event === "torn" && event.line === number - 1 && (!odd || event.before === odd.before);
    if (seals) {
      if (!isProblem(event)) torn.push(number - 1);
      odd = null;
    }
    reportOdd();
    if (entry.prev !== last.hash) report(number, ...broken(number));
    if (!event || (event.event === "torn" && !isProblem(event))) return;
    const text = `Line ${number} is a note: ${entry.note}`;
    if (isProblem(event)) report(number, "noted", text);
    else remark(text);
  };
  const findings = (): Findings => ({ lines: last.number, intact: problems.length === 0, problems, torn, remarks });

  return {
    line(line: AuditLine): void {
      if (line.end === "none") {
        if (!anchor || line.number > anchor.count) torn.push(line.number);
        else {
          cut = line.number;
          report(cut, "tail", cutText(cut));
        }
        return;
      }
      const entry = parseEntry(line);
      if (entry) chained(entry, line.number);
      else {
        reportOdd();
        odd = { number: line.number, before: last.hash };
      }
      if (line.number === anchor?.count && line.hash !== anchor.hash)
        report(line.number, "tail", `Line ${line.number} is not the line the store remembers: it was edited, or the log was rewritten.`);
      last = { number: line.number, hash: line.hash };
      position += line.size;
      if (anchor && line.number > anchor.count && position <= size && !anchor.announced?.includes(line.hash))
        unknown.add(entry, line.number);
    },
    end(): Findings {
      reportOdd();
      if (anchor && last.number < anchor.count && cut !== anchor.count)
        report(
          last.number + 1,
          "tail",
          `The log ends after line ${last.number}, but ${plural(anchor.count, "line was", "lines were")} recorded: lines were removed.`,
        );
      const added = unknown.count();
      const text = `${inLines(added)} after the last one the store knows of: ${whoWrote(added)}.`;
      if (anchor && added > 1) report(anchor.count + 1, "tail", text);
      if (added === 1) remark(text);
      return findings();
    },
    missing(recorded: Anchor): Findings {
      report(1, "missing", `The file is gone, but ${plural(recorded.count, "line was", "lines were")} recorded in it.`);
      return findings();
    },
  };
}

const broken = (number: number): [AuditProblem["kind"], string] =>
  number === 1
    ? ["head", "Line 1 is not the first line of a log: the lines before it were removed, or it was edited."]
    : [
        "chain",
        `Line ${number} does not continue line ${number - 1}: line ${number - 1} was edited, or lines were removed, added or moved here.`,
      ];
