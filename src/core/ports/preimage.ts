/** What lay at a path before a call changed it. With its content, where there was some, it can be put back as it was. */
export interface Preimage {
  readonly turn: string;
  readonly call: string;
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

/** What was kept for one workspace, oldest first. */
export interface Preimages {
  /** Of one turn, or of all that are still kept. */
  list(turn?: string): readonly Preimage[];
  /** The bytes of a file as it was; null when they are not kept any more, or are not what they were. */
  content(preimage: Preimage): Buffer | null;
}
