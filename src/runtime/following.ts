import { ToolCall } from "../core/call.ts";
import type { ApprovedCall } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Refusal } from "../core/ports/facts.ts";
import { ToolRequest } from "../core/request.ts";
import type { CallContext } from "../core/tool.ts";
import type { Gates } from "./rules/gates.ts";

/** Those who look at the address itself. */
const OF_ADDRESSES: readonly string[] = ["scoped", "policy", "authorization"];

/** Why a call that was let in may not be sent on to another address: each who judges addresses judges it as if it had been asked for. */
export function following(gates: () => Gates): (permit: ApprovedCall, url: string, ctx: CallContext) => Promise<Refusal | null> {
  return async ({ call }, url, { turn }) => {
    const { permission, rules } = gates();
    const bar = permission.follows(call.tool, url);
    if (bar || typeof call.input?.url !== "string") return bar;
    const request = ToolRequest.from({ id: call.id, name: call.tool.name, args: { ...call.input, url } });
    const moved = request && ToolCall.parse(request, new Map([[call.tool.name, call.tool]]), call.cwd);
    if (!moved || moved instanceof ToolError) return { rule: "redirect", why: "The address it is sent on to is none this tool takes." };
    for (const gate of rules.gates) {
      const verdict = OF_ADDRESSES.includes(gate.name) ? await gate.judge(moved, turn) : null;
      if (verdict && verdict.kind !== "pass") return { rule: `${gate.name}: ${verdict.rule}`, why: verdict.told ?? verdict.why };
    }
    return null;
  };
}
