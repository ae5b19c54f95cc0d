import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/ports/model.ts";
import type { Conversations, Store, StoredMessage } from "../../src/core/ports/store.ts";
import { describeMemories, found, sharedMemories } from "./memories.ts";
import { describePins, sharedPins } from "./pins.ts";
import { describePlans, sharedSchedule } from "./plans.ts";
import { describeStrangerWrites, describeTrajectories, sharedTrajectories } from "./trajectories.ts";

/** A database under test. Differences are declared, not sniffed. */
export interface StoreUnderTest {
  /** Opens the same data each time it is called within one test. */
  open(): Store;
  /** Whether what was written is there when it is opened again, or by a second connection. */
  readonly data: "kept" | "gone";
}

/** Runs a test with a store of its own. */
export type WithStore = (test: (store: Store) => Promise<void>) => () => Promise<void>;

/** What every store must do. A new database joins by one call of this. */
export function describeStore(name: string, make: () => StoreUnderTest): void {
  const withStore: WithStore = (test) => async () => {
    const store = make().open();
    try {
      await test(store);
    } finally {
      await store.close();
    }
  };

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
        ];
        await conversations.append(id, messages);
        expect(await all(conversations, id)).toEqual(messages.map((message, i) => ({ position: i + 1, message })));
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
        const [stored] = await all(conversations, id);
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
        const stored = await all(conversations, id);
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
        expect(await all(conversations, id)).toEqual([]);
        expect(await conversations.get(id)).toEqual(before);
        await conversations.append(id, [numbered(1)]);
        expect((await all(conversations, id)).map((m) => m.position)).toEqual([1]);
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
        expect(await all(conversations, a.id)).toEqual([]);
        expect(await all(conversations, b.id)).toHaveLength(1);
        expect(await conversations.get(a.id)).toBeNull();
      }),
    );
  });

  describe(`${name}: trust`, () => {
    it(
      "remembers the last hash of a subject until it is removed",
      withStore(async ({ trust }) => {
        expect(trust.get("/w")).toBeNull();
        await trust.set("/w", "h1");
        await trust.set("/w", "h2");
        await trust.set("/a'b", "h3");
        expect(trust.get("/w")).toBe("h2");
        expect(await trust.list()).toEqual([
          { subject: "/a'b", hash: "h3", since: expect.any(Number) },
          { subject: "/w", hash: "h2", since: expect.any(Number) },
        ]);
        expect(await trust.remove("/w")).toBe(true);
        expect(await trust.remove("/w")).toBe(false);
        expect(trust.get("/w")).toBeNull();
      }),
    );
  });

  describe(`${name}: anchors`, () => {
    it(
      "keeps the last anchor of each file",
      withStore(async ({ anchors }) => {
        expect(anchors.get("/a")).toBeNull();
        anchors.set("/a", { count: 1, hash: "x", size: 10 });
        anchors.set("/a", { count: 2, hash: "y", size: 2 ** 40 });
        anchors.set("/b", { count: 1, hash: "z", size: 1 });
        expect(anchors.get("/a")).toEqual({ count: 2, hash: "y", size: 2 ** 40 });
        expect(anchors.files()).toEqual(["/a", "/b"]);
      }),
    );

    it(
      "does not lose an anchor that is set while an append fails",
      withStore(async ({ conversations, anchors }) => {
        const failing = conversations.append("none", [user("x")]).catch(() => "failed");
        for (let i = 1; i <= 20; i++) {
          anchors.set("/a", { count: i, hash: "x", size: i });
          await Promise.resolve();
        }
        expect(await failing).toBe("failed");
        expect(anchors.get("/a")?.count).toBe(20);
      }),
    );
  });

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
      "has no newest when it is empty",
      withStore(async ({ overflow }) => expect(await overflow.newest()).toBeNull()),
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

  describeMemories(name, withStore);
  describePlans(name, withStore);
  describeTrajectories(name, withStore);
  describeStrangerWrites(name, withStore);
  describePins(name, withStore);

  describe(`${name}: opening and closing`, () => {
    it("says so when it is used after it was closed, and closes twice without complaint", async () => {
      const store = make().open();
      await store.close();
      await store.close();
      expect(() => store.trust.get("x")).toThrow("closed");
      await expect(store.conversations.list({ limit: 1 })).rejects.toThrow("closed");
      await expect(store.overflow.put({ owner: { session: "s" }, text: "x" })).rejects.toThrow("closed");
    });

    if (make().data === "gone") return;

    it("has everything when it is opened again", async () => {
      const { open } = make();
      const first = open();
      const { id } = await first.conversations.create("/w", "t");
      await first.conversations.append(id, [user("x")]);
      await first.trust.set("/w", "h");
      first.anchors.set("/a", { count: 1, hash: "x", size: 1 });
      const kept = await first.overflow.put({ owner: { conversation: id }, text: "long" });
      await first.memories.save({ content: "a zebra", workspace: "/w", untrusted: false });
      await first.goals.create({ workspace: "/w", text: "g", tasks: [{ n: 1, title: "t", needs: [], status: "open" }] });
      await first.schedule.add({ workspace: "/w", task: "t", when: "w", cron: null, nextAt: 1, untrusted: false, bound: null });
      await first.summaries.add({ conversation: id, until: 1, text: "s", opening: "", method: "manual" });
      await first.trajectories.add({ workspace: "/w", callId: "c", steps: [["read", "a"]], ended: "error" });
      await first.pins.put("files", [{ tool: "read", hash: "h", definition: "{}" }]);
      await first.close();
      const second = open();
      expect(await found(second.memories, "zebra x", "/w")).toEqual(["a zebra", "x"]);
      expect((await second.goals.active("/w"))!.tasks).toHaveLength(1);
      expect(await second.schedule.nextAt("/w")).toBe(1);
      expect(await second.summaries.of(id)).toHaveLength(1);
      expect(await second.trajectories.bad("/w", 0, 9)).toMatchObject([{ callId: "c", steps: [["read", "a"]] }]);
      expect(await second.pins.of("files")).toMatchObject([{ tool: "read", hash: "h", definition: "{}" }]);
      expect(await all(second.conversations, id)).toHaveLength(1);
      expect(second.trust.get("/w")).toBe("h");
      expect(second.anchors.get("/a")).toEqual({ count: 1, hash: "x", size: 1 });
      expect(await second.overflow.get({ conversation: id }, kept)).toMatchObject({ text: "long" });
      await second.close();
    });

    it("shows each of two connections what the other remembers, and gives a task that is due to one of them", async () => {
      const { open } = make();
      const [one, two] = [open(), open()];
      await sharedMemories(one, two);
      await sharedSchedule(one, two);
      await sharedTrajectories(one, two);
      await sharedPins(one, two);
      await one.close();
      await two.close();
    });

    it("lets two connections write to one conversation, and neither waits for the other for ever", async () => {
      const { open } = make();
      const [one, two] = [open(), open()];
      const { id } = await one.conversations.create("/w", "t");
      const begun = performance.now();
      const appends = Array.from({ length: 50 }, (_, i) => (i % 2 ? one : two).conversations.append(id, [numbered(i)]));
      for (let i = 1; i <= 50; i++) {
        two.anchors.set("/a", { count: i, hash: "x", size: i });
        await Promise.resolve();
      }
      await Promise.all(appends);
      expect(performance.now() - begun).toBeLessThan(4000);
      expect((await all(two.conversations, id)).map((m) => m.position)).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
      expect(one.anchors.get("/a")?.count).toBe(50);
      await one.close();
      await two.close();
    });
  });
}

const user = (text: string): Message => ({ role: "user", text });
const numbered = (n: number): Message => user(String(n));
const all = (conversations: Conversations, id: string): Promise<readonly StoredMessage[]> =>
  conversations.messages(id, { after: 0, limit: 1000 });
