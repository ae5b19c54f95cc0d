import type { Pins } from "../../../core/ports/store.ts";
import type { ServerConfig } from "../../config.ts";
import { ChangeTimer } from "../change-timer.ts";
import type { Connection } from "../connection/connection.ts";
import { serverIdentity } from "../trust/definitions.ts";
import { promptsOf, resourcesOf, type ServerPrompt, type ServerResource } from "./offer-list.ts";
import { KEPT_AS, keptOffers, type OfferCounts } from "./stored-offers.ts";

export interface OffersParts {
  readonly pins: Pins;
  readonly warn: (message: string) => void;
  /** What is known has changed. */
  readonly changed: () => void;
}

type Kind = "prompts" | "resources" | "templates";
const KINDS: readonly Kind[] = ["prompts", "resources", "templates"];
const LARGEST_KEPT = 256 * 1024;
const MOST_WARNINGS = 10;

/**
 * What a server has besides tools, as it said last. Nothing of it reaches a model by itself, so nothing has to be agreed to; what is kept
 * tells which commands there are before the server is started again.
 */
export class ServerOffers {
  readonly #server: ServerConfig;
  readonly #parts: OffersParts;
  readonly #identity: string;
  readonly #timer = new ChangeTimer();
  readonly #stale = new Set<Kind>(KINDS);
  readonly #warned = new Set<string>();
  #prompts: readonly ServerPrompt[] = [];
  #resources: readonly ServerResource[] = [];
  #templates: readonly ServerResource[] = [];
  #counts: OfferCounts = { prompts: 0, resources: 0, templates: 0 };
  #kept = "";
  #reading: Promise<void> | null = null;

  private constructor(server: ServerConfig, parts: OffersParts) {
    this.#server = server;
    this.#parts = parts;
    this.#identity = serverIdentity(server);
  }

  static async open(server: ServerConfig, parts: OffersParts): Promise<ServerOffers> {
    const offers = new ServerOffers(server, parts);
    const kept = (await parts.pins.of(offers.#identity)).find(({ tool }) => tool === KEPT_AS);
    if (!kept) return offers;
    const { prompts, counts } = keptOffers(server.name, kept.definition);
    offers.#kept = kept.definition;
    offers.#prompts = prompts;
    offers.#counts = counts;
    return offers;
  }

  get counts(): OfferCounts {
    return this.#counts;
  }
  get prompts(): readonly ServerPrompt[] {
    return this.#prompts;
  }
  /** Empty before the server was asked. */
  get resources(): readonly ServerResource[] {
    return [...this.#resources, ...this.#templates];
  }

  /** Reads what may have changed. Never throws: a list that cannot be read stays as it was. */
  async read(connection: Connection): Promise<void> {
    // One that is under way may have been begun before the change.
    await this.#reading;
    this.#reading ??= this.#read(connection).finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  /** Another connection: nothing that was said over the last one holds. */
  begin(connection: Connection): void {
    for (const kind of KINDS) this.#stale.add(kind);
    void this.read(connection);
  }

  heardChange(list: "prompts" | "resources", connection: Connection, isCurrent: () => boolean): void {
    this.#stale.add(list);
    if (list === "resources") this.#stale.add("templates");
    this.#timer.heard(() => {
      if (isCurrent()) void this.read(connection);
    });
  }

  close(): void {
    this.#timer.close();
  }

  async #read(connection: Connection): Promise<void> {
    const wanted = KINDS.filter((kind) => this.#stale.has(kind));
    if (wanted.length === 0) return;
    await Promise.all(wanted.map((kind) => this.#readOne(kind, connection)));
    await this.#keep().catch(() => {});
    this.#parts.changed();
  }

  async #readOne(kind: Kind, connection: Connection): Promise<void> {
    // Whatever is said from now on is news.
    this.#stale.delete(kind);
    try {
      const { items, cut } = await connection.offers.list(kind);
      if (cut !== null) this.#once(`The MCP server "${this.#server.name}": ${cut}.`);
      this.#counts = { ...this.#counts, [kind]: this.#take(kind, items) };
    } catch {
      // One that says that it has a list and cannot give it has none. It is asked again with the next connection.
    }
  }

  #take(kind: Kind, items: readonly unknown[]): number {
    const { name } = this.#server;
    if (kind === "prompts") this.#prompts = promptsOf(name, items);
    else if (kind === "resources") this.#resources = resourcesOf(name, "resource", items);
    else this.#templates = resourcesOf(name, "template", items);
    return { prompts: this.#prompts, resources: this.#resources, templates: this.#templates }[kind].length;
  }

  async #keep(): Promise<void> {
    const counts = this.#counts;
    const bare = this.#prompts.map(({ server: _, ...prompt }) => prompt);
    const whole = JSON.stringify({ prompts: bare, counts });
    const json = whole.length <= LARGEST_KEPT ? whole : JSON.stringify({ prompts: [], counts });
    if (json === this.#kept || (this.#kept === "" && Object.values(counts).every((count) => count === 0))) return;
    await this.#parts.pins.put(this.#identity, [{ tool: KEPT_AS, hash: "", definition: json }]);
    this.#kept = json;
  }

  #once(message: string): void {
    if (this.#warned.has(message) || this.#warned.size >= MOST_WARNINGS) return;
    this.#warned.add(message);
    this.#parts.warn(message);
  }
}
