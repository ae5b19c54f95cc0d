import * as z from "zod";
import type { FoundTool } from "../core/inputs/tool-results.ts";
import { defineOwnTool, type Tool } from "../core/tool.ts";
import { record } from "../text/json.ts";
import { makeOnce } from "../text/make-once.ts";

/** The part of the catalogue that the tool needs. */
export interface ToolSearch {
  search(
    query: string,
    limit: number,
    signal: AbortSignal,
  ): Promise<{
    readonly found: readonly FoundTool[];
    /** Names of tools that fit and are offered already. */
    readonly offered: readonly string[];
  }>;
}

const DEFAULT_LIMIT = 5;

const input = makeOnce(() =>
  z.strictObject({
    query: z.string().min(1).max(1000).describe("What it should do, or its name"),
    limit: z.int().min(1).max(20).optional().describe(`Up to 20 (${DEFAULT_LIMIT})`),
  }),
);

/** Finds tools that the model is not shown, and has them shown from the next request on. */
export const searchTools = (catalogue: ToolSearch): Tool<ReturnType<typeof input>> =>
  defineOwnTool({
    name: "search_tools",
    description: "Find further tools by what they do. Those it finds can be called from then on.",
    effect: "reads",
    facets: { answers: "fresh", shape: "whole", needs: "conversation", about: "work" },
    input,
    touches: () => [],
    async run({ input: { query, limit = DEFAULT_LIMIT } }, { signal }) {
      const { found, offered } = await catalogue.search(query, limit, signal);
      const already = offered.length > 0 ? [`You have already: ${offered.join(", ")}.`] : [];
      if (found.length === 0) return { text: ["No other tool fits. Try other words.", ...already].join("\n"), raw: [] };
      return { text: [...found.map(shown), "You can call them from now on.", ...already].join("\n\n"), raw: found };
    },
  });

const MOST_TEXT = 1000;
const MOST_PARAMETERS = 30;

function shown({ name, description, parameters, unmet }: FoundTool): string {
  const text = description.slice(0, MOST_TEXT).replace(/\s+/g, " ").trim();
  const first = unmet.length > 0 ? `\n  It can be called once ${unmet.join(", ")} ${unmet.length === 1 ? "has" : "have"} succeeded.` : "";
  return `${name}(${signature(parameters)})\n  ${text}${first}`;
}

/** `path: string, limit?: integer`. The whole schema comes with the next request. */
function signature(parameters: unknown): string {
  const { properties, required } = record(parameters);
  const needed = new Set(Array.isArray(required) ? required : []);
  const all = Object.entries(record(properties));
  const named = all.slice(0, MOST_PARAMETERS).map(([name, schema]) => {
    const { type } = record(schema);
    return `${name}${needed.has(name) ? "" : "?"}${typeof type === "string" ? `: ${type}` : ""}`;
  });
  return [...named, ...(all.length > MOST_PARAMETERS ? ["…"] : [])].join(", ");
}
