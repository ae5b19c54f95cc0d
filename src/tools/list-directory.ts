import * as z from "zod";
import type { DirectoryEntry } from "../core/ports/host.ts";
import { defineOwnTool } from "../core/tool.ts";
import { quoteName } from "../text/path.ts";
import { pathArgument } from "./path-argument.ts";

const MOST = 2000;
const ORDER: readonly DirectoryEntry["kind"][] = ["dir", "file", "symlink", "other"];

export const listDirectory = defineOwnTool({
  name: "list_directory",
  description: "List a folder. Links are shown, not followed.",
  effect: "reads",
  facets: { answers: "entries", shape: "text", needs: "nothing", about: "work" },
  input: () => z.strictObject({ path: pathArgument().optional() }),
  touches: ({ path = "." }) => [{ kind: "path", access: "read", path }],
  async run(permit, { host }) {
    const { path = "." } = permit.input;
    const entries = [...(await host.files.list(permit, path))].sort(
      (a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || (a.name < b.name ? -1 : 1),
    );
    if (entries.length === 0) return { text: `(${path} is empty)`, raw: [] };
    const lines = entries.slice(0, MOST).map(({ kind, name }) => `[${kind}] ${quoteName(name)}`);
    if (entries.length > MOST) lines.push(`(${entries.length - MOST} more entries)`);
    return { text: lines.join("\n"), raw: entries, truncated: entries.length > MOST, locations: [{ path }] };
  },
});
