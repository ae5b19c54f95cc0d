import type { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { Facts } from "../core/ports/facts.ts";
import { display } from "../text/path.ts";

/**
 * A path that a file tool does not find, and that is there from the folder in which the turn's commands run. It is told only of a path that the caller
 * might read without a question: `mayRead`.
 */
export async function explainMissing(
  call: ToolCall,
  error: ToolError,
  { cwd, exists }: Pick<Facts, "cwd" | "exists">,
  mayRead: (path: string) => Promise<boolean>,
): Promise<ToolError> {
  if (call.cwd === null || call.tool.effect === "runs" || !error.message.includes("(ENOENT)")) return error;
  for (const touch of call.touches) {
    // What is to be made need not be there.
    if (touch.kind !== "path" || touch.access === "write" || /^[/~]/.test(touch.path) || exists(touch.path)) continue;
    const path = `${call.cwd}/${touch.path}`;
    if (!exists(path) || !(await mayRead(path))) continue;
    const { category, message, output, advice, cause } = error;
    const why = `File tools count from the workspace; bash is in ${display(call.cwd, cwd)}: name it ${display(path, cwd)}.`;
    return new ToolError(category, `${message} ${why}`, { cause, ...(output && { output }), ...(advice && { advice }) });
  }
  return error;
}
