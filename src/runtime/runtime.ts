import type { IntendedCall } from "../agent/order.ts";
import type { Confirm, ZephEvent } from "../core/event.ts";
import type { Facets } from "../core/facets.ts";
import type { Outcome } from "../core/layer.ts";
import type { Editor } from "../core/ports/editor.ts";
import type { Elicit } from "../core/ports/elicitation.ts";
import type { Host } from "../core/ports/host.ts";
import type { Message, ToolSpec } from "../core/ports/model.ts";
import type { Tracing } from "../core/ports/span.ts";
import type { Conversation, Store, TrustRecords } from "../core/ports/store.ts";
import type { WallReach } from "../core/ports/walls.ts";
import type { Wires } from "../core/ports/web.ts";
import type { ToolRequest } from "../core/request.ts";
import type { Caller, OpenSession } from "../core/session.ts";
import type { Effect, Toolset } from "../core/tool.ts";
import type { Session, TurnContext } from "../core/turn.ts";
import type { CommandEgressParts } from "../host/egress/command-egress.ts";
import type { Background, CompletedRun } from "../host/shell/background.ts";
import type { judge } from "../pipeline/run.ts";
import type { AuditFile } from "../store/audit/audit-file.ts";
import type { Chosen, Parts } from "./agent/features.ts";
import type { LentModel } from "./agent/lent-model.ts";
import type { AiSdkTool } from "./ai-sdk-tools.ts";
import type { Counts } from "./answers.ts";
import type { Governance } from "./governance/governance.ts";
import type { Mcp } from "./mcp.ts";
import type { Rejudge } from "./replay/rejudge.ts";
import type { StartConfig } from "./rules/live-config.ts";
import type { Tested } from "./rules/rulebook-test.ts";

export interface RuntimeOptions {
  /** The workspace. Default: where the process runs. */
  readonly cwd?: string;
  /** An object is the whole configuration: no file and no variable is read. A string is a file read in place of the user's. */
  readonly config?: object | string;
  /** Settings as `key=value`; they win over everything. */
  readonly set?: readonly string[];
  /** Puts a question to a person. Without it a call that needs a yes fails with confirmation_required; null says that nobody answered, `unasked` why nobody was asked. `by` names who did, where that is not always `confirmedBy`. */
  readonly confirm?: Confirm;
  /** The person behind `confirm`, as the audit log names them. */
  readonly confirmedBy?: string;
  /** "memory" keeps nothing; a path is the SQLite file. */
  readonly store?: "memory" | (string & {});
  /** The machine the tools act on, in place of this one. Every act needs a permit of the same door. */
  readonly host?: Host;
  readonly toolsets?: readonly Toolset[];
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
  readonly log?: (path: string) => AuditFile;
  readonly trust?: TrustRecords;
  /** A store that is open already and stays open: many runtimes of one process share it. */
  readonly shared?: Store;
  /** Another runtime of this process may work in the folder above the workspace. */
  readonly nested?: true;
  /** DNS, sockets and registries for what commands want to reach, in place of this machine's. */
  readonly egress?: Pick<CommandEgressParts, "wires" | "registries" | "limits">;
}

export interface CallOptions extends Caller {
  readonly signal?: AbortSignal;
}

export interface Judgement extends Awaited<ReturnType<typeof judge>> {}

export interface ToolInfo extends ToolSpec {
  readonly effect: Effect;
}

export interface Zeph {
  readonly session: Session;
  readonly warnings: readonly string[];
  /** Never throws: whatever goes wrong is an outcome. */
  call(tool: string, args: unknown, options?: CallOptions): Promise<Outcome>;
  /** Runs a command on a copy of the workspace, behind the walls, and shows the diff it would make. Nothing is kept. */
  dryRun(command: string, options?: CallOptions): Promise<Outcome>;
  /** What the gates decide about a call, and why. Changes nothing. Throws a ToolError for an unknown tool or bad input. */
  judge(tool: string, args: unknown, options?: Caller): Promise<Judgement>;
  /** The tools a model would be shown. */
  tools(): readonly ToolInfo[];
  /** The same as `tools` for `generateText` and `streamText` of the AI SDK (6). Ask again after a toolset came or went. */
  toAiSdkTools(): Record<string, AiSdkTool>;
  turn<T>(work: () => Promise<T>): Promise<T>;
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
  close(): Promise<void>;
}

/** What an agent needs of a runtime besides calls. It stays inside the package. */
export interface RuntimeInternals {
  readonly zeph: Zeph;
  readonly config: StartConfig;
  /** The configuration was given as an object, so it is all there is. */
  readonly isWhole: boolean;
  readonly store: Store;
  readonly session: OpenSession;
  readonly cwd: string;
  readonly home: string;
  readonly tracing: Tracing;
  readonly background: Background;
  /** What the agent knows and sees. */
  readonly parts: Parts;
  readonly catalogue: Chosen["catalogue"];
  /** From now on there is a model behind the tools. */
  lend(mind: LentModel): void;
  readonly warn: (message: string) => void;
  readonly redact: (text: string) => string;
  /** A key of our own that must never be shown. */
  readonly hide: (value: string) => void;
  /** What the tool of this name is; of no tool, what is assumed of any. */
  facets(name: string): Facets;
  /** A model's request, through the door like any other. Never throws. */
  call(request: ToolRequest, turn: TurnContext, signal: AbortSignal): Promise<Outcome>;
  intended(request: ToolRequest, turn: TurnContext): IntendedCall;
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
  /** What a background command printed, as a model reads it. */
  shown(completion: CompletedRun, turn: TurnContext): Promise<string>;
}
