import * as z from "zod";
import { defineOwnTool } from "../core/tool.ts";
import { pathArgument } from "./path-argument.ts";

const MOST_NAMED = 10;

export const copyPath = defineOwnTool({
  name: "copy_path",
  description: "Copy a file, or a folder with everything in it. The destination is the full new path and must not exist.",
  effect: "writes",
  facets: { answers: "fresh", shape: "text", needs: "nothing", about: "work" },
  input: () => z.strictObject({ source: pathArgument("What to copy"), destination: pathArgument("The path of the copy") }),
  touches: ({ source, destination }) => [
    { kind: "path", access: "read", path: source, tree: true },
    { kind: "path", access: "write", path: destination },
  ],
  async run(permit, { host, signal }) {
    const { source, destination } = permit.input;
    const copied = await host.files.copy(permit, source, destination, signal);
    return {
      text: `Copied ${source} to ${destination}${counted(copied.entries)}.${left(copied.skipped)}`,
      locations: [{ path: copied.path }],
    };
  },
});

const counted = (entries: number) => (entries > 1 ? ` (${entries} entries)` : "");

function left(skipped: readonly string[]): string {
  if (skipped.length === 0) return "";
  const more = skipped.length > MOST_NAMED ? ` and ${skipped.length - MOST_NAMED} more` : "";
  return `\nLeft out: ${skipped.slice(0, MOST_NAMED).join(", ")}${more}.`;
}
