/** What lay at a path before a call changed it. With its content, where there was some, it can be put back as it was. */
export interface Preimage {
  readonly turn: string;
  readonly call: string;
  /** The conversation that the turn belongs to. */
  readonly conversation?: string;
  /** Milliseconds. */
  readonly at: number;
  /** Canonical: links in its parents are followed, the entry itself is not. */
  readonly path: string;
  readonly was: "file" | "link" | "nothing";
  /** Device and number of the entry. */
  readonly identity?: string;
  readonly mode?: number;
  readonly size?: number;
  /** SHA-256 of its content. */
  readonly hash?: string;
  /** Where a link led. */
  readonly target?: string;
}

/** How a call left a path, or why what was there could not be kept. */
export interface PathEnd {
  readonly turn: string;
  readonly call: string;
  readonly path: string;
  /** What lies there after the call, as one text to compare. */
  readonly end?: string;
  readonly unkept?: string;
}

/** What the undoing of a turn's file changes came to. */
export interface Undone {
  /** The id of the turn. */
  readonly turn: string;
  /** Files that are again as they were. All paths are absolute. */
  readonly restored: readonly string[];
  /** Files that the turn had made. */
  readonly removed: readonly string[];
  /** What was left alone, and why: somebody else changed it since, or what it was is not kept. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

/** Takes back what turns changed in files. */
export interface TurnUndo {
  /** The last turn of a conversation that changed files and was not undone; null when there is none. */
  last(conversation: string): string | null;
  undo(turn: string): Promise<Undone>;
}

/** What was kept for one workspace, oldest first. */
export interface Preimages {
  /** Everything kept of a turn, and how each call left what it changed, in the order it was written down. */
  story(turn: string): readonly (Preimage | PathEnd)[];
  /** The last turn of a conversation that has something kept and was not undone. */
  lastTurn(conversation: string): string | null;
  /** The bytes of a file as it was; null when they are not kept any more, or are not what they were. */
  content(preimage: Preimage): Buffer | null;
}
