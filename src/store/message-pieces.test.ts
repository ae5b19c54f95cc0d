import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, describe, expect, it } from "vitest";
import type { Message } from "../core/ports/model.ts";
import { openStore } from "./open.ts";

const root = mkdtempSync(join(tmpdir(), "zeph-pieces-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const assistant = (text: string): Message => ({ role: "assistant", model: "m", parts: [{ type: "text", text }] });
const LONG = "okapi in the tall grass\n".repeat(30_000);

async function conversation() {
  const folder = mkdtempSync(join(root, "f-"));
  const file = join(folder, "zeph.db");
  const store = openStore(file);
  const { id } = await store.conversations.create("/w", "t");
  const rawRows = () => {
    const db = new DatabaseSync(file);
    const { n } = db.prepare("select count(*) as n from message_pieces").get() as { n: number };
    db.close();
    return n;
  };
  const holds = (text: string) => readdirSync(folder).some((name) => readFileSync(join(folder, name)).includes(text));
  return {
    store,
    id,
    rawRows,
    holds,
    all: async () => (await store.conversations.messages(id, { after: 0, limit: 10 })).map((one) => one.message),
  };
}

describe("a message of megabytes", () => {
  it("comes back as it was said, whatever its pieces begin and end with", async () => {
    const { store, id, rawRows, all } = await conversation();
    const odd = `\ud83e\udd8c${"\ud83e\udd8c".repeat(300_000)}\0 and half a character: \udd8c`;
    const args = { path: "a", edits: [{ old: LONG, new: odd.slice(1) }], __proto__x: 1 };
    const messages: Message[] = [
      { role: "user", text: odd },
      { role: "assistant", model: "m", parts: [{ type: "request", id: "1", callId: "c", name: "write", args }] },
      { role: "tool", id: "1", text: "short" },
    ];
    await store.conversations.append(id, messages);
    expect(rawRows()).toBeGreaterThan(6);
    expect(await all()).toEqual(messages);
    await store.close();
  });

  it("lets others have their turn while it is written and read", async () => {
    const { store, id, all } = await conversation();
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    await store.conversations.append(id, [assistant(LONG.repeat(20))]);
    isOver = true;
    expect(turns).toBeGreaterThan(2);
    expect(await all()).toEqual([assistant(LONG.repeat(20))]);
    await store.close();
  });

  it("is found by the words it begins with", async () => {
    const { store, id } = await conversation();
    await store.conversations.append(id, [assistant(`zebra ${LONG}`)]);
    const { hits } = await store.memories.search({ text: "zebra", workspace: "/w", limit: 10 });
    expect(JSON.stringify(hits)).toContain("zebra");
    await store.close();
  });

  it("leaves nothing behind when another process has gone on with the conversation", async () => {
    const { store, id, rawRows, all } = await conversation();
    await store.conversations.append(id, [{ role: "user", text: "first" }]);
    const stale = { after: 0, counted: { tokens: 0, position: 0 } };
    await expect(store.conversations.append(id, [assistant(LONG)], stale)).rejects.toThrow("Another process has gone on");
    expect(rawRows()).toBe(0);
    expect(await all()).toHaveLength(1);
    await store.close();
  });

  it("is refused for a conversation that is not there", async () => {
    const { store, rawRows } = await conversation();
    await expect(store.conversations.append("none", [assistant(LONG)])).rejects.toThrow("There is no conversation none");
    expect(rawRows()).toBe(0);
    await store.close();
  });

  it("is gone with its conversation, to the last word", async () => {
    const { store, id, rawRows, holds } = await conversation();
    await store.conversations.append(id, [assistant(`${LONG}quokka at the end`)]);
    expect(holds("quokka at the end")).toBe(true);
    await store.conversations.delete(id);
    expect(rawRows()).toBe(0);
    expect(holds("quokka at the end")).toBe(false);
    await store.close();
  });
});
