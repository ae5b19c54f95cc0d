import * as z from "zod";
import { defineOwnTool } from "../core/tool.ts";
import { pathArgument } from "./path-argument.ts";

export const movePath = defineOwnTool({
  name: "move_path",
  description: "Move or rename a file or folder. The destination is the full new path and must not exist.",
  effect: "writes",
  facets: { answers: "fresh", shape: "text", needs: "nothing", about: "work" },
  input: () => z.strictObject({ source: pathArgument("What to move"), destination: pathArgument("Its new path") }),
  touches: ({ source, destination }) => [
    { kind: "path", access: "read", path: source, tree: true },
    { kind: "path", access: "delete", path: source, tree: true },
    { kind: "path", access: "write", path: destination },
  ],
  async run(permit, { host, signal }) {
    const { source, destination } = permit.input;
    const moved = await host.files.move(permit, source, destination, signal);
    return { text: `Moved ${source} to ${destination}.`, locations: [{ path: moved.path }] };
  },
});
