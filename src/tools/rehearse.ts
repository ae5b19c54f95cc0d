import * as z from "zod";
import { withNote } from "../core/draft.ts";
import type { Change } from "../core/ports/shell.ts";
import type { AnyTool, Tool } from "../core/tool.ts";
import { display } from "../text/path.ts";
import { plural } from "../text/words.ts";
import { ranOutput } from "./command-output.ts";
import { unifiedDiff } from "./diff.ts";

/** `bash`, rehearsed: the same name, so that the same rules speak, but it works on a copy and only shows what it would change. */
export const rehearsed = (bash: AnyTool): AnyTool => {
  const input = bash.input.extend({ dry_run: z.literal(true) }) as z.ZodObject;
  const tool: Tool = {
    ...bash,
    input,
    async run(permit, { host, signal, turn }) {
      const { command, timeout } = permit.input as { readonly command: string; readonly timeout?: number };
      const { ran, changes, unlisted, isComplete, workspace } = await host.shell.rehearse(permit, command, {
        signal,
        turn,
        seconds: timeout,
      });
      const diff = (await Promise.all(changes.map((change) => shown(change, workspace)))).join("\n");
      const output = ranOutput(ran);
      const count = changes.length + unlisted;
      const summary = [
        count === 0 ? "It would change nothing." : `It would change ${plural(count, "path")}. Nothing was kept.`,
        ...(unlisted > 0 ? [`The first ${changes.length} are listed.`] : []),
        ...(isComplete ? [] : ["There is more than could be looked at, so this list may be incomplete."]),
      ].join(" ");
      return {
        ...withNote(output, `[dry run] ${summary}`),
        diff,
        raw: { ...output.raw, changes: changes.map(({ path, kind }) => ({ path, kind })), unlisted, complete: isComplete },
      };
    },
  };
  return tool;
};

async function shown({ path: full, kind, before, after, detail }: Change, workspace: string): Promise<string> {
  const path = display(full, workspace);
  const line = `${kind}: ${path}${detail === undefined ? "" : ` (${detail})`}\n`;
  if (before === undefined || after === undefined || before === after) return line;
  const diff = await unifiedDiff(path, kind === "created" ? null : before, after);
  return diff === undefined ? line : detail === undefined ? diff : `${line}${diff}`;
}
