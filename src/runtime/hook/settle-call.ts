import { randomUUID } from "node:crypto";
import type { ClientEnd, HookClient, HookedCall } from "../../hook/client.ts";
import { type StandInCall, type Translated, translateCall } from "../../hook/tools.ts";
import type { HookRuntime } from "./answer-hook.ts";
import type { DecideOptions } from "./client-decisions.ts";

/** A tool that nobody knows, or knows no longer, is judged by its own name, which none of our own tools has. */
export const callsOf = (client: HookClient, { tool, args }: HookedCall, translated: Translated): readonly StandInCall[] => {
  const foreign = { tool: tool.startsWith("mcp") ? tool : `${client.name}:${tool}`, args };
  if (translated.kind === "unknown") return [foreign];
  return translated.kind === "calls" ? translated.calls : [...translated.calls, foreign];
};

export const decideOptions = (client: HookClient, walls: "ours" | "none", call: HookedCall): DecideOptions => ({
  callId: call.callId ?? randomUUID(),
  clientTool: call.tool,
  client: {
    name: client.name,
    session: call.session,
    walls,
    unruled: client.can.asksItself ? "left to it" : "asked about",
  },
});

/** Tells a runtime how a call of a client ended. */
export async function settleCall({ zeph }: Pick<HookRuntime, "zeph">, client: HookClient, call: HookedCall, end: ClientEnd): Promise<void> {
  const { text, outcome, exitCode, durationMs } = end;
  const ended = {
    outcome,
    ...(text !== null && { text }),
    ...(exitCode !== undefined && { exitCode }),
    ...(durationMs !== undefined && { durationMs }),
  };
  for (const { tool, args } of callsOf(client, call, translateCall(client.tools, call)))
    await zeph.settle(tool, args, ended, decideOptions(client, "none", call));
}
