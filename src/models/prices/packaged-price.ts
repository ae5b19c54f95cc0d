import { createRequire } from "node:module";
import type { Price } from "../../core/ports/model.ts";
import { readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { parseJson, record } from "../../text/json.ts";
import { makeOnce } from "../../text/make-once.ts";
import type { ProviderType } from "../defaults.ts";

/** A model as it is asked. */
export interface PricedModel {
  readonly type: ProviderType;
  readonly model: string;
  readonly contextTokens: number;
}

const MOST_BYTES = 4 * 1024 * 1024;

/** What the installed package of prices says of a model; undefined where it is not installed or does not know this very name. Nothing is asked over the network. */
export const packagedPrice = (asked: PricedModel): Price | undefined => priceIn(installed(), asked);

/** Only its data is read: no code of the package runs. */
const installed = makeOnce(() => {
  const path = attempt(() => createRequire(import.meta.url).resolve("llm-prices/data"), null);
  return path === null ? undefined : parseJson(readOwnText(path, { maxBytes: MOST_BYTES }) ?? "");
});

const PROVIDERS: Partial<Record<ProviderType, string>> = { anthropic: "anthropic", openai: "openai", gemini: "gemini" };

/** A name counts letter by letter: the price of a model with a similar name is a wrong price. */
export function priceIn(data: unknown, { type, model, contextTokens }: PricedModel): Price | undefined {
  const { updated, models } = record(data);
  const known = record(models);
  if (typeof updated !== "string" || !/^\d{4}-\d\d-\d\d$/.test(updated) || !Object.hasOwn(known, model)) return undefined;
  const { provider, input, output, cacheRead, cacheWrite, longContext } = record(known[model]);
  if (PROVIDERS[type] === undefined || provider !== PROVIDERS[type] || !isPrice(input) || !isPrice(output) || output === 0)
    return undefined;
  // Above some length a request costs more, and a Price has one rate.
  const { threshold } = record(longContext);
  if (longContext !== undefined && !(isPrice(threshold) && contextTokens <= threshold)) return undefined;
  return {
    input,
    output,
    ...(isPrice(cacheRead) && { cacheRead }),
    ...(isPrice(cacheWrite) && { cacheWrite }),
    date: updated,
  };
}

const isPrice = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;
