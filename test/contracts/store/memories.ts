import { describe, expect, it } from "vitest";
import type { Memories, Recalled, Store } from "../../../src/core/ports/store.ts";
import type { WithStore } from "./with-store.ts";

/** What every store must do with what is to be remembered. */
export function describeMemories(name: string, withStore: WithStore): void {
  describe(`${name}: memories`, () => {
    it(
      "saves one and finds it by id",
      withStore(async ({ memories }) => {
        const made = await memories.save({ content: "Deploy with make", workspace: "/w", untrusted: true });
        expect(made).toEqual({
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          content: "Deploy with make",
          workspace: "/w",
          untrusted: true,
          createdAt: expect.any(Number),
        });
        expect(await memories.get(made.id)).toEqual(made);
        expect(await memories.get("none")).toBeNull();
      }),
    );

    it(
      "keeps the same text once in a workspace, and as it was first",
      withStore(async ({ memories }) => {
        const first = await memories.save({ content: "same", workspace: "/w", untrusted: true });
        expect(await memories.save({ content: "same", workspace: "/w", untrusted: false })).toEqual(first);
        await memories.save({ content: "same", workspace: null, untrusted: false });
        await memories.save({ content: "same", workspace: null, untrusted: false });
        await memories.save({ content: "Same", workspace: "/w", untrusted: false });
        expect(await memories.count()).toBe(3);
      }),
    );

    it(
      "refuses nothing, and too much",
      withStore(async ({ memories }) => {
        for (const content of ["", " \n ", "x".repeat(100_001)])
          await expect(memories.save({ content, workspace: null, untrusted: false })).rejects.toThrow("between 1 and 100000 characters");
        expect(await memories.count()).toBe(0);
      }),
    );

    it(
      "lists the newest first: of a workspace what is found from there, or all",
      withStore(async ({ memories }) => {
        for (const [content, workspace] of [
          ["a", "/one"],
          ["b", null],
          ["c", "/two"],
          ["d", "/one"],
        ] as const)
          await memories.save({ content, workspace, untrusted: false });
        const texts = async (filter: { workspace?: string; limit: number }) => (await memories.list(filter)).map((one) => one.content);
        expect(await texts({ limit: 10 })).toEqual(["d", "c", "b", "a"]);
        expect(await texts({ limit: 2 })).toEqual(["d", "c"]);
        expect(await texts({ workspace: "/one", limit: 10 })).toEqual(["d", "b", "a"]);
        expect(await texts({ workspace: "", limit: 10 })).toEqual(["b"]);
        expect(await texts({ limit: -1 })).toEqual([]);
        expect([await memories.count(), await memories.count("/one"), await memories.count("/none")]).toEqual([4, 2, 0]);
      }),
    );

    it(
      "forgets one, those of a workspace and no others, or all",
      withStore(async ({ memories }) => {
        const [a] = await Promise.all(
          (["/one", "/one", "/two", null] as const).map((workspace, n) =>
            memories.save({ content: `thing ${n}`, workspace, untrusted: false }),
          ),
        );
        expect(await memories.forget({ id: a!.id })).toBe(1);
        expect(await memories.forget({ id: a!.id })).toBe(0);
        expect(await memories.forget({ workspace: "/one" })).toBe(1);
        expect(await found(memories, "thing", "/one")).toEqual(["thing 3"]);
        expect(await memories.forget("all")).toBe(2);
        expect(await found(memories, "thing", "/two")).toEqual([]);
        expect(await memories.count()).toBe(0);
      }),
    );

    it(
      "stays when the conversation it was saved in is deleted",
      withStore(async ({ memories, conversations }) => {
        const { id } = await conversations.create("/w", "t");
        const made = await memories.save({ content: "stays", workspace: "/w", untrusted: false, conversation: id });
        await memories.save({ content: "of nowhere", workspace: "/w", untrusted: false, conversation: "none" });
        await conversations.delete(id);
        expect(await memories.get(made.id)).toEqual(made);
        expect(await found(memories, "stays nowhere", "/w")).toHaveLength(2);
      }),
    );
  });
}

/** Two connections see each other's memories. */
export async function sharedMemories(one: Store, two: Store): Promise<void> {
  const near = { embedder: "e", of: Float32Array.of(1, 0) };
  const add = async (store: Store, content: string) => {
    const { id } = await store.memories.save({ content, workspace: "/w", untrusted: false });
    await store.memories.addVector(id, "e", Float32Array.of(1, 0));
    return id;
  };
  const a = await add(one, "a");
  expect(await found(two.memories, "x", "/w", near)).toEqual(["a"]);
  await add(one, "b");
  expect((await found(two.memories, "x", "/w", near)).sort()).toEqual(["a", "b"]);
  await two.memories.forget({ id: a });
  expect(await found(one.memories, "x", "/w", near)).toEqual(["b"]);
  await one.memories.forget("all");
  await add(two, "c");
  expect(await found(one.memories, "x", "/w", near)).toEqual(["c"]);
  expect(await found(one.memories, "a b c", "/w")).toEqual(["c"]);
}

export async function found(
  memories: Memories,
  text: string,
  workspace: string,
  vector?: { embedder: string; of: Float32Array },
): Promise<string[]> {
  const { hits } = await memories.search({ text, workspace, limit: 50, ...(vector && { vector }) });
  return hits.map(recalledText);
}
export const recalledText = (hit: Recalled): string => (hit.kind === "memory" ? hit.memory.content : hit.excerpt);
