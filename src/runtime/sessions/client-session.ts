import type { Caller } from "../../core/session.ts";
import type { TurnContext } from "../../core/turn.ts";

const CLIENT = "client:";

/** By whose name the calls of a client's session are judged, and what gates remember of them is remembered. */
export function clientCaller(client: string, session: string): Caller & { readonly callerId: string } {
  const id = `${CLIENT}${client} ${session}`;
  return { phase: "executor", callerId: id, rights: Object.freeze({ id }) };
}

/** The owner of what is remembered of a client's session; null for any other turn. */
export const sessionOwner = ({ rights, conversationId }: TurnContext): string | null =>
  rights?.id.startsWith(CLIENT) && conversationId === undefined ? `caller ${rights.id}` : null;
