import type { AuditEntry } from "../../core/ports/audit.ts";
import type { Conversations } from "../../core/ports/store.ts";
import type { ReportedLine } from "../../front/watch/report/session-report.ts";
import { auditLines } from "../../store/audit/lines.ts";
import { entryOf } from "../replay/audit-line.ts";

/** Lines that a report holds at most; a session of more is cut, and the report says so. */
const MOST_LINES = 20_000;
const MOST_MESSAGES = 20_000;
const PAGE = 500;

export interface FoundLines {
  readonly lines: readonly ReportedLine[];
  readonly sessions: readonly string[];
  /** How many lines more there are. */
  readonly left: number;
  /** The hash of the last line of each file. */
  readonly heads: ReadonlyMap<string, string>;
}

/** What a person may mean by a word: whole ids, or the beginning of one. */
export type LinesWish = { readonly session: string } | { readonly calls: ReadonlySet<string> };

/** The lines of a session, or of the sessions that some calls were made in, with the hash of each. Reads every line of the log once. */
export async function findSessionLines(files: readonly string[], wish: LinesWish, signal: AbortSignal): Promise<FoundLines> {
  const wanted: ReportedLine[] = [];
  const sessions = "session" in wish ? new Set([wish.session]) : await sessionsOf(files, wish.calls);
  const heads = new Map<string, string>();
  let left = 0;
  const isWanted = (session: string | undefined, call: string | undefined): boolean =>
    "calls" in wish && call !== undefined ? wish.calls.has(call) : session !== undefined && sessions.has(session);
  for (const file of files)
    for await (const batch of auditLines(file)) {
      signal.throwIfAborted();
      for (const line of batch) {
        heads.set(file, line.hash);
        const found = entryOf(line);
        const entry = found && withTexts(found);
        if (!entry || !isWanted(entry.session_id, entry.call_id)) continue;
        if (wanted.length < MOST_LINES) wanted.push({ file, line: line.number, hash: line.hash, entry });
        else left += 1;
      }
    }
  wanted.sort((a, b) => (a.entry.ts < b.entry.ts ? -1 : a.entry.ts > b.entry.ts ? 1 : 0));
  return { lines: wanted, sessions: [...sessions], left, heads };
}

/** Fields that are more than a text or a number in every log. */
const STRUCTURED = ["args", "objections"];

/** A log that somebody changed may hold anything anywhere: what should be a text becomes one, and is shown. */
function withTexts(entry: AuditEntry): AuditEntry {
  const odd = Object.entries(entry).filter(([name, value]) => typeof value === "object" && !STRUCTURED.includes(name));
  if (odd.length === 0 && typeof entry.ts === "string") return entry;
  return { ...entry, ...Object.fromEntries(odd.map(([name, value]) => [name, JSON.stringify(value)])), ts: String(entry.ts) };
}

/** A first reading: a note may stand before the first call of its session. */
async function sessionsOf(files: readonly string[], calls: ReadonlySet<string>): Promise<Set<string>> {
  const sessions = new Set<string>();
  for (const file of files)
    for await (const batch of auditLines(file))
      for (const line of batch) {
        const entry = entryOf(line);
        if (entry?.session_id !== undefined && calls.has(entry.call_id ?? "")) sessions.add(entry.session_id);
      }
  return sessions;
}

/** Every session whose id begins so. */
export async function findSessions(files: readonly string[], beginning: string): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const file of files)
    for await (const batch of auditLines(file))
      for (const line of batch) {
        const id = entryOf(line)?.session_id;
        if (id?.startsWith(beginning)) found.add(id);
      }
  return [...found];
}

/** The ids of the calls that a conversation's messages ask for. */
export async function callsOfConversation(conversations: Conversations, id: string): Promise<ReadonlySet<string>> {
  const calls = new Set<string>();
  for (let after = 0; after < MOST_MESSAGES; ) {
    const page = await conversations.messages(id, { after, limit: PAGE });
    for (const { message } of page)
      if (message.role === "assistant") for (const part of message.parts) if (part.type === "request") calls.add(part.callId);
    if (page.length < PAGE) break;
    after = page.at(-1)!.position;
  }
  return calls;
}
