import type { Verification } from "../../core/ports/audit.ts";
import type { Conversation, Conversations } from "../../core/ports/store.ts";
import { version } from "../../files/version.ts";
import type { ReportedLine, ReportedLog, SessionReport } from "../../front/watch/report/session-report.ts";
import { sha256 } from "../../store/audit/lines.ts";
import { findFileChanges } from "./file-changes.ts";
import { callsOfConversation, type FoundLines, findSessionLines, findSessions } from "./session-lines.ts";

export interface ReportWorld {
  /** The files of the log. */
  readonly files: readonly string[];
  verify(): Promise<readonly Verification[]>;
  readonly conversations: Conversations;
  /** Where it is kept what files were. */
  readonly preimages: string;
  redact(text: string): string;
  readonly signal: AbortSignal;
}

export type ReportAnswer = { readonly report: SessionReport } | { readonly problem: string };

/** The report of a session, or of a conversation, by its id or the beginning of it. Only reads. */
export async function makeSessionReport(wanted: string, world: ReportWorld): Promise<ReportAnswer> {
  const conversation = await conversationOf(wanted, world.conversations);
  if (conversation === "several") return { problem: `Several conversations begin with ${wanted}. Give more of the id.` };
  if (conversation) {
    const calls = await callsOfConversation(world.conversations, conversation.id);
    const found = await findSessionLines(world.files, { calls }, world.signal);
    if (found.lines.length === 0) return { problem: `The audit log has no line of the conversation ${conversation.id}.` };
    return { report: await reportOf(found, world, conversation) };
  }
  const [session, another] = BEGINNING.test(wanted) ? await findSessions(world.files, wanted) : [wanted];
  if (another !== undefined) return { problem: `Several sessions begin with ${wanted}. Give more of the id.` };
  const found = await findSessionLines(world.files, { session: session ?? wanted }, world.signal);
  if (found.lines.length === 0) return { problem: `The audit log has no session ${wanted}, and there is no such conversation.` };
  return { report: await reportOf(found, world) };
}

const BEGINNING = /^[0-9a-f-]{6,35}$/;
const MOST_CONVERSATIONS = 10_000;

async function conversationOf(wanted: string, conversations: Conversations): Promise<Conversation | "several" | null> {
  const exact = await conversations.get(wanted);
  if (exact || !BEGINNING.test(wanted)) return exact;
  const [one, another] = (await conversations.list({ limit: MOST_CONVERSATIONS })).filter(({ id }) => id.startsWith(wanted));
  return another ? "several" : (one ?? null);
}

async function reportOf(
  { lines, sessions, left, heads }: FoundLines,
  world: ReportWorld,
  conversation?: Conversation,
): Promise<SessionReport> {
  const checked = await world.verify();
  const found = await findFileChanges(lines, world.preimages, world.redact);
  const of = (pick: (line: ReportedLine) => string | undefined) => [...new Set(lines.flatMap((line) => pick(line) ?? []))];
  return {
    about: {
      sessions,
      ...(conversation && { conversation: { id: conversation.id, title: world.redact(conversation.title) } }),
      workspaces: of(({ entry }) => entry.cwd),
      callers: of(({ entry }) => entry.caller_id),
      first: lines[0]!.entry.ts,
      last: lines.at(-1)!.entry.ts,
      version: version(),
      made: new Date().toISOString(),
    },
    log: checked.map((log) => loggedIn(log, heads.get(log.file))),
    lines,
    changes: found.changes,
    missing: missingOf(left, found.left, checked),
    linesHash: sha256(lines.map(({ hash }) => `${hash}\n`).join("")),
  };
}

const loggedIn = ({ file, lines, intact, anchored, problems }: Verification, head: string | undefined): ReportedLog => ({
  file,
  lines,
  intact,
  anchored,
  problems: problems.map(({ reason }) => reason),
  head: head ?? "",
});

const ALWAYS = [
  "Arguments stand here as the log has them: without secrets, and shortened after 500 characters.",
  "What commands and tools answered is not in the log. It is in the conversation, and as kept output while that lasts.",
  "Of files it is kept what calls announced that they would change: for seven days, and no file of more than 8 MiB. What a command changes besides is not known.",
];

const missingOf = (lines: number, changes: number, checked: readonly Verification[]): readonly string[] => [
  ...(lines > 0 ? [`${lines} more lines of the log have no room here.`] : []),
  ...(changes > 0 ? [`${changes} more changes of files have no room here.`] : []),
  ...(checked.some(({ anchored }) => !anchored)
    ? ["A file of the log has no anchor in the store: lines cut from its end would not be noticed."]
    : []),
  ...ALWAYS,
];
