import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/core/ports/model.ts";
import type { Memories } from "../../../src/core/ports/store.ts";
import { found, recalledText } from "./memories.ts";
import type { WithStore } from "./with-store.ts";

/** What every store must find, by words and by meaning. */
export function describeSearch(name: string, withStore: WithStore): void {
  describe(`${name}: search`, () => {
    it(
      "finds memories by their words, the best first, here and everywhere, and not those of others",
      withStore(async ({ memories }) => {
        await memories.save({ content: "the server runs zebra", workspace: "/w", untrusted: false });
        await memories.save({ content: "zebra zebra zebra: how to deploy", workspace: null, untrusted: false });
        await memories.save({ content: "another's zebra deploys", workspace: "/other", untrusted: false });
        await memories.save({ content: "unrelated", workspace: "/w", untrusted: false });
        expect(await found(memories, "zebra deploying", "/w")).toEqual(["zebra zebra zebra: how to deploy", "the server runs zebra"]);
        expect(await found(memories, "ZÉBRA", "/w")).toHaveLength(2);
        expect(await found(memories, "zeb", "/w")).toEqual([]);
      }),
    );

    it.each([300, 1200])("finds its own among %d that others have, and words that are everywhere", (count) =>
      withStore(async ({ memories, conversations }) => {
        const talk = async (workspace: string, texts: readonly string[]) =>
          conversations.append((await conversations.create(workspace, "t")).id, texts.map(user));
        await memories.save({ content: "my zebra", workspace: "/w", untrusted: false });
        await talk("/w", ["where is my zebra?"]);
        for (let n = 0; n < count; n++) await memories.save({ content: `zebra ${n}`, workspace: "/other", untrusted: false });
        await talk(
          "/other",
          Array.from({ length: count }, (_, n) => `zebra ${n}`),
        );
        expect(await found(memories, "zebra", "/w")).toEqual(["my zebra", "where is my zebra?"]);
        const rare = (await found(memories, "zebra 77", "/other")).slice(0, 1);
        expect(rare).toEqual(["zebra 77"]);
      })(),
    );

    it(
      "finds what is written without spaces",
      withStore(async ({ memories, conversations }) => {
        await memories.save({ content: "サーバーの配備は金曜日に行う", workspace: "/w", untrusted: false });
        const { id } = await conversations.create("/w", "t");
        await conversations.append(id, [user("部署服务器的方法")]);
        expect(await found(memories, "金曜日の配備", "/w")).toEqual(["サーバーの配備は金曜日に行う"]);
        expect(await found(memories, "服务器", "/w")).toEqual(["部署服务器的方法"]);
      }),
    );

    it.each(["", "   ", "!!! ??? --", "*", '"', "''", "\u200b", "🧪"])("of %j finds nothing and does not fail", (text) =>
      withStore(async ({ memories }) => {
        await memories.save({ content: 'a "b" * 🧪', workspace: "/w", untrusted: false });
        expect(await memories.search({ text, workspace: "/w", limit: 5 })).toMatchObject({ hits: [], damaged: 0 });
      })(),
    );

    it.each([
      "content:zebra",
      'zebra" OR "a',
      "zebra NEAR(x)",
      "NOT zebra",
      "zebra AND",
      "^zebra",
      "(zebra",
      "zebra*",
      "{a b}: zebra",
      "'; --zebra",
    ])("takes the words of %j and nothing else", (text) =>
      withStore(async ({ memories }) => {
        await memories.save({ content: "a zebra", workspace: "/w", untrusted: false });
        expect(await found(memories, text, "/w")).toEqual(["a zebra"]);
      })(),
    );

    it(
      "is quick and bounded for a query that is a book",
      withStore(async ({ memories }) => {
        await memories.save({ content: "a zebra", workspace: "/w", untrusted: false });
        const book = Array.from({ length: 200_000 }, (_, n) => `word${n}`).join(" ");
        const begun = performance.now();
        expect(await found(memories, `zebra ${book}`, "/w")).toEqual(["a zebra"]);
        expect(await found(memories, "x".repeat(5_000_000), "/w")).toEqual([]);
        expect(performance.now() - begun).toBeLessThan(20_000);
      }),
    );

    it(
      "finds what was said, with its place and an excerpt around the words",
      withStore(async ({ memories, conversations }) => {
        const { id } = await conversations.create("/w", "About zebras");
        const long = `${"before ".repeat(500)}the zebra lives ${"after ".repeat(500)}`;
        await conversations.append(id, [user("hello"), { role: "assistant", model: "m", parts: [{ type: "text", text: long }] }]);
        const { hits } = await memories.search({ text: "zebra", workspace: "/w", limit: 5 });
        expect(hits).toEqual([
          {
            kind: "message",
            conversation: id,
            title: "About zebras",
            position: 2,
            role: "assistant",
            excerpt: expect.stringContaining("the zebra lives"),
            createdAt: expect.any(Number),
            score: expect.any(Number),
          },
        ]);
        expect((hits[0] as { excerpt: string }).excerpt.length).toBeLessThan(302);
      }),
    );

    it(
      "does not find results, thinking, requests, what others said in the person's place, or other workspaces",
      withStore(async ({ memories, conversations }) => {
        const { id } = await conversations.create("/w", "t");
        const elsewhere = await conversations.create("/other", "t");
        await conversations.append(elsewhere.id, [user("zebra elsewhere")]);
        await conversations.append(id, [
          { role: "user", text: "zebra loop", from: "loop" },
          { role: "user", text: "zebra background", from: "background" },
          {
            role: "assistant",
            model: "zebra",
            parts: [
              { type: "thinking", text: "zebra thought" },
              { type: "request", id: "1", callId: "c", name: "read", args: { path: "zebra", type: "text", text: "zebra" } },
              { type: "text", text: "first" },
              { type: "text", text: "zebra second" },
            ],
          },
          { role: "tool", id: "1", text: "zebra result" },
        ]);
        expect(await found(memories, "zebra", "/w")).toEqual(["first\nzebra second"]);
        expect((await memories.search({ text: "zebra", workspace: "/w", limit: 5, except: id })).hits).toEqual([]);
        // What its model is no longer sent is found again.
        await conversations.startWindow(id, { start: 3, elidedUntil: 0, counted: { tokens: 0, position: 0 } });
        const again = await memories.search({ text: "zebra", workspace: "/w", limit: 5, except: id });
        expect(again.hits).toMatchObject([{ kind: "message", position: 3 }]);
      }),
    );

    it(
      "shows what is the same to read once",
      withStore(async ({ memories, conversations }) => {
        for (const workspace of ["/w", null]) await memories.save({ content: "zebra", workspace, untrusted: false });
        for (const title of ["a", "b"]) {
          const { id } = await conversations.create("/w", title);
          await conversations.append(id, [user("where is the zebra?"), user("where is the zebra?")]);
        }
        expect((await found(memories, "zebra", "/w")).sort()).toEqual(["where is the zebra?", "zebra"]);
      }),
    );
  });

  describe(`${name}: vectors`, () => {
    const near = (...numbers: number[]) => ({ embedder: "e", of: Float32Array.from(numbers) });
    const saved = async (memories: Memories, content: string, ...numbers: number[]) => {
      const { id } = await memories.save({ content, workspace: "/w", untrusted: false });
      if (numbers.length > 0) await memories.addVector(id, "e", Float32Array.from(numbers));
      return id;
    };

    it(
      "find by meaning what no word finds, the most alike first",
      withStore(async ({ memories }) => {
        await saved(memories, "far", -1, 0);
        await saved(memories, "near", 0.6, 0.8);
        await saved(memories, "nearest", 1, 0);
        expect(await found(memories, "other words", "/w", near(1, 0))).toEqual(["nearest", "near"]);
        expect(await found(memories, "other words", "/elsewhere", near(1, 0))).toEqual([]);
        expect(await found(memories, "other words", "/w", { embedder: "another", of: Float32Array.of(1, 0) })).toEqual([]);
      }),
    );

    it(
      "are found by searches that come at once, while others are added",
      withStore(async ({ memories }) => {
        for (let n = 0; n < 2500; n++) await saved(memories, `m${n}`, 1, n / 10_000);
        const look = async () =>
          (await memories.search({ text: "x", workspace: "/w", limit: 3, vector: near(1, 0) })).hits.map(recalledText);
        const looks = [look(), look(), look()];
        await saved(memories, "nearest of all", 2, 0);
        expect(await Promise.all(looks.map(async (one) => new Set(await one).size))).toEqual([3, 3, 3]);
        expect((await look())[0]).toBe("nearest of all");
      }),
    );

    it(
      "and words together put first what both find, and once",
      withStore(async ({ memories }) => {
        await saved(memories, "zebra zebra zebra");
        await saved(memories, "stripes", 1, 0);
        await saved(memories, "a zebra and many other words beside it", 0.9, 0.1);
        const texts = await found(memories, "zebra", "/w", near(1, 0));
        expect(texts[0]).toBe("a zebra and many other words beside it");
        expect(texts.toSorted()).toEqual(["a zebra and many other words beside it", "stripes", "zebra zebra zebra"]);
      }),
    );

    it(
      "are missed by those that have none, oldest first, and by those whose vector has another length by now",
      withStore(async ({ memories }) => {
        const missing = async (limit = 10) => (await memories.withoutVector("e", limit)).map(({ content }) => content);
        const a = await saved(memories, "a");
        await saved(memories, "b", 1, 0);
        await saved(memories, "c");
        expect(await missing()).toEqual(["a", "c"]);
        expect(await missing(1)).toEqual(["a"]);
        await memories.addVector(a, "e", Float32Array.of(1, 0, 0));
        expect(await missing()).toEqual(["b", "c"]);
        expect((await memories.withoutVector("another", 10)).length).toBe(3);
      }),
    );

    it(
      "of another length are left out and counted, and one that is made again is not",
      withStore(async ({ memories }) => {
        await saved(memories, "old", 1, 0);
        const b = await saved(memories, "older", 0.9, 0.1);
        await saved(memories, "new", 1, 0, 0);
        const look = () => memories.search({ text: "x", workspace: "/w", limit: 5, vector: near(1, 0, 0) });
        expect(await look()).toMatchObject({ hits: [{ memory: { content: "new" } }], damaged: 2 });
        await memories.addVector(b, "e", Float32Array.of(0.9, 0.1, 0));
        expect(await look()).toMatchObject({ hits: [{ memory: { content: "new" } }, { memory: { content: "older" } }], damaged: 1 });
      }),
    );

    it.each([
      ["nothing", []],
      ["no number", [1, Number.NaN]],
      ["infinity", [Number.POSITIVE_INFINITY]],
    ])("that hold %s are refused", (_what, numbers) =>
      withStore(async ({ memories }) => {
        const id = await saved(memories, "a");
        await expect(memories.addVector(id, "e", Float32Array.from(numbers))).rejects.toThrow("vector");
        await memories.addVector("none", "e", Float32Array.of(1));
        expect(await memories.withoutVector("e", 5)).toHaveLength(1);
      })(),
    );
  });
}

const user = (text: string): Message => ({ role: "user", text });
