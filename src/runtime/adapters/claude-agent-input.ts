import { posix } from "node:path";
import { isRecord } from "../../text/json.ts";
import { quoteShellAlways } from "../../text/quote-shell.ts";

/** Arguments of Claude's tools that are paths. */
const PATHS = ["file_path", "notebook_path", "path"] as const;
/** Without a path these look where Claude stands. */
const SEARCHES: ReadonlySet<unknown> = new Set(["Grep", "Glob"]);

/** Claude's shell may stand in another folder than the runtime: what is relative to that folder is judged there. */
export function placedInput(input: Readonly<Record<string, unknown>>, workspace: string): Record<string, unknown> {
  const { cwd, tool_name: tool, tool_input: args } = input;
  const placed = typeof cwd === "string" && cwd.startsWith("/") ? cwd : workspace;
  if (placed === workspace || !isRecord(args)) return { ...input, cwd: placed };
  const paths = PATHS.flatMap((name): [string, unknown][] => {
    const given = args[name];
    if (given === undefined) return name === "path" && SEARCHES.has(tool) ? [[name, placed]] : [];
    return typeof given === "string" ? [[name, posix.resolve(placed, given)]] : [];
  });
  const { command } = args;
  const commands = typeof command === "string" ? { command: `cd ${quoteShellAlways(placed)}\n${command}` } : {};
  return { ...input, cwd: placed, tool_input: { ...args, ...Object.fromEntries(paths), ...commands } };
}
