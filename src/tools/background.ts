import * as z from "zod";
import { ToolError } from "../core/error.ts";
import { defineOwnTool } from "../core/tool.ts";
import { ranOutput } from "./command-output.ts";

const DEFAULT_WAIT = 30;

export const background = defineOwnTool({
  name: "background",
  description: "Commands that bash started in the background: list them, wait for the end of one, or kill one.",
  // What it can reach was judged when the run was started.
  effect: "stores",
  facets: { answers: "fresh", shape: "whole", needs: "nothing", about: "work" },
  input: () =>
    z.strictObject({
      action: z.enum(["list", "wait", "kill"]),
      run_id: z.string().min(1).optional().describe("For wait and kill"),
      seconds: z.number().min(0).max(600).optional().describe(`How long to wait, at most 600 (${DEFAULT_WAIT})`),
    }),
  touches: () => [],
  async run(permit, { host, signal, turn }) {
    const { action, run_id, seconds = DEFAULT_WAIT } = permit.input;
    if (action === "list") {
      const runs = await host.shell.list(permit, turn);
      if (runs.length === 0) return { text: "No background command is running.", raw: [] };
      return { text: runs.map(({ runId, command, startedAt }) => `${runId} (${age(startedAt)}) ${command}`).join("\n"), raw: runs };
    }
    if (run_id === undefined) throw new ToolError("invalid_parameters", `run_id is missing: ${action} needs to know which run.`);
    if (action === "kill") return ranOutput(await host.shell.kill(permit, run_id, turn));
    const ran = await host.shell.wait(permit, run_id, seconds, { turn, signal });
    return ran ? ranOutput(ran) : { text: `${run_id} still runs after ${seconds} s.` };
  },
});

const age = (startedAt: number) => `${Math.round((Date.now() - startedAt) / 1000)} s`;
