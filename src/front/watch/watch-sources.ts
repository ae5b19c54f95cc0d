import type { Answer, Question } from "../../core/event.ts";
import type { AuditEntry, Verification } from "../../core/ports/audit.ts";
import type { KeptText } from "../../core/ports/printed/overflow.ts";
import type { Conversation, StoredMessage } from "../../core/ports/store.ts";
import type { SessionReport } from "./report/session-report.ts";

/** What the pages show. Parts are opened when a page first asks for them; none of them runs a tool. */
export interface WatchSources {
  facts(): Promise<WatchFacts>;
  readonly log: LogSource;
  readonly live: LiveSource;
  readonly rules: RulesSource;
  readonly kept: KeptSource;
  readonly conversations: ConversationsSource;
  /** What a session or conversation did, by its id; absent where no report can be made. */
  report?(id: string, signal: AbortSignal): Promise<MadeReport | { readonly problem: string }>;
  /** Writes down in the audit log what happened on the page: it was opened, somebody answered. */
  note(text: string): Promise<void>;
  /** A text without secrets. */
  redact(text: string): string;
  close(): Promise<void>;
}

export interface MadeReport {
  readonly report: SessionReport;
  /** Of the report as JSON. */
  readonly dataHash: string;
}

/** What every page says at its top. */
export interface WatchFacts {
  readonly workspace: string;
  /** `bubblewrap`, …, or `none`. */
  readonly walls: string;
  readonly autonomy: string;
  /** "2 rules, else allow", or "off". */
  readonly policy: string;
}

/** The audit log through its index. Each question first takes in the lines that were written since the last one. */
export interface LogSource {
  find(query: CallQuery): Promise<CallPage>;
  /** All lines about one call, and the calls of its session around it; null where there is none. */
  call(callId: string): Promise<LoggedCall | null>;
  /** `since`: only lines from this moment on, in milliseconds. */
  totals(since?: number): Promise<LogTotals>;
  /** What can be chosen in the filters: the most frequent first. */
  choices(): Promise<LogChoices>;
  /** Every call of a session, oldest first, with its notes and egress lines; for the report. */
  session(sessionId: string): Promise<readonly LoggedLine[]>;
  /** Reads every line and checks the chain. */
  verify(): Promise<LogCheck>;
  /** What `verify` found the last time; null when nobody has asked yet. */
  lastCheck(): LogCheck | null;
  /** Judges a past call again, in a runtime of its workspace; what cannot be told says why. */
  judge(entry: AuditEntry): Promise<JudgedNow | { readonly problem: string }>;
  /** The listener is given the calls that ended since it was last told, and an empty list when following has begun. Returns a function that ends this. */
  follow(listener: (calls: readonly LoggedLine[]) => void): () => void;
}

/** Which calls are wanted. Everything that is named has to fit. */
export interface CallQuery {
  /** A word of the command, path, reason or id, whatever its case. */
  readonly text?: string;
  readonly tool?: string;
  readonly outcome?: string;
  readonly gate?: string;
  readonly caller?: string;
  readonly session?: string;
  /** Milliseconds. */
  readonly since?: number;
  readonly until?: number;
  /** How many of the newest are passed over. */
  readonly from: number;
  readonly limit: number;
}

/** A line of the log, and where it stands. */
export interface LoggedLine {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly entry: AuditEntry;
}

export interface CallPage {
  /** Newest first. */
  readonly calls: readonly LoggedLine[];
  /** How many fit in all. */
  readonly total: number;
}

export interface LoggedCall {
  /** The line of the call's end; that of its intent where it has not ended. */
  readonly main: LoggedLine;
  /** Intent, call, egress, notes: as they were written. */
  readonly lines: readonly LoggedLine[];
  /** Calls of the same session around it, oldest first, the call itself among them. */
  readonly around: readonly LoggedLine[];
  /** Whole outputs that were kept of it. */
  readonly kept: readonly KeptText[];
}

export interface LogTotals {
  readonly calls: number;
  readonly sessions: number;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Gates that asked or denied, the most frequent first. */
  readonly gates: readonly { readonly gate: string; readonly times: number }[];
  /** Where something went, the most frequent first. */
  readonly hosts: readonly { readonly host: string; readonly sent: number; readonly failed: number; readonly held: number }[];
}

export interface LogChoices {
  readonly tools: readonly string[];
  readonly gates: readonly string[];
  readonly callers: readonly string[];
}

export interface LogCheck {
  readonly files: readonly Verification[];
  /** Nothing was edited, cut or moved. */
  readonly intact: boolean;
  readonly at: number;
  readonly ms: number;
}

/** What the rules of now say of a past call. */
export interface JudgedNow {
  readonly verdict: "allow" | "ask" | "deny";
  /** In the order they are asked. */
  readonly gates: readonly GateWord[];
}
export interface GateWord {
  readonly gate: string;
  readonly said: "pass" | "ask" | "deny" | "off" | "not asked";
  readonly rule?: string;
  readonly why?: string;
}

/** Agents, MCP and ACP servers that run now, whoever started them. */
export interface LiveSource {
  runs(): readonly LiveRun[];
  /** Those that wait for an answer, the oldest first: of running processes and those left for later. */
  questions(): Promise<readonly LiveQuestion[]>;
  /** Of two answers the first counts; who comes second is told so. */
  answer(callId: string, answer: { readonly answer: Answer; readonly by: string; readonly reason?: string }): Promise<LiveAnswered>;
  /** Called when runs or questions have changed. Returns a function that ends this. */
  follow(listener: () => void): () => void;
}

export interface LiveRun {
  readonly pid: number;
  readonly kind: string;
  readonly workspace: string;
  readonly since: number;
  readonly model?: string;
  readonly conversation?: string;
  /** Calls under way. */
  readonly calls: readonly { readonly callId: string; readonly tool: string; readonly args: unknown; readonly since: number }[];
}

export interface LiveQuestion {
  readonly callId: string;
  readonly workspace: string;
  readonly since: number;
  readonly question: Question;
  /** The process that asks; absent where the question was left for later. */
  readonly pid?: number;
  /** The command that alone answers it: the call is made with the answer, and no page makes calls. */
  readonly onlyWith?: string;
  readonly model?: string;
  readonly title?: string;
}

export type LiveAnswered = { readonly counts: true; readonly message: string } | { readonly counts: false; readonly why: string };

/** The rules, and what others would have decided about the past. Nothing is ever written. */
export interface RulesSource {
  gates(): Promise<readonly { readonly gate: string; readonly state: string; readonly asked: number; readonly denied: number }[]>;
  /** Judges the log by the rules of now and by those with this TOML added, and tells where the two differ. */
  tryRules(toml: string, signal: AbortSignal): Promise<TriedRules | { readonly problem: string }>;
}
export interface TriedRules {
  readonly calls: number;
  readonly same: number;
  readonly notComparable: Readonly<Record<string, number>>;
  /** Equal calls together, the most frequent first. */
  readonly changed: readonly TriedCall[];
  readonly ms: number;
}
export interface TriedCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: unknown;
  readonly times: number;
  readonly was: string;
  readonly would: string;
  readonly gate?: string;
  readonly rule?: string;
}

/** Whole outputs that were too long to show. */
export interface KeptSource {
  list(filter: { readonly text?: string; readonly limit: number }): Promise<readonly KeptText[]>;
  totals(): Promise<{ readonly texts: number; readonly chars: number }>;
  text(id: string): Promise<{ readonly entry: KeptText; readonly text: string } | null>;
}

/** What was said, without secrets. */
export interface ConversationsSource {
  list(limit: number): Promise<readonly Conversation[]>;
  get(id: string): Promise<Conversation | null>;
  messages(id: string, window: { readonly after: number; readonly limit: number }): Promise<readonly StoredMessage[]>;
}
