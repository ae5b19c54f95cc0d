import type { AuditEntry } from "../../../core/ports/audit.ts";
import { record } from "../../../text/json.ts";

/** What happened in a session, as one can hand it to somebody who was not there. Nothing in it is newer than `made`. */
export interface SessionReport {
  readonly about: ReportAbout;
  /** Every file that the log consists of; the session's lines are in some of them. */
  readonly log: readonly ReportedLog[];
  /** The session's lines, in the order of the log. */
  readonly lines: readonly ReportedLine[];
  readonly changes: readonly ReportedChange[];
  /** What a reader could look for and does not find here, each as a sentence. */
  readonly missing: readonly string[];
  /** SHA-256 of the hashes of `lines`, in hex, each followed by a line break. It is the same whenever the report is made. */
  readonly linesHash: string;
}

export interface ReportAbout {
  /** The sessions whose lines these are: one, or those that a conversation was held in. */
  readonly sessions: readonly string[];
  readonly conversation?: { readonly id: string; readonly title: string };
  readonly workspaces: readonly string[];
  readonly callers: readonly string[];
  readonly first: string;
  readonly last: string;
  /** Of Zeph, as it made the report. */
  readonly version: string;
  readonly made: string;
}

export interface ReportedLog {
  readonly file: string;
  readonly lines: number;
  readonly intact: boolean;
  readonly anchored: boolean;
  readonly problems: readonly string[];
  /** The hash of its last line. */
  readonly head: string;
}

/** A line of the log, where it stands, and the hash that the line after it carries. */
export interface ReportedLine {
  readonly file: string;
  readonly line: number;
  readonly hash: string;
  readonly entry: AuditEntry;
}

/** What a call did to a file. */
export interface ReportedChange {
  readonly callId: string;
  readonly path: string;
  readonly what: "made" | "changed" | "removed" | "not known";
  /** SHA-256 of its content before and after; absent where there was none, or it is not known. */
  readonly before?: string;
  readonly after?: string;
  readonly diff?: string;
  /** Why there is no diff. */
  readonly without?: string;
}

/** How many calls there were, and how they ended. */
export function countCalls(report: SessionReport): { readonly calls: number; readonly outcomes: Readonly<Record<string, number>> } {
  const outcomes: Record<string, number> = {};
  const calls = report.lines.filter(({ entry }) => entry.kind === "call");
  for (const { entry } of calls) outcomes[entry.outcome ?? "unknown"] = (outcomes[entry.outcome ?? "unknown"] ?? 0) + 1;
  return { calls: calls.length, outcomes };
}

/** Nobody was asked about these. */
const WITHOUT_PERSON: readonly unknown[] = ["rules", "dry run"];

/** Who answered the question about a call, and what; null where nobody was asked. */
export function personsAnswer({ approved_by, refused_by, waiting, outcome }: AuditEntry): string | null {
  if (refused_by !== undefined) return `no, by ${refused_by}`;
  if (approved_by !== undefined && !WITHOUT_PERSON.includes(approved_by)) return `yes, by ${approved_by}`;
  if (outcome !== "unanswered") return null;
  return waiting ? "left for later" : "nobody answered";
}

/** Which gate decided, and by which rule, and what others had against it; where none did, who let the call in. */
export function whoDecides({ gate, rule, approved_by, grant, objections }: AuditEntry): string {
  if (gate !== undefined) {
    const all: readonly unknown[] = Array.isArray(objections) ? objections : [];
    const others = all.map(record).filter((one) => one.gate !== gate);
    return [rule === undefined ? gate : `${gate}, ${rule}`, ...others.map((one) => `also ${one.gate}: ${one.kind}`)].join("; ");
  }
  if (grant !== undefined) return `an earlier answer, ${EARLIER[grant] ?? grant}`;
  return approved_by === undefined ? "" : approved_by === "rules" ? "allowed by the rules" : String(approved_by);
}
const EARLIER: Readonly<Record<string, string>> = { session: "for the session", edits: "for edits of the session", always: "for good" };

/** Where something went, or should have gone. */
export function wentTo(entry: AuditEntry): { readonly to: string; readonly how: string } {
  const { host = "", port, url, blocked, failed, status, bytes, verdict, how, why, sent = 0, received = 0, times } = entry;
  const to = url ?? (port === undefined ? host : `${host}:${port}`);
  if (blocked !== undefined) return { to, how: `held back: ${blocked}` };
  if (failed !== undefined) return { to, how: `failed: ${failed}` };
  if (verdict === "refused")
    return {
      to,
      how: `${how === "unreachable" ? "failed" : "held back"}: ${why ?? "no reason is given"}${times ? `, ${times} times` : ""}`,
    };
  if (verdict === "ok") return { to, how: `${sent} bytes sent, ${received} received` };
  return {
    to,
    how: [status === undefined ? "sent" : `status ${status}`, ...(bytes === undefined ? [] : [`${bytes} bytes read`])].join(", "),
  };
}
