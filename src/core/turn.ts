/** How far a caller, a skill or a server is believed. */
export type Trust = "untrusted" | "provisional" | "trusted";

/**
 * Where in the agent's work a call comes from: before a model answered (a person's own call), asked by it, a check that a tool starts by itself, or the
 * upkeep of the context.
 */
export type Phase = "planner" | "executor" | "verifier" | "autonomous";

/** A call of a person's own. Every other phase comes from a model or from the runtime on its behalf, and each gate judges it as a model's. */
export const isPersons = ({ phase }: Pick<TurnContext, "phase">): boolean => phase === "planner";

/** One answer of the agent, or one `zeph.turn()`. Working state is dropped when it ends. */
export interface TurnContext {
  readonly sessionId: string;
  readonly turnId: string;
  readonly phase: Phase;
  readonly trust: Trust;
  readonly callerId?: string;
  /** The caller's id is that of a session of the person's own, in an editor or an MCP client: it names nobody else. */
  readonly front?: true;
  /** The stored conversation the turn belongs to, where there is one. */
  readonly conversationId?: string;
  readonly goalId?: string;
  readonly skillName?: string;
  /** Nobody is there to be asked, and what a person allowed elsewhere does not count. */
  readonly unattended?: true;
  /** The person typed the command: where it ends, later turns start. */
  readonly typed?: true;
  /** The client in front of the session puts each call to its person: `zeph mcp --asked-by-client`. */
  readonly asks?: "the client";
  /** What the caller may do, where that is not what the runtime's own rules say alone. */
  readonly rights?: CallerRights;
  /** Which of several agents over one runtime calls. */
  readonly agent?: string;
  /** The call is one of another agent's own: it runs it itself, and only asks whether it may. */
  readonly client?: ClientSide;
  readonly timestampMs: number;
  /** What has come into the conversation, or the turn where there is none. It is never taken back. */
  readonly seen: TaintMarks;
}

/** One of several callers of a runtime: what it may do, and by whose name its calls, answers and text are remembered. */
export interface CallerRights {
  readonly id: string;
  /** Rules by tool, besides those of the configuration: they may allow what is asked about there, and lift no denial. */
  readonly permissions?: Readonly<Record<string, readonly CallerRule[]>>;
  /** Most calls of this caller. */
  readonly quota?: number;
  /** The limit that the caller has used up: nothing more is let in. */
  readonly spent?: string;
}

/** Another agent whose own calls are judged here. What Zeph would hold by walls or ask about by itself may be the agent's to hold or to ask. */
export interface ClientSide {
  /** Such as `claude`. */
  readonly name: string;
  /** Its own session: what gates remember is remembered of this. */
  readonly session: string;
  /** Whether walls of ours will stand around what it runs. */
  readonly walls: "ours" | "none";
  /** What no rule speaks of: left to the rules and questions of the client, or asked about as of any other caller. */
  readonly unruled: "left to it" | "asked about";
}

/** A rule of one caller about one tool. The first that fits counts. */
export interface CallerRule {
  readonly pattern: string;
  readonly action: "allow" | "ask" | "deny";
}

/** Whose memory a call belongs to, where gates and caches remember: a conversation's, a caller's with rights of its own; null for the session's. */
export const memoryOwner = ({ conversationId, rights }: Pick<TurnContext, "conversationId" | "rights">): string | null =>
  conversationId ?? (rights ? `caller ${rights.id}` : null);

/** Whose a background command is: an agent's among several, a caller's with rights of its own; null for whoever opened the runtime. */
export const runOwner = ({ agent, rights }: Pick<TurnContext, "agent" | "rights">): string | null =>
  agent ?? (rights ? `caller ${rights.id}` : null);

/**
 * What conversations, memories and tasks of a turn are stored under: the workspace, and apart from it for a caller with rights of its own. No folder
 * has such a name.
 */
export const storedUnder = (workspace: string, { rights }: Pick<TurnContext, "rights">): string =>
  rights ? `caller ${JSON.stringify(rights.id)} in ${workspace}` : workspace;

/** Marks for the gates: once a model has read what a stranger wrote, it may speak for the stranger. */
export interface TaintMarks {
  untrusted: boolean;
  /** Of the skills whose text a model has read, the one that is believed least. */
  skill?: Bound;
}

/** Somebody who is not believed in full, and how far they are. */
export interface Bound {
  readonly name: string;
  readonly trust: Trust;
}

/** One runtime's life. The nonce marks what Zeph itself says in an output, so that a file cannot forge it. */
export interface Session {
  readonly id: string;
  readonly nonce: string;
}
