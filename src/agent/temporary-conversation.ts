import { randomUUID } from "node:crypto";
import type { Message } from "../core/ports/model.ts";
import type { Conversations } from "../core/ports/store.ts";

/** A conversation that nobody keeps: for a turn inside a turn, of which only the last words matter. */
export function createTemporaryConversation(workspace: string): { readonly id: string; readonly conversations: Conversations } {
  const id = randomUUID();
  const messages: Message[] = [];
  const now = Date.now();
  let window = { start: 0, elidedUntil: 0, counted: { tokens: 0, position: 0 } };
  const itself = async () => ({
    id,
    workspace,
    title: "",
    createdAt: now,
    updatedAt: now,
    length: messages.length,
    windowStart: window.start,
    elidedUntil: window.elidedUntil,
    counted: window.counted,
    // Its turn is that of another conversation, which has the marks.
    seen: { untrusted: false },
  });
  return {
    id,
    conversations: {
      create: itself,
      get: itself,
      list: async () => [await itself()],
      append: async (_id, more) => messages.push(...more),
      messages: async (_id, { after, limit }) =>
        messages.slice(after, after + limit).map((message, n) => ({ message, position: after + n + 1 })),
      async startWindow(_id, next) {
        window = next;
      },
      mark: async () => {},
      delete: async () => false,
    },
  };
}
