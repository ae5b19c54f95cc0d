import * as z from "zod";
import type { SearchMatch } from "../core/ports/host.ts";
import { defineOwnTool } from "../core/tool.ts";
import { quoteName } from "../text/path.ts";
import { pathArgument } from "./path-argument.ts";
import { binaryText, CUT_BINARY, IGNORED_FOLDER, searchedText } from "./searched.ts";

const DEFAULT_LIMIT = 100;

export const grep = defineOwnTool({
  name: "grep",
  description: "Search file contents with a regular expression (as ripgrep). Ignored and binary files are left out.",
  effect: "reads",
  facets: { answers: "contents", shape: "text", needs: "nothing", about: "work" },
  input: () =>
    z.strictObject({
      pattern: z.string().min(1).max(4096),
      path: pathArgument("The file or folder to search").optional(),
      case_sensitive: z.boolean().optional().describe("false ignores case"),
      glob: z.string().min(1).max(1024).optional().describe('Only such files, as "*.ts"'),
      context: z.int().min(0).max(20).optional().describe("Lines around each match, up to 20"),
      limit: z.int().min(1).max(5000).optional().describe(`Most matches (${DEFAULT_LIMIT})`),
    }),
  touches: ({ path = "." }) => [{ kind: "path", access: "read", path, searches: true }],
  async run(permit, { host, signal }) {
    const { pattern, path = ".", case_sensitive = true, glob, context = 0, limit = DEFAULT_LIMIT } = permit.input;
    const query = { pattern, path, caseSensitive: case_sensitive, context, limit, ...(glob !== undefined && { glob }) };
    const found = await host.search.grep(permit, query, signal);
    const { items, more, limited } = found;
    const notes = [
      ...(more ? [`(more matches; the first ${items.filter(({ kind }) => kind === "match").length} found are shown)`] : []),
      ...(found.binary ? [items.length === 0 ? binaryText(found.binary) : CUT_BINARY] : []),
      ...(found.isIgnoredFolder ? [IGNORED_FOLDER] : []),
      ...(limited ? ["(files that may not be read are not searched)"] : []),
    ];
    if (items.length === 0)
      return { text: [`No matches${found.binary ? " in text" : ""} for ${pattern}${searchedText(found)}.`, ...notes].join("\n"), raw: [] };
    return {
      text: [...items.map((item, n) => line(item, items[n - 1])), ...notes].join("\n"),
      raw: items,
      truncated: more,
      locations: items.slice(0, 20).map(({ path, line }) => ({ path, line })),
    };
  },
});

/** A file's name once, and its lines below it, as ripgrep writes them for people. */
function line({ path, line, kind, text }: SearchMatch, before: SearchMatch | undefined): string {
  const isFirst = before?.path !== path;
  const gap = !isFirst && line > before!.line + 1 && (kind === "context" || before!.kind === "context") ? "--\n" : "";
  return `${isFirst ? `${heading(path)}\n` : gap}${line}${kind === "match" ? ":" : "-"}${text}`;
}

/** A name that looks like a line of a file does not stand alone. */
const heading = (path: string): string => (/^\d+[:-]/.test(path) ? `./${quoteName(path)}` : quoteName(path));
