import * as z from "zod";
import type { Draft } from "../core/draft.ts";
import type { ToolResults } from "../core/inputs/tool-results.ts";
import type { Selection } from "../core/ports/web.ts";
import { defineOwnTool } from "../core/tool.ts";
import { plural } from "../text/words.ts";
import { untrusted } from "./untrusted.ts";
import { webAddress } from "./web-address.ts";

const DEFAULT_LIMIT = 10;

export const webScrape = defineOwnTool({
  name: "web_scrape",
  description:
    "Take pieces of a web page (HTML or XML over https) by CSS selector: the text, inner HTML or an attribute of each match, links made absolute. Use only a URL the user gave or a tool returned; never guess one.",
  effect: "fetches",
  facets: { answers: "contents", shape: "text", needs: "nothing", about: "work" },
  input: () =>
    z.strictObject({
      url: webAddress(),
      select: z.string().min(1).max(1000).describe('A CSS selector, for example "h2 a"'),
      extract: z
        .string()
        .regex(/^(?:text|html|attr:[^\s"'<>/=]{1,100})$/, 'must be "text", "html" or "attr:<name>", for example "attr:href"')
        .optional()
        .describe('What to take of each match: "text" (default), "html", or "attr:<name>", for example "attr:href"'),
      limit: z.int().min(1).max(1000).optional().describe(`Most matches to return (${DEFAULT_LIMIT})`),
    }),
  touches: ({ url }) => [{ kind: "url", url }],
  async run(permit, ctx) {
    const { url: asked, select, extract = "text", limit = DEFAULT_LIMIT } = permit.input;
    const found = await ctx.host.web.select(permit, asked, { select, extract: wanted(extract), limit }, ctx);
    const { url, status, type, items, more, title, elements, cached } = found;
    const truncated = found.truncated || status === 206;
    const answer = (...lines: readonly string[]): Draft<ToolResults["web_scrape"]> => ({
      parts: [{ kind: "text", text: [...lines, ...notes].join("\n") }],
      raw: { url, status, type, title, items, more, elements, truncated, cached },
      truncated: truncated || (more && items.length > 0),
      ownCache: cached ? "hit" : "miss",
    });
    const notes = [
      ...(more ? [`(more match; the first ${items.length} are shown)`] : []),
      ...(found.truncated ? ["(the page is longer than what may be read; only its beginning was searched)"] : []),
      ...(status === 206 ? ["(the server sent only a part of the page)"] : []),
    ];
    if (items.length > 0) return answer(untrusted(url, items.join("\n")));
    const page = title === null ? "The page has no title" : `The page is called ${JSON.stringify(title)}`;
    const nothing = found.empty
      ? "The page is empty."
      : `Nothing matches, or what matches is empty. ${page} and has ${plural(elements, "element")}.`;
    return answer(`No results for selector: ${select}`, untrusted(url, nothing));
  },
});

const wanted = (extract: string): Selection["extract"] =>
  extract === "text" || extract === "html" ? extract : { attribute: extract.slice("attr:".length) };
