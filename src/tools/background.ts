import * as z from "zod";
import type { DraftPart } from "../core/draft.ts";
import { ToolError } from "../core/error.ts";
import { defineOwnTool } from "../core/tool.ts";
import { endedOutput, lookParts } from "./command-output.ts";

const DEFAULT_WAIT = 30;

export const background = defineOwnTool({
  name: "background",
  description:
    "Commands that bash started in the background: list them, read what one printed since the last look, wait for its end, or kill it.",
  // What it can reach was judged when the run was started.
  effect: "stores",
  facets: { answers: "fresh", shape: "whole", needs: "nothing", about: "work" },
  input: () =>
    z.strictObject({
      action: z.enum(["list", "read", "wait", "kill"]),
      run_id: z.string().min(1).optional().describe("Not for list"),
      seconds: z.number().min(0).max(600).optional().describe(`How long to wait, at most 600 (${DEFAULT_WAIT})`),
    }),
  touches: () => [],
  async run(permit, { host, signal, turn }) {
    const { action, run_id, seconds = DEFAULT_WAIT } = permit.input;
    if (action === "list") {
      const runs = await host.shell.list(permit, turn);
      if (runs.length === 0) return { text: "No background command is running.", raw: [] };
      return {
        parts: runs.flatMap((run): DraftPart[] => {
          const output = lookParts(run);
          return [
            { kind: "text", text: `${run.runId} (${age(run.startedAt)}) ${run.command}${output.length === 0 ? waiting(run) : ""}` },
            ...output,
          ];
        }),
        raw: runs.map(({ runId, command, startedAt }) => ({ runId, command, startedAt })),
      };
    }
    if (run_id === undefined) throw new ToolError("invalid_parameters", `run_id is missing: ${action} needs to know which run.`);
    if (action === "kill") return endedOutput(run_id, await host.shell.kill(permit, run_id, turn));
    const found = await host.shell.wait(permit, run_id, action === "read" ? 0 : seconds, { turn, signal });
    if (found && "exitCode" in found) return endedOutput(run_id, found);
    const output = lookParts(found ?? {});
    const still = `${run_id} still runs${action === "wait" ? ` after ${seconds} s` : ""}${output.length === 0 ? "; no new output" : ""}.`;
    return { parts: [{ kind: "text", text: still }, ...output] };
  },
});

const waiting = ({ newLines = 0 }: { readonly newLines?: number }): string =>
  newLines === 0 ? "" : ` [new lines: ${newLines}; read shows them]`;

const age = (startedAt: number) => `${Math.round((Date.now() - startedAt) / 1000)} s`;
