import type { Price } from "../core/ports/model.ts";
import type { AskedProvider } from "./errors.ts";

/** A provider of the configuration, with its key and its defaults. */
export interface ProviderSetup {
  readonly asked: AskedProvider;
  readonly contextTokens: number;
  readonly price?: Price;
  readonly timeoutMs: number;
  readonly maxOutputTokens?: number;
  readonly reasoning: boolean;
  /** The model takes images. */
  readonly images?: boolean;
  /** The model takes recordings. */
  readonly audio?: boolean;
  readonly thinkingTokens?: number;
  /** Warnings about a setting that a model does not take. */
  readonly warn?: (message: string) => void;
}
