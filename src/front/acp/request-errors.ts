import { RequestError } from "@agentclientprotocol/sdk";
import { visible } from "../../text/visible.ts";

/** Errors whose message was written for the person who reads it. */
const FOR_PEOPLE: readonly string[] = ["ConfigError", "StoreError", "ModelError", "ConversationError"];

/** Whatever goes wrong is an answer that says what. */
export async function withRequestErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    const { name, message } = error instanceof Error ? error : new Error(String(error));
    if (name === "ConversationError") throw new RequestError(-32602, visible(message));
    throw new RequestError(-32603, FOR_PEOPLE.includes(name) ? visible(message) : `A mistake in Zeph itself: ${visible(message)}`);
  }
}
