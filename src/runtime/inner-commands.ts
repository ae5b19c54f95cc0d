import { ToolCall } from "../core/call.ts";
import type { Door } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import { ToolRequest } from "../core/request.ts";
import type { AnyTool } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";

/** Why a command that a tool chooses by itself is not run; null when it may be. It is judged as the call of `bash` it would be. */
export function innerCommandRefusal(
  door: Pick<Door, "would">,
  bash: AnyTool,
): (command: string, turn: TurnContext) => Promise<string | null> {
  const tools = new Map([[bash.name, bash]]);
  return async (command, turn) => {
    const call = ToolCall.parse(ToolRequest.from({ id: "inner command", name: bash.name, args: { command } })!, tools);
    if (call instanceof ToolError) return call.message;
    const objection = await door.would(call, { ...turn, phase: "verifier" });
    return objection && (objection.told ?? objection.why);
  };
}
