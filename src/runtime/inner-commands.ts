import { ToolCall } from "../core/call.ts";
import type { Door } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import { ToolRequest } from "../core/request.ts";
import type { AnyTool } from "../core/tool.ts";

/** Why a command that a tool chooses by itself is not run; null when it may be. It is judged as the call of `bash` it would be. */
export function innerCommandRefusal(door: Pick<Door, "would">, bash: AnyTool): (command: string) => Promise<string | null> {
  const tools = new Map([[bash.name, bash]]);
  return async (command) => {
    const call = ToolCall.parse(ToolRequest.from({ id: "inner command", name: bash.name, args: { command } })!, tools);
    if (call instanceof ToolError) return call.message;
    return (await door.would(call))?.why ?? null;
  };
}
