import type { SlashCommand } from "../../core/command.ts";
import type { ZephEvent } from "../../core/event.ts";
import type { Embedder } from "../../core/ports/embedder.ts";
import type { Store } from "../../core/ports/store.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { StartConfig } from "../rules/live-config.ts";
import type { LentModel } from "./lent-model.ts";

/** A piece of the agent with its own tools, its own commands, and a word about its state. */
export interface Part {
  readonly tools?: readonly AnyTool[];
  readonly commands?: readonly SlashCommand[];
  /** Lines for /status: a name, and what is so. Nothing when there is nothing to say. */
  status?(): Promise<Readonly<Record<string, string>>>;
  /** The runtime ends: what is under way is left. */
  close?(): void;
}

/** What parts are built from. Each takes what it needs. */
export interface Surroundings {
  readonly config: StartConfig;
  readonly store: Store;
  /** The folder the agent works in, as everything stored names it. */
  readonly workspace: string;
  readonly home: string;
  /** Null without an agent: a runtime alone has tools and no model. */
  readonly mind: () => LentModel | null;
  /** Null where none is configured. Opened when it is first wanted; it may throw an EmbeddingError. */
  readonly embedder: () => Promise<Embedder | null>;
  readonly redact: (text: string) => string;
  readonly emit: (event: ZephEvent) => void;
  readonly warn: (message: string) => void;
}
