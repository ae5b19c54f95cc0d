import { setImmediate as later } from "node:timers/promises";
import type { Pins } from "../../../core/ports/store.ts";
import { compileGlob } from "../../../text/glob.ts";
import type { ServerConfig } from "../../config.ts";
import { KEPT_AS } from "../offers/stored-offers.ts";
import { hidesText, listingProblem, problemOf } from "../tools.ts";
import { chosenDrift } from "./accept.ts";
import { type BrokenDefinition, type Definition, definitionsOf, keptDefinition, serverIdentity } from "./definitions.ts";
import { inALine } from "./hidden-text.ts";
import { CHANGED, driftOf, hint, type KnownTools, shownTools, type ToolState, toolStates } from "./tool-states.ts";

/** The definitions of one server's tools: those that were agreed to, and those it lists now. */
export class AgreedTools {
  readonly #server: ServerConfig;
  readonly #pins: Pins;
  readonly #warn: (message: string) => void;
  readonly #identity: string;
  readonly #pinned = new Map<string, Definition>();
  #listed: ReadonlyMap<string, Definition> | null = null;
  #broken: readonly BrokenDefinition[] = [];
  /** By hash: what trying a definition told. */
  readonly #tried = new Map<string, string | null>();
  readonly #warned = new Set<string>();
  readonly #allowed: (tool: string) => boolean;
  /** It was never met before: what it lists now is what is agreed to, for a moment. */
  #first = true;
  /** When it listed its tools for the first time. */
  #metAt: number | null = null;
  /** Something is written down of it, besides what it is agreed to. */
  #isMet = false;
  #standings: readonly ToolState[] | null = null;

  private constructor(server: ServerConfig, pins: Pins, warn: (message: string) => void) {
    this.#server = server;
    this.#pins = pins;
    this.#warn = warn;
    this.#identity = serverIdentity(server);
    const globs = server.tools?.map((pattern) => compileGlob(pattern, { flavour: "text", letters: "exact" }));
    this.#allowed = (tool) => globs?.some((matches) => matches(tool)) ?? true;
  }

  static async open(server: ServerConfig, pins: Pins, warn: (message: string) => void): Promise<AgreedTools> {
    const book = new AgreedTools(server, pins, warn);
    const kept = await pins.of(book.#identity);
    for (const { tool, hash, definition } of kept) {
      const one = keptDefinition(tool, hash, definition);
      if (one !== null) book.#pinned.set(tool, one);
    }
    book.#first = kept.length === 0;
    book.#isMet = kept.some(({ tool }) => tool === MET.tool);
    return book;
  }

  /** Whether there is nothing to offer before the server has been asked. */
  get isEmpty(): boolean {
    return this.#pinned.size === 0;
  }

  standings(): readonly ToolState[] {
    this.#standings ??= toolStates(this.#known());
    return this.#standings;
  }
  offered(): readonly Definition[] {
    return this.standings().flatMap(({ state, definition }) => (state === "offered" ? [definition] : []));
  }
  shown = () => shownTools(this.#known());
  drift = () => driftOf(this.#known());

  /** Why a definition that was offered may not be called now; null when it may. */
  refusal(definition: Definition): { readonly gone: boolean; readonly why: string } | null {
    const now = this.standings().find(({ tool }) => tool === definition.tool);
    if (now === undefined) return { gone: true, why: "the server no longer has it" };
    if (now.definition.hash !== definition.hash) return { gone: false, why: `${CHANGED}; ${hint(this.#server.name)}` };
    return now.state === "offered" ? null : { gone: false, why: now.why ?? "it is left out in the configuration" };
  }

  /** The server has listed its tools. `modern` says what else is asked of a definition. */
  async take(tools: readonly unknown[], problem: (definition: Definition) => string | null): Promise<void> {
    const now = performance.now();
    if (now - (this.#metAt ?? now) > FIRST_MS) this.settle();
    const { known, broken } = definitionsOf(tools);
    for (const definition of known.values()) {
      if (this.#tried.has(definition.hash) || !this.#allowed(definition.tool)) continue;
      this.#tried.set(definition.hash, problem(definition) ?? listingProblem(definition));
      await later();
    }
    if (this.#first) {
      this.#metAt ??= now;
      await this.#agree([...known.values()].filter(({ tool }) => !this.#pinned.has(tool)));
      await this.#remember();
    }
    this.#listed = known;
    this.#broken = broken.slice(0, MOST_BROKEN);
    this.#forget(known);
    this.#standings = null;
    this.#complain();
  }

  /** Whatever comes from now on was not agreed to: a call is made, the first connection is over, or its time is. */
  settle(): void {
    if (this.#metAt !== null) this.#first = false;
  }

  /** It turned out that it cannot be used. */
  refuse(definition: Definition, why: string): void {
    this.#tried.set(definition.hash, why);
    this.#standings = null;
  }

  /** Agrees to what is listed now. What is gone is forgotten. */
  async accept(tools?: readonly string[]): Promise<readonly string[]> {
    const wanted = chosenDrift(this.drift(), tools);
    const listed = this.#listed ?? new Map<string, Definition>();
    // Names are what they look like, or they would not be listed.
    const isWanted = (tool: string) => wanted.some((drift) => drift.tool === tool);
    await this.#agree([...listed.values()].filter(({ tool }) => isWanted(tool)));
    const gone = [...this.#pinned.keys()].filter((tool) => !listed.has(tool) && isWanted(tool));
    if (gone.length > 0) await this.#pins.forget(this.#identity, gone);
    for (const tool of gone) this.#pinned.delete(tool);
    await this.#remember();
    this.#standings = null;
    return wanted.map(({ tool }) => tool);
  }

  async #agree(definitions: readonly Definition[]): Promise<void> {
    if (definitions.length === 0) return;
    await this.#pins.put(
      this.#identity,
      definitions.map(({ tool, hash, json }) => ({ tool, hash, definition: json })),
    );
    for (const one of definitions) this.#pinned.set(one.tool, one);
  }

  /** A server without tools is one that was met all the same. */
  async #remember(): Promise<void> {
    if (this.#pinned.size > 0 || this.#isMet) return;
    await this.#pins.put(this.#identity, [MET]);
    this.#isMet = true;
  }

  #known = (): KnownTools => ({
    server: this.#server.name,
    pinned: this.#pinned,
    listed: this.#listed,
    broken: this.#broken,
    allowed: this.#allowed,
    problem: (definition) => this.#tried.get(definition.hash) ?? (this.#tried.has(definition.hash) ? null : problemOf(definition)),
  });

  /** Definitions that are neither agreed to nor listed need not be remembered. */
  #forget(known: ReadonlyMap<string, Definition>): void {
    if (this.#tried.size <= MOST_TRIED) return;
    const hashes = new Set([...known.values(), ...this.#pinned.values()].map(({ hash }) => hash));
    for (const hash of this.#tried.keys()) if (!hashes.has(hash)) this.#tried.delete(hash);
  }

  #complain(): void {
    const { name } = this.#server;
    for (const { tool, why, excessive } of this.#broken)
      if (excessive)
        this.#once(`broken ${tool} ${why}`, `The tool "${inALine(tool, 100)}" of the MCP server "${name}" is refused: ${why}.`);
    for (const { tool, state, definition } of this.standings()) {
      const shown = inALine(tool, 100);
      if (state === "changed")
        this.#once(
          definition.hash,
          `The definition of "${shown}" of the MCP server "${name}" changed. It is no longer offered; ${hint(name)}.`,
        );
      if (state === "new")
        this.#once(
          definition.hash,
          `The MCP server "${name}" has a new tool "${shown}". It is not offered before you accept it; ${hint(name)}.`,
        );
      if (state !== "left out" && hidesText(definition))
        this.#once(
          `hidden ${definition.hash}`,
          `The MCP server "${name}" hides characters in the definition of "${shown}". They were taken out.`,
        );
    }
  }

  #once(key: string, message: string): void {
    if (this.#warned.has(key) || this.#warned.size >= MOST_WARNINGS) return;
    this.#warned.add(key);
    this.#warn(message);
  }
}

/** Kept where there is no tool to keep. No tool has an empty name, and what has no hash is read by nobody. */
const MET = { tool: KEPT_AS, hash: "", definition: "{}" };
/** Some servers register their tools one by one, right after they have answered. */
const FIRST_MS = 5000;
const MOST_BROKEN = 20;
const MOST_TRIED = 4000;
/** A server that changes its tools all the time is not worth more lines. */
const MOST_WARNINGS = 20;
