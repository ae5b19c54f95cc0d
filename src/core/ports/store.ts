import type { Bound } from "../turn.ts";
import type { Anchors } from "./anchors.ts";
import type { Goal, GoalStatus, Task } from "./goal.ts";
import type { Message } from "./model.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { Overflow } from "./printed/overflow.ts";
import type { Savings } from "./printed/savings.ts";

/** What is kept between runs. One suite of tests holds for every database. Experimental: its parts may change with any version. */
export interface Store {
  readonly conversations: Conversations;
  readonly trust: TrustRecords;
  readonly anchors: Anchors;
  readonly overflow: Overflow;
  readonly reputation: Reputation;
  readonly memories: Memories;
  readonly summaries: Summaries;
  readonly goals: Goals;
  readonly schedule: Schedule;
  readonly trajectories: Trajectories;
  readonly pins: Pins;
  readonly strangerWrites: StrangerWrites;
  readonly openQuestions: OpenQuestions;
  readonly savings: Savings;
  readonly sessionMemory: SessionMemory;
  close(): Promise<void>;
}

/** A stored conversation, without its messages. */
export interface Conversation {
  readonly id: string;
  readonly workspace: string;
  readonly title: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** How many messages there are; also the position of the last. */
  readonly length: number;
  /** Messages up to this position are kept and no longer shown to a model. */
  readonly windowStart: number;
  /** Results of calls up to this position are kept and no longer shown. */
  readonly elidedUntil: number;
  /** What everything shown up to a position weighs, as far as somebody has counted. */
  readonly counted: Counted;
  /** What has come into it: it counts for as long as the conversation lasts. */
  readonly seen: Marks;
}
/** What has come into a conversation. */
export interface Marks {
  readonly untrusted: boolean;
  readonly skill?: Bound;
}
/** What was counted of a conversation, and up to where. */
export interface Counted {
  readonly tokens: number;
  readonly position: number;
}

/** A transcript is a window over the store: append, then read back a range. */
export interface Conversations {
  /** Its id may be chosen by whoever has told somebody of it already; otherwise it gets one. */
  create(workspace: string, title: string, id?: string): Promise<Conversation>;
  get(id: string): Promise<Conversation | null>;
  /** Newest first. */
  list(filter: { readonly workspace?: string; readonly limit: number }): Promise<readonly Conversation[]>;
  /** Returns the position of the last message. Going on from `after` is refused unless that was the last position: nobody else has gone on meanwhile. */
  append(id: string, messages: readonly Message[], from?: { readonly after: number; readonly counted: Counted }): Promise<number>;
  /** `after` is a position; positions count from 1. */
  messages(id: string, window: { readonly after: number; readonly limit: number }): Promise<readonly StoredMessage[]>;
  /** What a model is shown from now on. */
  startWindow(id: string, window: { readonly start: number; readonly elidedUntil: number; readonly counted: Counted }): Promise<void>;
  /** Marks are added to those it has; none is taken back. */
  mark(id: string, marks: Marks): Promise<void>;
  /** Everything that belongs to the conversation goes with it. */
  delete(id: string): Promise<boolean>;
}
/** A message and its place. */
export interface StoredMessage {
  readonly position: number;
  readonly message: Message;
}

/** Which folders, files or skills the person vouched for, each with the hash of what they saw. */
export interface TrustRecords {
  /** The hash recorded for this subject, null when there is none. Synchronous: config is loaded before anything else. */
  get(subject: string): string | null;
  set(subject: string, hash: string): Promise<void>;
  remove(subject: string): Promise<boolean>;
  list(): Promise<readonly { readonly subject: string; readonly hash: string; readonly since: number }[]>;
}

/** How often a model's calls were well written: right or wrong by their form, not by what came of them. */
export interface Reputation {
  add(model: string, calls: CallCounts): Promise<void>;
  get(model: string): Promise<CallCounts>;
}
/** How many calls were well written, and how many were not. */
export type CallCounts = { readonly good: number; readonly bad: number };

/** What was saved to be remembered, and what was said. Found by words and, where there are vectors, by meaning. */
export interface Memories {
  save(memory: NewMemory): Promise<Memory>;
  get(id: string): Promise<Memory | null>;
  /** Newest first. */
  list(filter: { readonly workspace?: string; readonly limit: number }): Promise<readonly Memory[]>;
  /** By id, or all of a workspace, or all. Returns how many were forgotten. */
  forget(which: { readonly id: string } | { readonly workspace: string } | "all"): Promise<number>;
  count(workspace?: string): Promise<number>;
  /** Best first. A row that cannot be read is left out and counted in `damaged`; the rest is found all the same. `notes` say what was not searched. */
  search(query: MemoryQuery): Promise<{ readonly hits: readonly Recalled[]; readonly damaged: number; readonly notes?: readonly string[] }>;
  /** Saved memories that have no vector of this embedder yet, oldest first. */
  withoutVector(embedder: string, limit: number): Promise<readonly Memory[]>;
  addVector(id: string, embedder: string, vector: Float32Array): Promise<void>;
}
/** Something to be remembered. */
export interface NewMemory {
  readonly content: string;
  /** Null is for everywhere. */
  readonly workspace: string | null;
  /** Saved after a stranger's text had been read, so it may be the stranger's. */
  readonly untrusted: boolean;
  readonly conversation?: string;
}
/** Something that is remembered. */
export interface Memory extends Omit<NewMemory, "conversation"> {
  readonly id: string;
  readonly createdAt: number;
}
/** What is looked for among memories and messages. */
export interface MemoryQuery {
  readonly text: string;
  /** What is for everywhere is found too. */
  readonly workspace: string;
  readonly limit: number;
  readonly vector?: { readonly embedder: string; readonly of: Float32Array };
  /** The conversation that asks: what its model is still sent is not worth finding. */
  readonly except?: string;
}
/** What a search of memories found. */
export type Recalled =
  | { readonly kind: "memory"; readonly memory: Memory; readonly score: number }
  | {
      readonly kind: "message";
      readonly conversation: string;
      readonly title: string;
      readonly position: number;
      readonly role: "user" | "assistant";
      /** The part of the message around what was found. */
      readonly excerpt: string;
      readonly createdAt: number;
      readonly score: number;
    };

/** What became of messages that were too many to send: each summary stands for those up to a position. They are added, never replaced. */
export interface Summaries {
  add(summary: Omit<Summary, "id" | "createdAt">): Promise<Summary>;
  /** Oldest first. */
  of(conversation: string): Promise<readonly Summary[]>;
}
/** What stands for messages that are no longer sent. */
export interface Summary {
  readonly id: string;
  readonly conversation: string;
  /** The last position it stands for. */
  readonly until: number;
  readonly text: string;
  /** What a window that begins in the middle of a turn begins with. */
  readonly opening: string;
  readonly method: CompactionMethod;
  readonly createdAt: number;
}
/** A full context, a person's /compact, or the model's own wish. */
export type CompactionMethod = "triggered" | "manual" | "autonomous";

/** Goals and their tasks. One of a workspace is active. */
export interface Goals {
  /** It becomes the active one of its workspace; the one before is paused. */
  create(goal: { readonly workspace: string; readonly text: string; readonly tasks: readonly Task[] }): Promise<Goal>;
  get(id: string): Promise<Goal | null>;
  active(workspace: string): Promise<Goal | null>;
  /** Newest first. */
  list(workspace: string, limit: number): Promise<readonly Goal[]>;
  /** To make one active pauses the other. False when there is none of that id. */
  setStatus(id: string, status: GoalStatus): Promise<boolean>;
  /** False when there is no such task. */
  setTask(id: string, n: number, change: Pick<Task, "status" | "note">): Promise<boolean>;
}

/** Tasks for later. Each is run by one process only, once for each time it is due. */
export interface Schedule {
  add(task: Pick<ScheduledTask, "workspace" | "task" | "when" | "cron" | "nextAt" | "untrusted" | "bound">): Promise<ScheduledTask>;
  get(id: string): Promise<ScheduledTask | null>;
  /** Soonest first; those that are over come last. */
  list(workspace?: string): Promise<readonly ScheduledTask[]>;
  remove(id: string): Promise<boolean>;
  /** Takes the task that has been due the longest: nobody else gets it. Its next time is what `next` says, null when it is over. */
  take(workspace: string, now: number, next: (task: ScheduledTask) => number | null): Promise<ScheduledTask | null>;
  ended(id: string, last: { readonly at: number; readonly ok: boolean; readonly conversation?: string }): Promise<void>;
  /** When the next one of a workspace is due; null when none is. */
  nextAt(workspace: string): Promise<number | null>;
}
/** A task for later. */
export interface ScheduledTask {
  readonly id: string;
  readonly workspace: string;
  /** What is to be done, in words. */
  readonly task: string;
  /** As it was asked for. */
  readonly when: string;
  /** A cron line for what comes again and again; null for what is done once. */
  readonly cron: string | null;
  readonly nextAt: number | null;
  /** Asked for after a stranger's text had been read. */
  readonly untrusted: boolean;
  /** Asked for by somebody who was not believed in full: it is done under their trust. */
  readonly bound: Bound | null;
  readonly createdAt: number;
  readonly last: { readonly at: number; readonly ok: boolean; readonly conversation?: string } | null;
}

/** How sequences of calls ended, so that one like it is known when it comes again. A bounded number; those that ended well go first. */
export interface Trajectories {
  /** One for each call: given again, it replaces what was there. One that ended well takes back errors that ended with the very same call. */
  add(trajectory: Omit<Trajectory, "id" | "createdAt">): Promise<Trajectory>;
  /** Those of a workspace that ended badly since a moment, newest first. */
  bad(workspace: string, since: number, limit: number): Promise<readonly Trajectory[]>;
  /**
   * A person's word about the sequence that ended with this call, or about the call alone wherever it comes. The call's id, or the
   * beginning of it. Null when there is none, or more than one.
   */
  judge(callId: string, ended: TrajectoryEnd, of: "sequence" | "call"): Promise<Trajectory | null>;
  count(workspace: string): Promise<Readonly<Record<TrajectoryEnd, number>>>;
  /** Forgets what was kept before this moment, and returns how many. */
  expire(before: number): Promise<number>;
}
/** `violation`: a rule refused the last call. `unacceptable`: a person said so. */
export type TrajectoryEnd = "ok" | "error" | "violation" | "unacceptable";
/** A sequence of calls, and how it ended. */
export interface Trajectory {
  readonly id: string;
  readonly workspace: string;
  /** The call it ended with. */
  readonly callId: string;
  /** The calls, oldest first, each as the words it was known by. Without secrets. */
  readonly steps: readonly (readonly string[])[];
  readonly ended: TrajectoryEnd;
  readonly createdAt: number;
}

/** What the tools of an MCP server were when they were agreed to. `server` names the server and what is behind the name: another program or address is another server. */
export interface Pins {
  /** By name of the tool. */
  of(server: string): Promise<readonly Pin[]>;
  /** Adds them, or replaces those of the same tools. */
  put(server: string, pins: readonly Omit<Pin, "since">[]): Promise<void>;
  /** Forgets these tools of a server, or all of them. Returns how many there were. */
  forget(server: string, tools?: readonly string[]): Promise<number>;
  /** Every server that has any. */
  servers(): Promise<readonly string[]>;
}
/** A definition of a tool that was agreed to. */
export interface Pin {
  readonly tool: string;
  /** SHA-256 of the definition in its canonical form, in hex. */
  readonly hash: string;
  /** The whole definition, as JSON. */
  readonly definition: string;
  readonly since: number;
}

/**
 * When models that had read a stranger's text made changes in a workspace. A file that was changed within such a span may hold the stranger's
 * words, whoever reads it later. Spans and not files: what a command writes is not known. Synchronous: it is asked while a call is let in.
 */
export interface StrangerWrites {
  /** Moments in milliseconds. */
  add(workspace: string, span: { readonly from: number; readonly until: number }): void;
  holds(workspace: string, at: number): boolean;
}

/**
 * What gates remember of the sessions of other agents on this machine: items with a name, each JSON. A version only rises, so that a process sees that
 * another one has written.
 */
export interface SessionMemory {
  /** Everything of one owner; null where the stored version is this one. Synchronous: it is asked before each call. Version 0 is that of nothing. */
  read(session: SessionKey, version: number): StoredSession | null;
  /**
   * All of it or nothing. Waits while another process writes. Returns for each change the new version; null, and nothing is written, where another process
   * has written since the version that a change names.
   */
  write(changes: readonly SessionChange[], at: number): Promise<readonly number[] | null>;
  /** Forgets what was last written before a moment. Returns how many owners that were. */
  expire(before: number): Promise<number>;
}
/** Whose memory, and in which workspace. */
export interface SessionKey {
  readonly workspace: string;
  readonly owner: string;
}
/** What is stored of one owner. */
export interface StoredSession {
  readonly version: number;
  readonly items: ReadonlyMap<string, string>;
}
/** Items to be stored and names of items to be removed. */
export interface SessionChange extends SessionKey {
  /** What was there when this was decided; without it this counts whatever is there. */
  readonly after?: number;
  readonly put: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}
