/** How far a caller, a skill or a server is believed. */
export type Trust = "untrusted" | "provisional" | "trusted";

/** Where in the agent's work a call comes from: before a model answered (a person's own call), asked by it, checking, or our own upkeep. */
export type Phase = "planner" | "executor" | "verifier" | "autonomous";

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
  readonly timestampMs: number;
  /** What has come into the conversation, or the turn where there is none. It is never taken back. */
  readonly seen: TaintMarks;
}

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
