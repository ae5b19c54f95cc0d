import type { AuditEntry, AuditSink } from "../../core/ports/audit.ts";
import { bounded, oneLine } from "../../text/visible.ts";
import { plural } from "../../text/words.ts";

/** The calls of one session, as its own audit lines tell them. Nothing of another session ever comes here: no file is read. */
export interface SessionRecord {
  /** Takes the lines as they are written: they hold no secret there. */
  readonly sink: AuditSink;
  /** The calls of this day, the oldest first. */
  today(now?: Date): readonly AuditEntry[];
  /** One call; without an id the last one. */
  find(callId?: string): AuditEntry | undefined;
}

/** Older ones are in the audit log. */
const MOST_CALLS = 200;
const MOST_ARGUMENTS = 300;
const MOST_REASON = 500;

export function createSessionRecord(): SessionRecord {
  const calls: AuditEntry[] = [];
  const write = (line: AuditEntry) => {
    if (line.kind !== "call") return;
    calls.push(line);
    if (calls.length > MOST_CALLS) calls.shift();
  };
  return {
    // Whoever reads right after a call finds it.
    sink: { write, required: true },
    today: (now = new Date()) => calls.filter(({ ts }) => dayOf(ts) === dayOf(now.toISOString())),
    find: (callId) => (callId === undefined ? calls.at(-1) : calls.find(({ call_id }) => call_id === callId)),
  };
}

const dayOf = (ts: string): string => ts.slice(0, 10);

/** `zeph://audit/today` */
export function recordText(calls: readonly AuditEntry[]): string {
  const refused = calls.filter(isRefused).length;
  const head = `The calls of this session on ${dayOf(new Date().toISOString())} (UTC): ${plural(calls.length, "call")}, ${refused} of them not made. At most the last ${MOST_CALLS} are kept here. Other sessions are not shown; the person sees everything with \`zeph audit\`.`;
  return [head, "", ...calls.map(callLine)].join("\n");
}

export const isRefused = ({ outcome }: AuditEntry): boolean => outcome === "denied" || outcome === "unanswered";

/** One call on a line. What the model was not told is not told here either. */
function callLine(entry: AuditEntry): string {
  const { ts, call_id, tool = "(none)", error } = entry;
  const why = error === undefined ? "" : `: ${oneLine(error, MOST_REASON)}`;
  return `${ts} ${call_id ?? "-"} ${oneLine(tool, 100)} ${argumentsText(entry)} → ${ending(entry)}${why}`;
}

/** Everything about one call, a fact a line. */
export function callText(entry: AuditEntry): string {
  const { ts, call_id, tool, cwd, sandbox, duration_ms, exit_code, approved_by, refused_by, reason, grant, error } = entry;
  const facts: Readonly<Record<string, unknown>> = {
    call: call_id,
    when: ts,
    tool,
    arguments: argumentsText(entry),
    folder: cwd,
    "how it ended": ending(entry),
    why: error,
    "answered with yes by": approved_by,
    "answered with no by": refused_by,
    "in their words": reason,
    "let in by": grant === undefined ? undefined : GRANTS[grant],
    walls: sandbox,
    "exit code": exit_code,
    milliseconds: duration_ms,
  };
  return Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${oneLine(String(value), MOST_REASON)}`)
    .join("\n");
}

const argumentsText = ({ args }: AuditEntry): string => bounded(oneLine(JSON.stringify(args) ?? "{}"), MOST_ARGUMENTS);

const ending = ({ outcome, error_category, exit_code, waiting, grant }: AuditEntry): string => {
  if (waiting) return "not made; its question waits for the person";
  if (outcome === "denied") return "refused";
  if (outcome === "unanswered") return "not made, because nobody answered";
  if (outcome === "failed") return `failed (${error_category ?? "unknown"})`;
  const code = exit_code === undefined || exit_code === 0 ? "" : `, exit code ${exit_code}`;
  return `done${code}${grant === "client" ? ", asked by the client" : ""}`;
};

const GRANTS = {
  session: "an earlier answer, for this session",
  edits: "an earlier answer, for all edits of this session",
  always: "an earlier answer, for good",
  client: "the client, which asks about each call itself (--asked-by-client)",
} as const;
