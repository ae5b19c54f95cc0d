import * as z from "zod";
import { defineTool } from "../core/tool.ts";
import { pathArgument } from "./path-argument.ts";

export const createDirectory = defineTool({
  name: "create_directory",
  description: "Create a folder and its parents.",
  effect: "writes",
  input: z.strictObject({ path: pathArgument("The folder to create") }),
  touches: ({ path }) => [{ kind: "path", access: "write", path }],
  async run(permit, { host }) {
    const made = await host.files.makeDirectory(permit, permit.input.path);
    return { text: `${made.created ? "Created" : "Exists already:"} ${permit.input.path}`, locations: [{ path: made.path }] };
  },
});
