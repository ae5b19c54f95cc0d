/**
 * When a list is read again that its server says has changed: soon the first time, and later and later while the server goes on saying so. A
 * server that says nothing else costs a reading now and then.
 */
export class ChangeTimer {
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = FIRST_MS;
  #at = Number.NEGATIVE_INFINITY;

  /** While a reading is awaited, that one will do. */
  heard(read: () => void): void {
    if (this.#timer !== undefined) return;
    const quiet = performance.now() - this.#at;
    this.#pauseMs = quiet > 2 * this.#pauseMs ? FIRST_MS : Math.min(2 * this.#pauseMs, MOST_MS);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#at = performance.now();
        read();
      },
      Math.max(SOON_MS, this.#pauseMs - quiet),
    );
    this.#timer.unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

const SOON_MS = 50;
const FIRST_MS = 1000;
const MOST_MS = 60_000;
