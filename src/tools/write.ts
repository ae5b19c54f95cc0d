import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { defineOwnTool } from "../core/tool.ts";
import { plural } from "../text/words.ts";
import { unifiedDiff } from "./diff.ts";
import { pathArgument } from "./path-argument.ts";

export const write = defineOwnTool({
  name: "write",
  description: "Create a file, with its folders, or replace its whole content.",
  effect: "writes",
  facets: { answers: "fresh", shape: "text", needs: "nothing", about: "work" },
  input: () => z.strictObject({ path: pathArgument(), content: z.string() }),
  touches: ({ path }) => [{ kind: "path", access: "write", path }],
  varies: ["content"],
  async run(permit, { host }) {
    const { path, content } = permit.input;
    assertFileName(path);
    const written = await host.files.write(permit, path, content);
    const diff = written.before === undefined ? undefined : await unifiedDiff(path, written.before, content);
    return {
      text: `${written.before === null ? "Created" : "Wrote"} ${path} (${plural(written.bytes, "byte")}).`,
      ...(diff !== undefined && { diff, raw: diff }),
      locations: [{ path: written.path }],
    };
  },
});

export function assertFileName(path: string): void {
  if (/(?:^|\/)\.{0,2}$/.test(path))
    throw new ToolError("invalid_parameters", `${path} names a folder, and write makes files. Use create_directory for folders.`);
}
