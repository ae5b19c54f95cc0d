import type { JSONRPCMessage } from "@modelcontextprotocol/client";

/** Which of our requests are waiting for an answer. An answer to another, or a second one, is nobody's. */
export class Outstanding {
  readonly #ids = new Set<string | number>();
  #tokens = MOST_AT_ONCE;
  #filled = Date.now();
  /** Messages that were left out. */
  dropped = 0;

  sent(message: JSONRPCMessage): void {
    if ("method" in message && "id" in message && message.id !== undefined) this.#ids.add(message.id);
  }
  failed(id: string | number): void {
    this.#ids.delete(id);
  }
  waits(id: string | number): boolean {
    return this.#ids.has(id);
  }

  /** Whether a message is to be heard. A server that talks without end is heard in part. */
  takes(message: JSONRPCMessage): boolean {
    const taken = "method" in message ? this.#mayTalk() : message.id !== undefined && this.#ids.delete(message.id);
    if (!taken) this.dropped++;
    return taken;
  }

  /** Messages that nobody asked for: at most so many per second. */
  #mayTalk(): boolean {
    const now = Date.now();
    this.#tokens = Math.min(MOST_AT_ONCE, this.#tokens + ((now - this.#filled) * PER_SECOND) / 1000);
    this.#filled = now;
    if (this.#tokens < 1) return false;
    this.#tokens--;
    return true;
  }
}

const PER_SECOND = 200;
const MOST_AT_ONCE = 1000;
