import type { ClaimSource } from "../claim.ts";
import type { Category } from "../error.ts";
import type { EarlierAnswer, NotedObjection } from "../gate/verdict.ts";
import type { Phase, Trust } from "../turn.ts";

/** One line of the audit log, before the log adds its chain. Absent fields are left out, never null. */
export interface AuditEntry {
  /** `intent` is written before a call that may change something; `call` when it ended; `egress` for each request that went out or was held back; `note` for the log's own events. A call that another agent runs has a `call` when it was judged and a `settled` when it ended. */
  readonly kind: "intent" | "call" | "settled" | "egress" | "note";
  readonly ts: string;
  readonly call_id?: string;
  /** The id under which the loop that called knows the call. */
  readonly request_id?: string;
  readonly session_id?: string;
  readonly turn_id?: string;
  readonly tool?: string;
  readonly args?: unknown;
  /** Who brought the tool, where it is not one of Zeph's own. */
  readonly toolset?: string;
  readonly outcome?: "ok" | "denied" | "unanswered" | "failed";
  readonly error_category?: Category;
  readonly error?: string;
  readonly trust?: Trust;
  readonly approved_by?: string;
  /** It passed because of an earlier answer: one for the session, for all edits of the session, or for good; `client`: because the client in front of it asks (`zeph mcp --asked-by-client`). */
  readonly grant?: EarlierAnswer;
  readonly refused_by?: string;
  /** Why, in the words of the person who answered. */
  readonly reason?: string;
  /** The question about the call is open: its answer comes later. */
  readonly waiting?: boolean;
  readonly gate?: string;
  readonly rule?: string;
  /** Everything that gates had against the call, in the order they were asked; left out where that is one thing or none. */
  readonly objections?: readonly NotedObjection[];
  /** The reason, where `error`, which a model may have read, does not give it. */
  readonly why?: string;
  readonly phase?: Phase;
  /** Which policy rule spoke. */
  readonly policy_match?: string;
  /** The version of the fleet's policy that the rules were read below when the line's call began. */
  readonly policy_version?: number;
  readonly claim_source?: ClaimSource;
  readonly adversarial_policy_decision?: string;
  /** What a model may have made up. */
  readonly suspect?: string;
  /** Under which system user commands run, and under which scope; only with `tools.scope`. */
  readonly user?: string;
  readonly scope?: string;
  /** Where the call was made: the folder its paths are meant from. */
  readonly cwd?: string;
  readonly duration_ms?: number;
  readonly exit_code?: number;
  readonly truncated?: boolean;
  /** How many bytes a command printed. */
  readonly stdout_bytes?: number;
  readonly stderr_bytes?: number;
  /** Images and recordings that came with the text: what they are, and never their bytes. */
  readonly media?: readonly LoggedMedia[];
  readonly filter?: string;
  readonly caller_id?: string;
  readonly goal_id?: string;
  readonly skill_name?: string;
  readonly sandbox?: string;
  /** Why no walls stood around a command that was run. */
  readonly without_walls?: string;
  /** What a wall probably had to do with a failure. */
  readonly hint?: string;
  readonly rollback?: string;
  /** Of an egress line: where to, with the values of secret parameters masked. */
  readonly url?: string;
  readonly host?: string;
  readonly address?: string;
  /** 0 is the first request, 1 the first redirect. */
  readonly hop?: number;
  readonly status?: number;
  readonly bytes?: number;
  /** Of a connection of a command: written once it is over. The name is its host. */
  readonly type?: "egress";
  readonly port?: number;
  /** Of a call of another agent: what was decided. */
  readonly verdict?: "ok" | "refused" | "allow" | "ask" | "deny";
  readonly sent?: number;
  readonly received?: number;
  readonly ms?: number;
  /** So many refused connections of a command to this name and port, besides those that have a line each. */
  readonly times?: number;
  /** Of a refused connection: `closed` by a rule or an answer, or open and `unreachable`. */
  readonly how?: "closed" | "unreachable";
  /** Why nothing was sent. */
  readonly blocked?: string;
  /** Why no whole answer came, though nothing held the request back. */
  readonly failed?: string;
  readonly note?: string;
  /** Of a call of another agent: the agent's own name of the tool, where that is another one. */
  readonly client_tool?: string;
  /** The agent was given another command in place of this one. */
  readonly rewritten?: boolean;
}

/** An image or a recording, as the log holds it. */
export interface LoggedMedia {
  readonly media_type: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Where audit lines go. Once a line is written it survives the death of the process; when it cannot be, the call fails. */
export interface AuditLog {
  /** Written when it returns. */
  append(entry: AuditEntry): void;
  /** Written when it resolves, together with the lines of other calls that end in the same turn of the loop. */
  record(entry: AuditEntry): Promise<void>;
}

/**
 * Where a program wants the lines besides the log: each one after it is written, in their order, without secrets as it stands there, frozen. It cannot
 * change the log or stop it. One that fails, or takes longer than ten seconds for a line, is told of in a warning; with `required`, calls fail then.
 */
export type AuditSink =
  | ((line: AuditEntry) => void | Promise<void>)
  | {
      write(line: AuditEntry): void | Promise<void>;
      /** Calls wait until their line is taken, and one whose intent is not taken is not made. Default: false. */
      readonly required?: boolean;
    };

/** What a person may ask of the log: the file we write and the ones other processes wrote beside it. */
export interface AuditReader {
  /** The last lines of all files, oldest first. */
  tail(count: number): Promise<AuditPage>;
  /** The lines written since a page was read. */
  since(page: AuditPage): Promise<AuditPage>;
  /** One answer for each file; none when there is no log at all. */
  verify(): Promise<readonly Verification[]>;
  stats(): Promise<AuditStats>;
}

/** Whole lines as they stand in the files, and how far each file has been read. */
export interface AuditPage {
  readonly lines: readonly string[];
  readonly ends: ReadonlyMap<string, number>;
}

/** What was found when an audit log was checked. */
export interface Verification {
  readonly file: string;
  readonly lines: number;
  readonly intact: boolean;
  /** Without an anchor a cut tail cannot be found. */
  readonly anchored: boolean;
  /** In the order of the file. Only the first hundred are kept. */
  readonly problems: readonly AuditProblem[];
  /** Worth knowing, and no harm. */
  readonly remarks: readonly string[];
  /** Lines a dying process left half written, before they were acknowledged. They speak of a crash, not of an edit. */
  readonly torn: readonly number[];
}

/** Something in an audit log that should not be there, or is missing. */
export interface AuditProblem {
  readonly line: number;
  /** `chain` is a line edited, removed, added or moved; `noted` was found and written into the log when it was opened. */
  readonly kind: "head" | "chain" | "garbled" | "tail" | "missing" | "noted";
  readonly reason: string;
}

/** Counts of calls that ended. Intents and the log's own notes are not calls. */
export interface AuditStats {
  readonly calls: number;
  readonly first: string | null;
  readonly last: string | null;
  readonly tools: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly errors: Readonly<Record<string, number>>;
  readonly gates: Readonly<Record<string, number>>;
  /** Milliseconds, to three digits. Null when no call has a duration. */
  readonly duration: { readonly p50: number; readonly p95: number } | null;
  /** Lines that are no audit entry. */
  readonly unreadable: number;
}
