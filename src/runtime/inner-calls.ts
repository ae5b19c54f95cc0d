import { isServerTool } from "../core/facets.ts";
import { createAmbient } from "../text/ambient.ts";

/** The stores of the runtimes whose tools are running around the current work. Runtimes of one program that share a store are one here. */
const running = createAmbient<ReadonlySet<object>>();

/** Runs a program's own tool so that a call it makes is recognised. */
export const runProgramTool = <T>(store: object, tool: string, run: () => T): T =>
  isServerTool(tool) ? run() : running.run(new Set(running.current()).add(store), run);

/**
 * Whether a program's tool makes this call. It would have the rights of whoever opened the runtime, and not of the caller whose call runs the tool,
 * and its line in the audit log would name no caller.
 */
export const isInnerCall = (store: object): boolean => running.current()?.has(store) ?? false;
