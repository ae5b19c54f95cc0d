import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/core/ports/model.ts";
import type { Conversations, StoredMessage } from "../../../src/core/ports/store.ts";
import type { WithStore } from "./with-store.ts";

/** Transcripts. */
export function describeConversations(name: string, withStore: WithStore): void {
  describe(`${name}: conversations`, () => {
    it(
      "creates one and finds it again",
      withStore(async ({ conversations }) => {
        const made = await conversations.create("/w", "Fix the build");
        expect(made.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        expect(made).toMatchObject({ workspace: "/w", title: "Fix the build" });
        expect(Math.abs(made.createdAt - Date.now())).toBeLessThan(60_000);
        expect(Number.isInteger(made.createdAt)).toBe(true);
        expect(await conversations.get(made.id)).toEqual(made);
        expect(await conversations.get("none")).toBeNull();
      }),
    );

    it(
      "keeps every kind of message as it was",
      withStore(async ({ conversations }) => {
        const { id } = await conversations.create("/w", "");
        const messages: Message[] = [
          user("hello"),
          {
            role: "assistant",
            model: "a/b",
            parts: [
              { type: "thinking", text: "", meta: { anthropic: { signature: "=" } } },
              { type: "request", id: "1", callId: "c", name: "read", args: { path: "a", deep: [null, { x: 1.5 }] } },
            ],
          },
          { role: "tool", id: "1", text: "line\nline\t\u001b[31m" },
          {
            role: "tool",
            id: "2",
            text: "[image 1]",
            media: [
              { kind: "image", mediaType: "image/png", data: "iVBO".repeat(200_000), bytes: 600_000, sha256: "ab", width: 4, height: 3 },
            ],
          },
        ];
        await conversations.append(id, messages);
        expect(await allMessages(conversations, id)).toEqual(messages.map((message, i) => ({ position: i + 1, message })));
      }),
    );

    it.each([
      ["a megabyte", "ü".repeat(500_000)],
      ["characters beyond the first plane, combined, right to left", "🧪 e\u0301 עברית \u202e \ufeff 𝒳"],
      ["a NUL", "a\0b"],
      ["half a surrogate pair", "\ud800"],
      ["quotes and SQL", `'; drop table messages; --"`],
    ])("keeps %s in a message", (_what, text) =>
      withStore(async ({ conversations }) => {
        const { id } = await conversations.create("/w", "t");
        await conversations.append(id, [user(text)]);
        const [stored] = await allMessages(conversations, id);
        expect((stored!.message as { text: string }).text === text).toBe(true);
      })(),
    );

    it(
      "refuses a NUL in a title instead of cutting it",
      withStore(async ({ conversations }) => {
        await expect(conversations.create("/w", "a\0b")).rejects.toThrow("NUL");
        expect(await conversations.list({ limit: 10 })).toEqual([]);
      }),
    );

    it(
      "reads a window",
      withStore(async ({ conversations }) => {
        const { id } = await conversations.create("/w", "t");
        await conversations.append(id, [1, 2, 3, 4].map(numbered));
        await conversations.append(id, [5, 6].map(numbered));
        const positions = async (after: number, limit: number) =>
          (await conversations.messages(id, { after, limit })).map((m) => m.position);
        expect(await positions(0, 3)).toEqual([1, 2, 3]);
        expect(await positions(3, 10)).toEqual([4, 5, 6]);
        expect(await positions(6, 10)).toEqual([]);
        expect(await positions(0, 0)).toEqual([]);
        expect(await positions(0, -1)).toEqual([]);
        expect(await positions(4, Number.POSITIVE_INFINITY)).toEqual([5, 6]);
        expect(await conversations.messages("none", { after: 0, limit: 5 })).toEqual([]);
      }),
    );

    it(
      "gives every message of concurrent appends its own position, each append in one piece",
      withStore(async ({ conversations }) => {
        const { id } = await conversations.create("/w", "t");
        await Promise.all(Array.from({ length: 40 }, (_, i) => conversations.append(id, [numbered(i * 2), numbered(i * 2 + 1)])));
        const stored = await allMessages(conversations, id);
        expect(stored.map((m) => m.position)).toEqual(Array.from({ length: 80 }, (_, i) => i + 1));
        const numbers = stored.map((m) => Number((m.message as { text: string }).text));
        expect(numbers.every((n, i) => i % 2 === 0 || n === numbers[i - 1]! + 1)).toBe(true);
        expect(new Set(numbers).size).toBe(80);
      }),
    );

    it(
      "goes on only from where it was left, and remembers what was counted and what is shown",
      withStore(async ({ conversations }) => {
        const { id } = await conversations.create("/w", "t");
        const counted = { tokens: 120, position: 0 };
        expect(await conversations.append(id, [user("a")], { after: 0, counted })).toBe(1);
        await expect(conversations.append(id, [user("b")], { after: 0, counted })).rejects.toThrow("Another process has gone on");
        expect(await conversations.append(id, [user("b")], { after: 1, counted: { tokens: 140, position: 1 } })).toBe(2);
        expect(await conversations.append(id, [user("c")])).toBe(3);
        expect(await conversations.get(id)).toMatchObject({
          length: 3,
          windowStart: 0,
          elidedUntil: 0,
          counted: { tokens: 140, position: 1 },
        });
        await conversations.startWindow(id, { start: 2, elidedUntil: 1, counted: { tokens: 9, position: 3 } });
        expect(await conversations.get(id)).toMatchObject({
          length: 3,
          windowStart: 2,
          elidedUntil: 1,
          counted: { tokens: 9, position: 3 },
        });
      }),
    );

    it(
      "appends all or nothing",
      withStore(async ({ conversations }) => {
        const { id } = await conversations.create("/w", "t");
        const before = await conversations.get(id);
        const cyclic = { role: "user", text: "x", self: {} };
        cyclic.self = cyclic;
        await expect(conversations.append(id, [numbered(1), cyclic as unknown as Message])).rejects.toThrow();
        expect(await allMessages(conversations, id)).toEqual([]);
        expect(await conversations.get(id)).toEqual(before);
        await conversations.append(id, [numbered(1)]);
        expect((await allMessages(conversations, id)).map((m) => m.position)).toEqual([1]);
      }),
    );

    it(
      "refuses to append to a conversation that is not there",
      withStore(async ({ conversations }) => {
        await expect(conversations.append("none", [user("x")])).rejects.toThrow("no conversation none");
      }),
    );

    it(
      "lists the last changed first, of one workspace or of all",
      withStore(async ({ conversations }) => {
        const a = await conversations.create("/one", "a");
        const b = await conversations.create("/two", "b");
        const c = await conversations.create("/one", "c");
        const titles = async (filter: { workspace?: string; limit: number }) => (await conversations.list(filter)).map((x) => x.title);
        expect(await titles({ limit: 10 })).toEqual(["c", "b", "a"]);
        await conversations.append(a.id, [user("again")]);
        expect(await titles({ limit: 10 })).toEqual(["a", "c", "b"]);
        expect(await titles({ limit: 2 })).toEqual(["a", "c"]);
        expect(await titles({ workspace: "/one", limit: 10 })).toEqual(["a", "c"]);
        expect(await titles({ workspace: "/none", limit: 10 })).toEqual([]);
        expect((await conversations.get(a.id))!.updatedAt).toBeGreaterThan(c.updatedAt);
        expect((await conversations.get(b.id))!.updatedAt).toBe(b.updatedAt);
      }),
    );

    it(
      "deletes a conversation with its messages, and no other",
      withStore(async ({ conversations }) => {
        const a = await conversations.create("/w", "a");
        const b = await conversations.create("/w", "b");
        await conversations.append(a.id, [user("x")]);
        await conversations.append(b.id, [user("y")]);
        expect(await conversations.delete(a.id)).toBe(true);
        expect(await conversations.delete(a.id)).toBe(false);
        expect(await allMessages(conversations, a.id)).toEqual([]);
        expect(await allMessages(conversations, b.id)).toHaveLength(1);
        expect(await conversations.get(a.id)).toBeNull();
      }),
    );
  });
}

export const user = (text: string): Message => ({ role: "user", text });
export const numbered = (n: number): Message => user(String(n));
export const allMessages = (conversations: Conversations, id: string): Promise<readonly StoredMessage[]> =>
  conversations.messages(id, { after: 0, limit: 1000 });
