import { randomUUID } from "node:crypto";
import { type ElicitationPropertySchema, methods } from "@agentclientprotocol/sdk";
import type { Elicitation, Elicited } from "../../core/ports/elicitation.ts";
import { elicitationMessage, formSchema, readElicited } from "../../question/elicitation.ts";
import type { Wire } from "./wire.ts";

const CANCEL: Elicited = { action: "cancel" };

/** Puts the question of an MCP server to the person, where the editor can. Else nobody answered. */
export async function askElicitation(wire: Wire, asked: Elicitation, signal: AbortSignal): Promise<Elicited> {
  const can = wire.can.elicitation;
  if (signal.aborted || !(asked.kind === "form" ? can?.form : can?.url)) return CANCEL;
  const about = { sessionId: wire.sessionId, message: elicitationMessage(asked) };
  const request =
    asked.kind === "form"
      ? { ...about, mode: "form" as const, requestedSchema: formSchema<ElicitationPropertySchema>(asked) }
      : { ...about, mode: "url" as const, elicitationId: randomUUID(), url: asked.url };
  try {
    const answer = await wire.client.request(methods.client.elicitation.create, request, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    return signal.aborted ? CANCEL : readElicited(asked, answer);
  } catch {
    return CANCEL;
  }
}
