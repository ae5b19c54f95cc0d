/** Texts too long to show, and what was left out of a shortened one. They are kept for a while and then expire. */
export interface Overflow {
  /** Keeps a text as it is and returns its id. With a handle n it is also found as `raw#n`. */
  put(entry: NewKept): Promise<string>;
  /** By id or `raw#n`, and only what belongs to this owner. Of two texts with one handle the newer. */
  get(owner: Owner, id: string): Promise<Kept | null>;
  /** The largest n of an owner's `raw#n`; 0 when there is none. */
  lastHandle(owner: Owner): Promise<number>;
  /** The same whoever owns it: for the person at the command line, never for a model. */
  find(id: string): Promise<Kept | null>;
  newest(): Promise<Kept | null>;
  /** Newest first, whoever owns them, without the texts themselves: for the person. `text` is looked for as it is written, whatever its case. */
  list(filter: {
    readonly id?: string;
    readonly callId?: string;
    readonly text?: string;
    readonly limit: number;
  }): Promise<readonly KeptText[]>;
  totals(): Promise<{ readonly texts: number; readonly chars: number }>;
  /** Forgets what was kept before this moment and returns how many texts that were. */
  expire(before: number): Promise<number>;
}
/** A text to be kept. */
export interface NewKept {
  readonly owner: Owner;
  readonly text: string;
  readonly handle?: number;
  /** The call that it came of, as the audit log knows it. */
  readonly callId?: string;
}
/** What is known of a kept text. */
export interface KeptText {
  readonly id: string;
  readonly handle: number | null;
  readonly chars: number;
  readonly createdAt: number;
  readonly callId?: string;
  readonly conversation?: string;
}
/** Whom a kept text belongs to: a stored conversation, with which it is deleted, or a session nobody stores. */
export type Owner = { readonly conversation: string } | { readonly session: string };
/** A text that is kept. */
export interface Kept {
  readonly id: string;
  readonly handle: number | null;
  readonly text: string;
  readonly createdAt: number;
}
