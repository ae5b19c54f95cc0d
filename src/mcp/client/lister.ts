import { ChangeTimer } from "./change-timer.ts";
import type { Connection } from "./connection/connection.ts";
import type { AgreedTools } from "./trust/agreed-tools.ts";
import type { Definition } from "./trust/definitions.ts";

export interface ListerParts {
  readonly book: AgreedTools;
  /** The problem that a definition has with this connection; null when there is none. */
  readonly problem: (definition: Definition, connection: Connection) => string | null;
  /** The list was read, and not all of it was taken. */
  readonly cut: (why: string) => void;
  /** The book has been brought up to date. */
  readonly taken: () => void;
}

/** Knows how old the list of a server's tools is, and reads it again. */
export class Lister {
  readonly #parts: ListerParts;
  #at = 0;
  #ttlMs = DEFAULT_TTL_MS;
  #stale = true;
  #cut: string | null = null;
  #reading: Promise<void> | null = null;
  readonly #timer = new ChangeTimer();

  constructor(parts: ListerParts) {
    this.#parts = parts;
  }

  /** Reads the list if it changed since, or is too old to be believed. */
  async renew(connection: Connection): Promise<void> {
    // One that is being read may have been begun before the change. More than twice is not for us to chase.
    for (let n = 0; n < 2 && this.#isOld(); n++) await this.read(connection);
  }

  /** Reads the list. Callers at the same time share one reading. */
  read(connection: Connection): Promise<void> {
    this.#reading ??= this.#read(connection).finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** However often a server says so, the list is read once in a while, and before the next call. */
  heardChange(connection: Connection, isCurrent: () => boolean): void {
    this.#stale = true;
    this.#timer.heard(() => {
      if (this.#stale && isCurrent()) this.read(connection).catch(() => {});
    });
  }

  close(): void {
    this.#timer.close();
  }

  #isOld = (): boolean => this.#stale || Date.now() - this.#at > this.#ttlMs;

  async #read(connection: Connection): Promise<void> {
    // Whatever is said from now on is news.
    this.#stale = false;
    try {
      const { items: tools, ttlMs = DEFAULT_TTL_MS, cut } = await connection.listTools();
      if (cut !== null && cut !== this.#cut) this.#parts.cut(cut);
      this.#cut = cut;
      await this.#parts.book.take(tools, (definition) => this.#parts.problem(definition, connection));
      this.#at = Date.now();
      this.#ttlMs = Math.min(Math.max(ttlMs, LEAST_TTL_MS), MOST_TTL_MS);
    } catch (error) {
      this.#stale = true;
      throw error;
    }
    this.#parts.taken();
  }
}

const DEFAULT_TTL_MS = 300_000;
const LEAST_TTL_MS = 1000;
const MOST_TTL_MS = 3_600_000;
