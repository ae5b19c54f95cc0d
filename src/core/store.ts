import type { Message } from "./model.ts";

/** What is kept between runs. One suite of tests holds for every database. */
export interface Store {
  readonly conversations: Conversations;
  readonly trust: TrustRecords;
  readonly anchors: Anchors;
  readonly overflow: Overflow;
  readonly reputation: Reputation;
  close(): Promise<void>;
}

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
}
export interface Counted {
  readonly tokens: number;
  readonly position: number;
}

/** A transcript is a window over the store: append, then read back a range. */
export interface Conversations {
  create(workspace: string, title: string): Promise<Conversation>;
  get(id: string): Promise<Conversation | null>;
  /** Newest first. */
  list(filter: { readonly workspace?: string; readonly limit: number }): Promise<readonly Conversation[]>;
  /** Returns the position of the last message. Going on from `after` is refused unless that was the last position: nobody else has gone on meanwhile. */
  append(id: string, messages: readonly Message[], from?: { readonly after: number; readonly counted: Counted }): Promise<number>;
  /** `after` is a position; positions count from 1. */
  messages(id: string, window: { readonly after: number; readonly limit: number }): Promise<readonly StoredMessage[]>;
  /** What a model is shown from now on. */
  startWindow(id: string, window: { readonly start: number; readonly elidedUntil: number; readonly counted: Counted }): Promise<void>;
  /** Everything that belongs to the conversation goes with it. */
  delete(id: string): Promise<boolean>;
}
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

/** How long each audit file was and how it ended, so that a cut tail is found. Synchronous: it is written with every audit line. */
export interface Anchors {
  get(file: string): Anchor | null;
  set(file: string, anchor: Anchor): void;
  /** Every file that has an anchor, so that a log that was deleted whole is missed. */
  files(): readonly string[];
}
export interface Anchor {
  /** Lines in the file. */
  readonly count: number;
  /** SHA-256 of the last line, in hex. */
  readonly hash: string;
  /** Bytes in the file, so that opening it need not read it all. */
  readonly size: number;
}

/** How often a model's calls were well written: right or wrong by their form, not by what came of them. */
export interface Reputation {
  add(model: string, calls: Calls): Promise<void>;
  get(model: string): Promise<Calls>;
}
export interface Calls {
  readonly good: number;
  readonly bad: number;
}

/** Texts too long to show, and what was left out of a shortened one. They are kept for a while and then expire. */
export interface Overflow {
  /** Keeps a text as it is and returns its id. With a handle n it is also found as `raw#n`. */
  put(entry: { readonly owner: Owner; readonly text: string; readonly handle?: number }): Promise<string>;
  /** By id or `raw#n`, and only what belongs to this owner. Of two texts with one handle the newer. */
  get(owner: Owner, id: string): Promise<Kept | null>;
  /** The largest n of an owner's `raw#n`; 0 when there is none. */
  lastHandle(owner: Owner): Promise<number>;
  /** The same whoever owns it: for the person at the command line, never for a model. */
  find(id: string): Promise<Kept | null>;
  newest(): Promise<Kept | null>;
  /** Forgets what was kept before this moment and returns how many texts that were. */
  expire(before: number): Promise<number>;
}
/** Whom a kept text belongs to: a stored conversation, with which it is deleted, or a session nobody stores. */
export type Owner = { readonly conversation: string } | { readonly session: string };
export interface Kept {
  readonly id: string;
  readonly handle: number | null;
  readonly text: string;
  readonly createdAt: number;
}
