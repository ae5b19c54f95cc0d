import * as z from "zod";
import { defineOwnTool } from "../core/tool.ts";
import { untrusted } from "./untrusted.ts";
import { webAddress } from "./web-address.ts";

export const fetchPage = defineOwnTool({
  name: "fetch",
  description:
    "Read a web page over https: its main content as Markdown or text. JSON, XML and plain text come as they are; PDFs, images and other binaries are refused. Use only a URL the user gave or a tool returned; never guess one.",
  effect: "fetches",
  facets: { answers: "contents", shape: "text", needs: "nothing", about: "work" },
  input: () =>
    z.strictObject({
      url: webAddress(),
      format: z
        .enum(["markdown", "text"])
        .optional()
        .describe("markdown keeps headings, links, tables and code (default); text is shorter"),
    }),
  touches: ({ url }) => [{ kind: "url", url }],
  async run(permit, ctx) {
    const { url: asked, format = "markdown" } = permit.input;
    const page = await ctx.host.web.page(permit, asked, format, ctx);
    const { url, status, type, title, text } = page;
    const truncated = page.truncated || status === 206;
    const notes = [
      ...(text.trim() === ""
        ? [page.empty || status === 204 ? EMPTY : "(the page has no text; it may be built by scripts, which are not run)"]
        : []),
      ...(page.truncated ? ["(the page is longer than what may be read; the rest is left out)"] : []),
      ...(status === 206 ? ["(the server sent only a part of the page)"] : []),
    ];
    const content = [...(title === null ? [] : [`Title: ${title}\n`]), text].join("\n");
    return {
      parts: [{ kind: "text", text: [untrusted(url, content), ...notes].join("\n") }],
      raw: { url, status, type, title, format, characters: text.length, truncated, cached: page.cached },
      truncated,
      ownCache: page.cached ? "hit" : "miss",
    };
  },
});

const EMPTY = "(the page is empty)";
