import type { IntendedCall } from "../agent/order.ts";
import type { ConfigFile } from "../config/read.ts";
import type { Answered, Confirm, ZephEvent } from "../core/event.ts";
import type { Facets } from "../core/facets.ts";
import type { OwnGate } from "../core/gate/own-gate.ts";
import type { Opinion } from "../core/gate/verdict.ts";
import type { ConfigInput } from "../core/inputs/config-input.ts";
import type { ToolInputs } from "../core/inputs/tool-inputs.ts";
import type { RehearsedResult, ToolResults } from "../core/inputs/tool-results.ts";
import type { Outcome } from "../core/layer.ts";
import type { AuditSink } from "../core/ports/audit.ts";
import type { Editor } from "../core/ports/editor.ts";
import type { Elicit } from "../core/ports/elicitation.ts";
import type { PersonQuota, PolicySource } from "../core/ports/fleet/govern.ts";
import type { HeldSession } from "../core/ports/fleet/session.ts";
import type { Message, ToolSpec } from "../core/ports/model.ts";
import type { OpenQuestion } from "../core/ports/open-questions.ts";
import type { OwnHost } from "../core/ports/own-host.ts";
import type { TurnUndo } from "../core/ports/preimage.ts";
import type { Tracing } from "../core/ports/span.ts";
import type { Conversation, Store, TrustRecords } from "../core/ports/store.ts";
import type { WallReach, Walls } from "../core/ports/walls.ts";
import type { Wires } from "../core/ports/web.ts";
import type { ToolRequest } from "../core/request.ts";
import type { InputOf } from "../core/schema/schema.ts";
import type { Caller, OpenSession } from "../core/session.ts";
import type { AnyTool, CallContext, Effect, Tool, Toolset } from "../core/tool.ts";
import type { Touch } from "../core/touch.ts";
import type { Session, TurnContext } from "../core/turn.ts";
import type { OutputFilter } from "../filters/output.ts";
import type { AuditShipping } from "../fleet/audit/shipping.ts";
import type { CommandEgressParts } from "../host/egress/command-egress.ts";
import type { ReadBytes } from "../host/files/read-bytes.ts";
import type { Background, CompletedRun } from "../host/shell/background.ts";
import type { ClientCallEnd, ClientDecision } from "../pipeline/client-calls.ts";
import type { AuditFile } from "../store/audit/audit-file.ts";
import type { Chosen, Parts } from "./agent/features.ts";
import type { LentModel } from "./agent/lent-model.ts";
import type { AiSdkTool, AiSdkToolOptions } from "./ai-sdk-tools.ts";
import type { Counts } from "./answers.ts";
import type { AgentScopes } from "./callers/agent-scopes.ts";
import type { CallerOptions, CallerView } from "./callers/caller-view.ts";
import type { EgressCounts } from "./events/egress-counts.ts";
import type { Governance } from "./governance/governance.ts";
import type { DecideOptions } from "./hook/client-decisions.ts";
import type { LiveOptions, LiveSide } from "./live/live-side.ts";
import type { Mcp } from "./mcp.ts";
import type { Rejudge } from "./replay/rejudge.ts";
import type { LiveConfig, StartConfig } from "./rules/live-config.ts";
import type { Reloader } from "./rules/reload.ts";
import type { Tested } from "./rules/rulebook-test.ts";
import type { RuntimeMemory } from "./sessions/runtime-memory.ts";
import type { SessionKeeper } from "./sessions/session-keeper.ts";

/** What `createRuntime` takes. Every option may be left out. */
export interface RuntimeOptions {
  /** The workspace. Default: where the process runs. */
  readonly cwd?: string;
  /** An object is the whole configuration: no file and no variable is read. A string is a file read in place of the user's. */
  readonly config?: ConfigInput | string;
  /** Settings as `key=value`; they win over everything. */
  readonly set?: readonly string[];
  /** Puts a question to a person. Without it a call that needs a yes fails with confirmation_required; null says that nobody answered, `unasked` why nobody was asked, "later" that `answer` will take the answer. `by` names who answered, where that is not always `confirmedBy`; the model reads the `reason`. */
  readonly confirm?: Confirm;
  /** The person behind `confirm`, as the audit log names them. */
  readonly confirmedBy?: string;
  /**
   * "memory" keeps nothing; a path is the SQLite file; `postgres://user@host/database` is a database that machines share. Or a store of your own (experimental: the port may change), which you
   * open and close.
   */
  readonly store?: "memory" | (string & {}) | Store;
  /** The machine the tools act on, in place of this one (experimental: the port may change). Paths are judged and looked up there; what it cannot do is refused. */
  readonly host?: OwnHost;
  readonly toolsets?: readonly Toolset[];
  /** Receives each line of the audit log after it was written. It can stop nothing, unless it says that it is required. */
  readonly audit?: AuditSink;
  /** Gates of your own: asked after all of Zeph's about every call, and able only to ask or to deny. */
  readonly gates?: readonly OwnGate[];
  /** An editor that lends its buffers and its terminal to the tools of this machine. */
  readonly editor?: Editor;
  /** When to connect to MCP servers whose tools are not known yet. `met`, the default: before the runtime is returned. `later`: with `zeph.mcp.meet()` or a call of one of their tools. */
  readonly servers?: "met" | "later";
  /** Puts a question of an MCP server to the person. Without it such a question is not answered. */
  readonly elicit?: Elicit;
  /** DNS and sockets for `fetch` and `web_scrape`, in place of this machine's. They are used only for addresses that are allowed. */
  readonly web?: Partial<Wires>;
  readonly onEvent?: (event: ZephEvent) => void;
  /** Reads the rules again whenever the configuration's files change. Default: no. */
  readonly watch?: boolean;
}

/** For judging what is past: nothing is written down, and what a person vouched for is read from another store. And for many runtimes at once. */
export interface OpenOptions extends RuntimeOptions {
  /** Settings that are only tried, over those of all files. */
  readonly tried?: ConfigFile;
  readonly log?: (path: string) => AuditFile;
  readonly trust?: TrustRecords;
  /** A store that is open already and stays open: many runtimes of one process share it. */
  readonly shared?: Store;
  /** Where the lines of the audit log are copied to. Null: nowhere. Default: what the configuration says of `store.url` and `audit.ship`. */
  readonly ship?: AuditShipping | null;
  /** Another runtime of this process may work in the folder above the workspace. */
  readonly nested?: true;
  /** The runtime of the workspace around this one: what toolsets and servers bring to it is here, too. */
  readonly above?: { brought(): readonly Toolset[]; onChanged(listener: () => void): () => void };
  /** The session is one of a fleet's, and this process holds it. */
  readonly held?: HeldSession;
  /** DNS, sockets and registries for what commands want to reach, in place of this machine's. */
  readonly egress?: Pick<CommandEgressParts, "wires" | "registries" | "limits">;
  /** What a runtime of the same folder remembers, which this one takes the place of. */
  readonly memory?: RuntimeMemory;
  /** The fleet that the runtime is part of. */
  readonly fleet?: FleetSide;
  /** Other processes of this user see the runtime, and may answer its questions. Absent: none does. */
  readonly live?: LiveOptions;
}

/** How a fleet governs a runtime. */
export interface FleetSide {
  /** Rules of all runtimes: a second source besides the files. */
  readonly policy?: PolicySource;
  /** What the person behind the runtime may use. */
  readonly quota?: PersonQuota;
  /** The repository that the workspace is of: the policy may vouch for it. */
  readonly repo?: string;
}

/** Who calls, and what stops the call. */
export interface CallOptions extends Caller {
  readonly signal?: AbortSignal;
  /** The id under which your loop knows the call: it stands in the question and in the audit log. */
  readonly requestId?: string;
  /** Puts the questions of this call, in place of the runtime's own `confirm`. */
  readonly confirm?: Confirm;
}

/** What the gates would decide about a call, and why. */
export interface Judgement {
  readonly verdict: "allow" | "ask" | "deny";
  /** The first gate that objected, and its rule; null when none did. */
  readonly gate: string | null;
  readonly rule: string | null;
  /** Every objection, in words. */
  readonly why: string | null;
  readonly touches: readonly Touch[];
  /** What each gate said, in their order. */
  readonly trace: readonly Opinion[];
}

/** A tool as a model is shown it. */
export interface ToolInfo extends ToolSpec {
  readonly effect: Effect;
}

/** What a tool takes, by its name or by the tool itself. */
export type ArgsOf<T> = T extends keyof ToolInputs ? ToolInputs[T] : T extends Tool<infer S> ? InputOf<S> : never;

/** The type of `output.raw` of a tool, by its name or by the tool itself. */
export type ResultOf<T> = T extends keyof ToolResults ? ToolResults[T] : T extends Tool<any, infer Raw> ? Raw : unknown;

/** A runtime: tools behind a door, with rules, walls and an audit log. */
export interface Zeph {
  readonly session: Session;
  readonly warnings: readonly string[];
  /** Calls one of Zeph's own tools by its name, or a tool of the program's own by the tool itself. Never throws: whatever goes wrong is an outcome. */
  call<T extends keyof ToolInputs | AnyTool>(tool: T, args: ArgsOf<T>, options?: CallOptions): Promise<Outcome<ResultOf<T>>>;
  /** The same for a name that is only known when the program runs: what a model asks for, a tool of an MCP server. */
  callAny(tool: string, args: unknown, options?: CallOptions): Promise<Outcome>;
  /** Runs a command on a copy of the workspace, behind the walls, and shows the diff it would make. Nothing is kept. */
  dryRun(command: string, options?: CallOptions): Promise<Outcome<RehearsedResult>>;
  /**
   * Answers a question that was left for later, in this process or another one: a yes makes the call, after it was judged again. What has changed
   * since the question was shown is not covered. Never throws.
   */
  answer(callId: string, answer: Answered, options?: Pick<CallOptions, "signal" | "rights" | "trust">): Promise<Outcome>;
  /** The questions of this workspace that wait for an answer, the oldest first. */
  openQuestions(): Promise<readonly OpenQuestion[]>;
  /** What the gates decide about a call, and why. Changes nothing. Throws a ToolError for an unknown tool or bad input. */
  judge(tool: string, args: unknown, options?: Caller): Promise<Judgement>;
  /**
   * The same about a call that somebody else runs, such as the agent that Zeph is a hook of. With `record` it is written down, whoever has to be consulted is, and the call
   * counts. Rejects when the line cannot be written: then the call must not be made.
   */
  decide(tool: string, args: unknown, options?: DecideOptions): Promise<ClientDecision>;
  /** Says how such a call ended, with the same tool, arguments and options: gates that remember are told, and a second line is written. */
  settle(tool: string, args: unknown, ended: ClientCallEnd, options?: DecideOptions): Promise<void>;
  /** The tools a model would be shown. */
  tools(): readonly ToolInfo[];
  /** The same as `tools` for `generateText` and `streamText` of the AI SDK (6). Ask again after a toolset came or went. */
  toAiSdkTools(options?: AiSdkToolOptions): Record<string, AiSdkTool>;
  turn<T>(work: () => Promise<T>): Promise<T>;
  /** The runtime as one of several callers has it: grants, quota, trajectory, cache and events are its own, everything else is shared. */
  as(caller: CallerOptions): CallerView;
  addToolset(toolset: Toolset): () => void;
  /** The listener is called after tools came or went, or the rules about them changed. Returns a function that ends this. */
  onToolsChanged(listener: () => void): () => void;
  /** Background commands that ended since this was last asked. Each is handed over once. */
  takeCompletions(): readonly CompletedRun[];
  /** Adds commands that are never run to those of the configuration, from the next call on. A second call replaces what the first one added. */
  blockCommands(names: readonly string[]): void;
  /** The text without its secrets. Everything is stored like this. */
  redact(text: string): string;
  /** What a command could do behind its walls, if it ran. Null where commands run on another machine. */
  reach(options?: Caller): Promise<WallReach | null>;
  /** The rules: how each gate is set, and what a person may change. */
  readonly governance: Governance;
  /** The MCP servers, and what a person may change. */
  readonly mcp: Mcp;
  /** What was counted since the start. */
  stats(): Counts;
  /** Resets quota, cache and session grants. Audit and trust stay. */
  clear(): void;
  /** Waits for calls under way, ends background commands, closes log and store. */
  close(): Promise<void>;
  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What an agent needs of a runtime besides calls. It stays inside the package. */
export interface RuntimeInternals {
  readonly zeph: Zeph;
  /** What other processes see of the runtime. */
  readonly live: LiveSide;
  /** The agents over this runtime, besides the one that opened it. */
  readonly scopes: AgentScopes;
  /** Who puts questions where an agent has nobody of its own. */
  readonly confirm: Confirm | undefined;
  readonly openCatalogue: Chosen["openCatalogue"];
  readonly config: StartConfig;
  /** Reads rules again whose files changed since the last time. Says whether some of them wait for another runtime. */
  refresh: Reloader["refresh"];
  /** The settings in force now. */
  liveConfig(): LiveConfig;
  /** The configuration was given as an object, so it is all there is. */
  readonly isWhole: boolean;
  readonly store: Store;
  readonly session: OpenSession;
  /** Keeps what gates remember of clients' sessions. */
  readonly sessions: SessionKeeper;
  /** False from the moment it is closed. */
  isOpen(): boolean;
  readonly cwd: string;
  readonly home: string;
  /** The walls around commands. Found out once. */
  walls(): Promise<Walls>;
  readonly tracing: Tracing;
  readonly background: Background;
  /** Reads a file within the rules for files; null where files are read elsewhere. */
  readonly readBytes: ReadBytes | null;
  /** Takes back what turns changed in files; null where nothing is kept of them. */
  readonly undoing: TurnUndo | null;
  /** What one caller sent to other machines. */
  egress(caller: string): EgressCounts;
  /** What the agent knows and sees. */
  readonly parts: Parts;
  readonly catalogue: Chosen["catalogue"];
  /** From now on there is a model behind the tools. */
  lend(mind: LentModel): void;
  readonly warn: (message: string) => void;
  /** Writes a line about an act of the person, or about upkeep (`autonomous`), to the audit log. Throws when it cannot be written. */
  note(text: string, phase?: "autonomous"): void;
  readonly redact: (text: string) => string;
  /** A key of our own that must never be shown. */
  readonly hide: (value: string) => void;
  /** What the tool of this name is; of no tool, what is assumed of any. */
  facets(name: string): Facets;
  /** A model's request, through the door like any other. Never throws. */
  call(request: ToolRequest, ctx: CallContext): Promise<Outcome>;
  /** Makes the call of a question that was left for later, and says under which id its loop knows it. Throws a ConversationError where no such question is open. */
  answer(callId: string, answer: Answered, ctx: CallContext): Promise<{ readonly outcome: Outcome; readonly requestId: string }>;
  intended(request: ToolRequest, turn: TurnContext): IntendedCall;
  /** Where the turn's shell stands; null for the workspace itself. */
  standing(turn: TurnContext): string | null;
  /** Runs the examples beside the rules of a file: of rules, or a whole configuration. Throws a ConfigError when it is malformed. */
  examples(path: string): Promise<Tested>;
  /** Judges past calls by the rules of now, as a session of its own that remembers nothing yet. */
  bench(): Promise<Rejudge>;
  /** What was said in a conversation: a model may go to addresses it was given, and whose instructions it has read counts. */
  heard(conversation: string, message: Message): Promise<void>;
  /** A model is told what nobody vouched for: `what` names it to the person. */
  readStranger(conversation: string, what: string): void;
  /** What a model is told besides: it names things, and no address one may go to. */
  known(conversation: string, text: string): void;
  /** A conversation is opened again: the marks it has count on. */
  recall(conversation: Conversation): void;
  /** What shortens the output of commands. */
  outputFilter(): Promise<OutputFilter>;
  /** What a background command printed, as a model reads it. */
  shown(completion: CompletedRun, turn: TurnContext): Promise<string>;
}
