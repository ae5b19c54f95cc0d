import * as z from "zod";
import { defineOwnTool } from "../core/tool.ts";
import { pathArgument } from "./path-argument.ts";

export const createDirectory = defineOwnTool({
  name: "create_directory",
  description: "Create a folder and its parents.",
  effect: "writes",
  facets: { answers: "fresh", shape: "text", needs: "nothing", about: "work" },
  input: () => z.strictObject({ path: pathArgument("The folder to create") }),
  touches: ({ path }) => [{ kind: "path", access: "write", path }],
  async run(permit, { host }) {
    const made = await host.files.makeDirectory(permit, permit.input.path);
    return { text: `${made.created ? "Created" : "Exists already:"} ${permit.input.path}`, locations: [{ path: made.path }] };
  },
});
