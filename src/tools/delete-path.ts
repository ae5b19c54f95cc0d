import * as z from "zod";
import { defineOwnTool } from "../core/tool.ts";
import { pathArgument } from "./path-argument.ts";

export const deletePath = defineOwnTool({
  name: "delete_path",
  description: "Delete a file, a link, or a folder with everything in it. A link is removed, never followed.",
  effect: "writes",
  facets: { answers: "fresh", shape: "text", needs: "nothing", about: "work" },
  input: () => z.strictObject({ path: pathArgument("What to delete") }),
  touches: ({ path }) => [{ kind: "path", access: "delete", path, tree: true }],
  async run(permit, { host, signal }) {
    const { path } = permit.input;
    const gone = await host.files.remove(permit, path, signal);
    return { text: `Deleted ${path}${gone.entries > 1 ? ` (${gone.entries} entries)` : ""}.`, locations: [{ path: gone.path }] };
  },
});
