import type { HookClient, HookedCall } from "../../hook/client.ts";
import type { HookRuntime } from "./answer-hook.ts";
import type { Ruling } from "./rulings.ts";

/** The span around the judging of a call that another agent makes. How long it then runs is that agent's to tell. */
export function traceHook(
  { tracing }: Pick<HookRuntime, "tracing">,
  client: Pick<HookClient, "name">,
  { tool, args, callId, session }: Pick<HookedCall, "tool" | "args" | "callId" | "session">,
  judge: () => Promise<Ruling>,
): Promise<Ruling> {
  const name = TOOL_NAME.test(tool) ? tool : "(unknown)";
  const named = () => ({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": name,
    "gen_ai.tool.type": "function",
    ...(callId !== null && { "gen_ai.tool.call.id": callId }),
    "gen_ai.agent.name": client.name,
    "gen_ai.conversation.id": session,
  });
  return tracing.span(`execute_tool ${name}`, "internal", named, async (span) => {
    span.content(() => ({ "gen_ai.tool.call.arguments": args }));
    const ruling = await judge();
    span.set({ "zeph.decision": ruling.verdict, ...(ruling.gate !== null && { "zeph.gate": ruling.gate }) });
    if (ruling.verdict === "deny") span.fail("policy_blocked");
    return ruling;
  });
}

/** What agents call their tools. Anything else is a text, and there is no end to those. */
const TOOL_NAME = /^[\w.:/-]{1,100}$/;
