import { expect, it } from "vitest";
import type { Conversation, Store } from "../../core/ports/store.ts";
import { createConversation } from "./current-conversation.ts";

const IDS = ["0b7c1c1e-9f3e-4b43-9d4c-1f9a4c1b2a3d", "0b7c1c1e-0000-4b43-9d4c-1f9a4c1b2a3d", "ffffff1e-9f3e-4b43-9d4c-1f9a4c1b2a3d"];
/** Real ids are random; here two of them begin alike. */
const conversations = {
  get: async (id: string) => (IDS.includes(id) ? ({ id, workspace: "/w" } as Conversation) : null),
  list: async ({ workspace }: { workspace?: string }) => (workspace === "/w" ? IDS.map((id) => ({ id }) as Conversation) : []),
};
const opened = async (wanted: string, workspace = "/w") => {
  const store = { conversations } as unknown as Store;
  return (
    await createConversation({ store, workspace, fixedTokens: () => 0, redact: (text) => text, recall: () => {}, heard: () => {} }, wanted)
  ).id();
};

it("finds a conversation by its id, or by a beginning that only it has", async () => {
  for (const id of IDS) expect(await opened(id)).toBe(id);
  expect(await opened("FFFFFF")).toBe(IDS[2]);
  expect(await opened("0b7c1c1e-9")).toBe(IDS[0]);
});

it.each([
  ["0b7c1c", "/w", "Several conversations begin with 0b7c1c. Give more of the id"],
  ["abcdef", "/w", "There is no conversation in this folder whose id begins with abcdef."],
  ["ffffff", "/other", "There is no conversation in this folder whose id begins with ffffff."],
  ["fffff", "/w", "There is no conversation fffff."],
  ["nope", "/w", "There is no conversation nope."],
  [IDS[2]!, "/other", "belongs to /w"],
])("says why %s in %s is none", async (wanted, workspace, message) => {
  await expect(opened(wanted, workspace)).rejects.toThrow(message);
});
