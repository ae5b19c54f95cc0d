import { toolsetsOf, toolsOf } from "../core/toolset.ts";
import { createApi } from "./api.ts";
import { openClosers } from "./close.ts";
import { createJudges } from "./judges.ts";
import { openMachine } from "./machine.ts";
import { createPath } from "./path.ts";
import type { OpenOptions, RuntimeInternals } from "./runtime.ts";
import { openToolbox } from "./toolbox.ts";

export { scriptModel } from "../models/script-model.ts";
export { type Diagnosis, examine, examineGit, removeCaches } from "./doctor.ts";
export type { Judgement, RuntimeInternals, RuntimeOptions, ToolInfo, Zeph } from "./runtime.ts";
export { type Desk, openDesk } from "./settings/stores.ts";

/** Opens a runtime by lifetime: each step needs only those before it. What was opened is closed again when a later step fails. */
export async function openRuntime(options: OpenOptions = {}): Promise<RuntimeInternals> {
  for (const toolset of toolsetsOf(options.toolsets)) toolsOf(toolset);
  const closers = openClosers();
  try {
    const machine = await openMachine(options, closers);
    const toolbox = await openToolbox(machine, closers);
    const judges = createJudges(machine, toolbox);
    if (options.servers !== "later") await toolbox.mcp.meet();
    const closing = new AbortController();
    const path = createPath(machine, toolbox, judges, closing.signal);
    const api = createApi(machine, toolbox, judges, path, closers, openRuntime);
    closers.add(machine.central.follow(judges.reload, machine.warn));
    if (options.watch) closers.add(judges.reload.watch().close);
    // Nobody is left to hear an answer; what runs already is waited for.
    closers.add(() => closing.abort());
    return api;
  } catch (error) {
    await closers.close().catch(() => {});
    throw error;
  }
}
