import { parseJson, record } from "../../../text/json.ts";
import { promptsOf, type ServerPrompt } from "./offer-list.ts";

/** How many prompts and resources a server has. */
export interface OfferCounts {
  readonly prompts: number;
  readonly resources: number;
  readonly templates: number;
}

/** Beside the definitions of tools. No tool has an empty name, and what has no hash is no definition. */
export const KEPT_AS = "";

/** What was written down of a server. It is read like everything a server says. */
export function keptOffers(server: string, json: string): { readonly prompts: readonly ServerPrompt[]; readonly counts: OfferCounts } {
  const { prompts, counts } = record(parseJson(json));
  const { prompts: p, resources: r, templates: t } = record(counts);
  return {
    prompts: Array.isArray(prompts) ? promptsOf(server, prompts) : [],
    counts: { prompts: whole(p), resources: whole(r), templates: whole(t) },
  };
}

const whole = (count: unknown): number => (typeof count === "number" && Number.isSafeInteger(count) && count >= 0 ? count : 0);
