/** Bytes that are put together, up to a limit. However small the pieces are, they cost no more than their sum. */
export class Bytes {
  readonly #most: number;
  #all = EMPTY;
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  /** What is held so far; changes with the next piece. */
  bytes(): Buffer {
    return this.#all.subarray(0, this.#length);
  }

  /** False when it would be too much. */
  add(piece: Buffer): boolean {
    const length = this.#length + piece.length;
    if (length > this.#most) return false;
    if (length > this.#all.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#most, Math.max(length, this.#all.length * 2)));
      this.#all.copy(larger, 0, 0, this.#length);
      this.#all = larger;
    }
    piece.copy(this.#all, this.#length);
    this.#length = length;
    return true;
  }

  /** All of them as text, and it begins anew. */
  take(): string {
    const text = this.#all.toString("utf8", 0, this.#length);
    this.#length = 0;
    // A long message was an exception: its room is given back.
    if (this.#all.length > KEPT) this.#all = EMPTY;
    return text;
  }
}

const EMPTY = Buffer.alloc(0);
const KEPT = 1024 * 1024;
