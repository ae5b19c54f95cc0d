import { sleep } from "../../../core/retry.ts";
import { NEVER } from "../../../core/tool.ts";
import { unlessAborted } from "../../../text/abort.ts";
import { waitAtMost } from "../../../text/wait-within.ts";
import type { ServerConfig } from "../../config.ts";
import type { ServerState } from "../clients.ts";
import { whyOf } from "../errors.ts";
import { closedNetworkWords } from "../network-words.ts";
import { type Connection, type ConnectParts, connectTo } from "./connection.ts";

export interface ReconnectorParts extends ConnectParts {
  readonly needsLogin: (thrown: unknown) => boolean;
  readonly scrub: (text: string) => string;
  /** Before a connection is used: what the server lists is looked at. */
  readonly greet: (connection: Connection) => Promise<void>;
  /** A connection that was in use is over. */
  readonly parted: () => void;
}

/** Keeps at most one connection to one server, and knows when to make another. */
export class Reconnector {
  readonly #server: ServerConfig;
  readonly #parts: ReconnectorParts;
  readonly #closing = new AbortController();
  #connection: Connection | null = null;
  #connecting: Promise<Connection> | null = null;
  #last: Connection | null = null;
  #failures = 0;
  #notBefore = 0;
  #state: ServerState["state"] = "idle";
  #why: string | null = null;
  #legacy = false;

  constructor(server: ServerConfig, parts: ReconnectorParts) {
    this.#server = server;
    this.#parts = parts;
  }

  get connection(): Connection | null {
    return this.#connection;
  }
  get state(): Pick<ServerState, "state" | "why" | "server" | "protocol" | "walls"> {
    const { server, protocol, walls } = this.#last ?? {};
    return {
      state: this.#state,
      ...(this.#why !== null && { why: this.#why }),
      ...(server !== undefined && { server }),
      ...(protocol !== undefined && { protocol }),
      ...(walls && { walls }),
    };
  }

  /** The connection there is, or a new one. After failures it waits, unless the person wants it now. */
  async get(signal: AbortSignal, when: "in turn" | "now"): Promise<Connection> {
    const wait = this.#notBefore - Date.now();
    if (when === "in turn" && !this.#connection && !this.#connecting && wait > 0) {
      this.#state = "waiting";
      if (!(await sleep(wait, signal === NEVER ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]))))
        throw new Error("It was cancelled.");
    }
    if (this.#connection) return this.#connection;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null;
    });
    // A cancelled call stops waiting; the others still want the connection.
    return unlessAborted(this.#connecting, signal, () => {
      throw new Error("It was cancelled.");
    });
  }

  /** This connection is of no more use. */
  async drop(connection: Connection, why: string): Promise<void> {
    this.#part(connection, why);
    // Of a program there is never a second one; at an address others may still be waiting for their answers.
    await (this.#server.url === undefined ? connection.close() : connection.retire());
  }

  /** The server does not let us in any more. */
  async locked(connection: Connection, thrown: unknown): Promise<void> {
    if (this.#connection !== connection) return;
    this.#part(connection, "it wants you to sign in");
    this.#failed(thrown);
    await connection.retire();
  }

  /** The next one is made without waiting: the person has done something about it. */
  forgive(): void {
    this.#failures = 0;
    this.#notBefore = 0;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const connecting = this.#connecting;
    const connection = this.#connection ?? (await connecting?.catch(() => null)) ?? null;
    this.#connection = null;
    this.#state = "idle";
    this.#why = null;
    await connection?.close();
  }

  async #connect(): Promise<Connection> {
    this.#closing.signal.throwIfAborted();
    this.#state = "connecting";
    this.#why = null;
    let made: Connection | null = null;
    try {
      if (this.#last) await waitAtMost(this.#last.gone, GONE_MS);
      made = await connectTo(this.#server, { ...this.#parts, legacy: this.#legacy }, this.#closing.signal);
      await this.#parts.greet(made);
      this.#closing.signal.throwIfAborted();
      if (made.why !== null) throw new Error(made.why);
    } catch (thrown) {
      // How a program ended says more than what the protocol makes of it.
      const why = this.#server.url === undefined ? (made?.why ?? null) : null;
      const error = why === null ? thrown : new Error(why, { cause: thrown });
      await made?.close();
      this.#failed(error);
      throw error;
    }
    const connection = made;
    this.#connection = connection;
    this.#last = connection;
    // A program that speaks the older protocol is not asked the other way again; an address may learn.
    this.#legacy = connection.legacy && this.#server.url === undefined;
    this.#state = "connected";
    this.forgive();
    void connection.ended.then((why) => this.#part(connection, why));
    return connection;
  }

  #failed(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    const login = this.#parts.needsLogin(error);
    this.#state = login ? "needs login" : "failed";
    this.#why = login
      ? `it wants you to sign in: zeph mcp login ${this.#server.name}`
      : withNetworkWords(this.#server, whyOf(error, this.#parts.scrub));
    this.#failures++;
    this.#notBefore = login ? 0 : Date.now() + backoff(this.#failures);
  }

  #part(connection: Connection, why: string): void {
    if (this.#connection !== connection) return;
    this.#connection = null;
    this.#state = "waiting";
    this.#why = `${this.#parts.scrub(why)}; it is started again with the next call`;
    this.#parts.parted();
  }
}

/** A program that ended because it could not reach something; the setting that opens it. */
function withNetworkWords(server: ServerConfig, why: string): string {
  const words = closedNetworkWords(server, why);
  return words === null ? why : `${why.replace(/\.$/, "")}. ${words}`;
}

const GONE_MS = 5000;
const FIRST_MS = 1000;
const MOST_MS = 30_000;

/** Twice as long each time, and never at the same moment as everybody else. */
export const backoff = (failures: number, random: () => number = Math.random): number =>
  Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10)) * (0.5 + random() / 2);
