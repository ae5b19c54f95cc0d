import type { AuditEntry } from "../../core/ports/audit.ts";
import { parseJson } from "../../text/json.ts";

/** What of a line is searched and counted. */
export interface IndexedFields {
  readonly kind: AuditEntry["kind"];
  /** Milliseconds; NaN where the line has no time. */
  readonly ts: number;
  readonly callId: string | null;
  readonly session: string | null;
  readonly tool: string | null;
  readonly outcome: string | null;
  readonly gate: string | null;
  readonly caller: string | null;
  readonly host: string | null;
  readonly way: EgressWay | null;
  readonly times: number;
  /** In small letters. */
  readonly text: string;
}

/** What became of something that was to go out. */
export type EgressWay = "sent" | "failed" | "held";

const KINDS: ReadonlySet<unknown> = new Set<AuditEntry["kind"]>(["intent", "call", "egress", "note"]);
const LONGEST = { argument: 400, reason: 300, all: 1000, name: 300 } as const;

/** An entry of the log; null when the bytes are none. Whoever reads a log reads what others wrote. */
export function readEntry(bytes: Buffer): AuditEntry | null {
  const value = parseJson(bytes.toString("utf8")) as AuditEntry | null | undefined;
  return typeof value === "object" && value !== null && KINDS.has(value.kind) ? value : null;
}

export function indexedFields(entry: AuditEntry): IndexedFields {
  const isCall = entry.kind === "call";
  return {
    kind: entry.kind,
    ts: Date.parse(entry.ts),
    callId: indexedName(entry.call_id),
    session: indexedName(entry.session_id),
    tool: isCall ? indexedName(entry.tool) : null,
    outcome: isCall ? indexedName(entry.outcome) : null,
    gate: isCall ? indexedName(entry.gate) : null,
    caller: isCall ? indexedName(entry.caller_id) : null,
    host: entry.kind === "egress" ? indexedName(entry.host) : null,
    way: entry.kind === "egress" ? wayOf(entry) : null,
    times: typeof entry.times === "number" && entry.times > 0 ? Math.floor(entry.times) : 1,
    text: isCall ? textOfCall(entry) : "",
  };
}

/** Text ends at its first NUL in the database, so no name has one. */
export function indexedName(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value.slice(0, LONGEST.name).replaceAll("\0", " ") : null;
}

export function wayOf({ blocked, verdict, how, failed, status, type }: AuditEntry): EgressWay {
  if (how === "unreachable" || failed !== undefined) return "failed";
  if (blocked !== undefined || verdict === "refused") return "held";
  // Lines from before a reason was written: an answer has a status, a request without one had no answer.
  return type === "egress" || status !== undefined ? "sent" : "failed";
}

/** Command, paths and other short arguments, the reasons that were given, and the tool. */
function textOfCall({ tool, args, error, reason, why, rule }: AuditEntry): string {
  const words: string[] = [];
  const add = (value: unknown, most: number) => {
    if (typeof value === "string") words.push(value.length > most ? value.slice(0, most) : value);
  };
  add(tool, LONGEST.name);
  if (typeof args === "object" && args !== null)
    for (const value of Object.values(args)) {
      if (Array.isArray(value)) for (const one of value.slice(0, 10)) add(one, LONGEST.argument);
      else add(value, LONGEST.argument);
    }
  for (const value of [reason, error, why, rule]) add(value, LONGEST.reason);
  return words.join("\n").slice(0, LONGEST.all).toLowerCase().replaceAll("\0", " ");
}
