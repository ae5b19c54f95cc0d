import type { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { Facts } from "../core/ports/facts.ts";
import { display } from "../text/path.ts";

/**
 * A path that a file tool does not find, and that is there from the folder in which the turn's commands run. It is looked for only where the file
 * tools may read, so nothing is told that they would not tell.
 */
export async function explainMissing(
  call: ToolCall,
  error: ToolError,
  { cwd, exists, access }: Pick<Facts, "cwd" | "exists" | "access">,
): Promise<ToolError> {
  if (call.cwd === null || call.tool.effect === "runs" || !error.message.includes("(ENOENT)")) return error;
  for (const touch of call.touches) {
    if (touch.kind !== "path" || /^[/~]/.test(touch.path) || exists(touch.path)) continue;
    const path = `${call.cwd}/${touch.path}`;
    if (!exists(path) || (await access({ ...touch, access: "read", path })) !== null) continue;
    const { category, message, output, advice, cause } = error;
    const why = `File tools count from the workspace; bash is in ${display(call.cwd, cwd)}: name it ${display(path, cwd)}.`;
    return new ToolError(category, `${message} ${why}`, { cause, ...(output && { output }), ...(advice && { advice }) });
  }
  return error;
}
