import * as z from "zod";
import { defineOwnTool } from "../core/tool.ts";
import { quoteName } from "../text/path.ts";
import { pathArgument } from "./path-argument.ts";
import { IGNORED_FOLDER, leftOutText } from "./searched.ts";

const DEFAULT_LIMIT = 200;

export const findPath = defineOwnTool({
  name: "find_path",
  description:
    'Find files by a glob, as "*.ts" or "src/**/{a,b}.json". One without a slash matches at any depth. Ignored files are left out.',
  effect: "reads",
  facets: { answers: "names", shape: "paths", needs: "nothing", about: "work" },
  input: () =>
    z.strictObject({
      pattern: z.string().min(1).max(1024),
      path: pathArgument("The folder to search").optional(),
      limit: z.int().min(1).max(10_000).optional().describe(`Most paths (${DEFAULT_LIMIT})`),
    }),
  touches: ({ path = "." }) => [{ kind: "path", access: "read", path }],
  async run(permit, { host, signal }) {
    const { path = ".", pattern, limit = DEFAULT_LIMIT } = permit.input;
    const found = await host.search.find(permit, { path, pattern, limit }, signal);
    const { items, more } = found;
    if (items.length === 0) return { text: `No files match ${pattern}${leftOutText(found)}.`, raw: [] };
    const note = `${more ? `\n(more files match; the first ${limit} are shown)` : ""}${found.isIgnoredFolder ? `\n${IGNORED_FOLDER}` : ""}`;
    return {
      text: items.map(quoteName).join("\n") + note,
      raw: items,
      truncated: more,
      locations: items.slice(0, 20).map((item) => ({ path: item })),
    };
  },
});
