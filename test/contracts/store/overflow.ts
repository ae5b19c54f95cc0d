import { describe, expect, it } from "vitest";
import type { WithStore } from "./with-store.ts";

/** Texts that are too long to show. */
export function describeOverflow(name: string, withStore: WithStore): void {
  describe(`${name}: overflow`, () => {
    const mine = { session: "s1" };

    it(
      "keeps a text and gives it back to its owner alone",
      withStore(async ({ overflow }) => {
        const id = await overflow.put({ owner: mine, text: "long" });
        expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        expect(await overflow.get(mine, id)).toEqual({ id, handle: null, text: "long", createdAt: expect.any(Number) });
        expect(await overflow.get(mine, id.toUpperCase())).toMatchObject({ id });
        expect(await overflow.get({ session: "s2" }, id)).toBeNull();
        expect(await overflow.get({ conversation: "s1" }, id)).toBeNull();
        expect(await overflow.get(mine, "00000000-0000-4000-8000-000000000000")).toBeNull();
        expect(await overflow.find(id)).toMatchObject({ text: "long" });
      }),
    );

    it.each([
      ["nothing", ""],
      ["a megabyte", "ü".repeat(500_000)],
      ["a NUL", "a\0b"],
      ["a byte order mark", "\ufeffa"],
      ["characters beyond the first plane, combined, right to left", "🧪 e\u0301 עברית \u202e 𝒳"],
      ["line ends of every kind", "a\r\nb\rc\n\n"],
      ["quotes and SQL", `'; drop table tool_overflow; --"`],
    ])("keeps %s as it is", (_what, text) =>
      withStore(async ({ overflow }) => {
        const id = await overflow.put({ owner: mine, text });
        expect((await overflow.get(mine, id))!.text === text).toBe(true);
      })(),
    );

    it(
      "puts the sign for an unknown character where half a pair stood, so that no position moves",
      withStore(async ({ overflow }) => {
        const id = await overflow.put({ owner: mine, text: "a\ud800b" });
        expect((await overflow.get(mine, id))!.text).toBe("a\ufffdb");
      }),
    );

    it(
      "finds a handle again: the newest of its owner",
      withStore(async ({ overflow }) => {
        await overflow.put({ owner: mine, handle: 1, text: "first" });
        await overflow.put({ owner: mine, handle: 2, text: "second" });
        await overflow.put({ owner: mine, handle: 1, text: "first again" });
        await overflow.put({ owner: { session: "s2" }, handle: 3, text: "another's" });
        expect(await overflow.get(mine, "raw#1")).toMatchObject({ handle: 1, text: "first again" });
        expect(await overflow.get(mine, "raw#2")).toMatchObject({ handle: 2, text: "second" });
        for (const id of ["raw#3", "raw#0", "raw#", "raw#01", "raw#1 ", "raw#-1", "", "overflow:"])
          expect(await overflow.get(mine, id)).toBeNull();
        expect(await overflow.find("raw#3")).toMatchObject({ text: "another's" });
        expect(await overflow.newest()).toMatchObject({ text: "another's" });
      }),
    );

    it(
      "lists what is kept, newest first, with the call it came of and without the text",
      withStore(async ({ conversations, overflow }) => {
        const { id: conversation } = await conversations.create("/w", "a");
        const first = await overflow.put({ owner: mine, text: "x".repeat(600_000), callId: "call-1" });
        const second = await overflow.put({
          owner: { conversation },
          handle: 2,
          text: "Of a CONVERSATION, 100% 'quoted'",
          callId: "call-1",
        });
        const third = await overflow.put({ owner: mine, text: "of no call" });
        const [one, two, three] = await overflow.list({ limit: 10 });
        expect([three?.id, two?.id, one?.id]).toEqual([first, second, third]);
        expect(three).toEqual({ id: first, handle: null, chars: 600_000, createdAt: expect.any(Number), callId: "call-1" });
        expect(two).toEqual({ id: second, handle: 2, chars: 32, createdAt: expect.any(Number), callId: "call-1", conversation });
        expect(one).toEqual({ id: third, handle: null, chars: 10, createdAt: expect.any(Number) });
        const listed = async (filter: { id?: string; text?: string; callId?: string; limit?: number }) =>
          (await overflow.list({ limit: 10, ...filter })).map(({ id }) => id);
        expect(await listed({ limit: 1 })).toEqual([third]);
        expect(await listed({ callId: "call-1" })).toEqual([second, first]);
        expect(await listed({ callId: "call-2" })).toEqual([]);
        expect(await listed({ id: first })).toEqual([first]);
        expect(await listed({ text: "a conversation, 100% 'q" })).toEqual([second]);
        expect(await listed({ text: "1__%" })).toEqual([]);
        expect(await listed({ text: "OF" })).toEqual([third, second]);
        expect(await listed({ text: "of", limit: 1 })).toEqual([third]);
        // Across the place where a long text is divided.
        expect(await listed({ text: "x".repeat(550_000) })).toEqual([first]);
        expect(await overflow.totals()).toEqual({ texts: 3, chars: 600_042 });
      }),
    );

    it(
      "has no newest when it is empty",
      withStore(async ({ overflow }) => {
        expect(await overflow.newest()).toBeNull();
        expect(await overflow.list({ limit: 10 })).toEqual([]);
        expect(await overflow.totals()).toEqual({ texts: 0, chars: 0 });
      }),
    );

    it(
      "goes with its conversation, and nothing else goes",
      withStore(async ({ conversations, overflow }) => {
        const [a, b] = [await conversations.create("/w", "a"), await conversations.create("/w", "b")];
        const ids = [];
        for (const owner of [{ conversation: a.id }, { conversation: b.id }, mine]) ids.push(await overflow.put({ owner, text: "x" }));
        await overflow.put({ owner: { conversation: a.id }, handle: 1, text: "y" });
        await conversations.delete(a.id);
        expect(await Promise.all(ids.map(async (id) => (await overflow.find(id)) !== null))).toEqual([false, true, true]);
        expect(await overflow.find("raw#1")).toBeNull();
        expect(await overflow.get({ conversation: b.id }, ids[1]!)).not.toBeNull();
      }),
    );

    it(
      "refuses to keep for a conversation that is not there",
      withStore(async ({ overflow }) => {
        await expect(overflow.put({ owner: { conversation: "none" }, text: "x" })).rejects.toThrow();
        expect(await overflow.newest()).toBeNull();
      }),
    );

    it(
      "expires what is older than a moment, however much it is",
      withStore(async ({ overflow }) => {
        for (let i = 0; i < 120; i++) await overflow.put({ owner: mine, text: `old ${i}` });
        const { createdAt } = (await overflow.newest())!;
        expect(await overflow.expire(createdAt - 60_000)).toBe(0);
        while (Date.now() <= createdAt) await new Promise(setImmediate);
        const young = await overflow.put({ owner: mine, text: "young" });
        expect(await overflow.expire(createdAt + 1)).toBe(120);
        expect(await overflow.get(mine, young)).not.toBeNull();
        expect(await overflow.expire(createdAt + 1)).toBe(0);
      }),
    );
  });
}
