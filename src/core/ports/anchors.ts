/** How long each audit file was and how it ended, so that a cut tail is found. Synchronous: it is written with every audit line. */
export interface Anchors {
  get(file: string): Anchor | null;
  set(file: string, anchor: Anchor): void;
  /** Names the lines that are about to be written together after the anchor. False for a file that has no anchor yet. */
  announce(file: string, hashes: readonly string[]): boolean;
  /** Every file that has an anchor, so that a log that was deleted whole is missed. */
  files(): readonly string[];
}

/** How long an audit file was, and how it ended. */
export interface Anchor {
  /** Lines in the file. */
  readonly count: number;
  /** SHA-256 of the last line, in hex. */
  readonly hash: string;
  /** Bytes in the file, so that opening it need not read it all. */
  readonly size: number;
  /** Hashes of lines that were about to be written after it: a process may have died before it could say that it wrote them. */
  readonly announced?: readonly string[];
}
