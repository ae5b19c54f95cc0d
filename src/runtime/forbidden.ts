import { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { Blocklist } from "../core/gate/gate.ts";
import type { Facts } from "../core/ports/facts.ts";
import { ToolRequest } from "../core/request.ts";
import type { AnyTool } from "../core/tool.ts";
import { understandFrom } from "../gates/permissions/commands.ts";
import { confirmations } from "../gates/permissions/rules-confirm.ts";

export interface Forbidding {
  readonly bash: AnyTool;
  readonly blocked: Blocklist;
  readonly facts: Facts;
  /** Patterns that a person wants to be asked about. */
  confirm(): readonly string[];
}

/** Whether a program that a tool chooses by itself may run unasked: not when bash would refuse the same command, or would have to ask. */
export function forbidden({ bash, blocked, facts, confirm }: Forbidding): (command: string) => Promise<string | null> {
  const tools = new Map([[bash.name, bash]]);
  return async (command) => {
    const call = ToolCall.parse(ToolRequest.from({ id: "forbidden", name: bash.name, args: { command } })!, tools);
    if (call instanceof ToolError) return call.message;
    const hit = await blocked(call);
    if (hit) return hit.why;
    const reason = confirmations(confirm())(understandFrom(command, null), command, facts);
    return reason && `"${reason.pattern}" is asked about (tools.shell.confirm_patterns), so run it with bash.`;
  };
}
