import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createAgent, createRuntime, type Store } from "../src/index.ts";
import { openStore } from "../src/store/open.ts";
import { openLentStore } from "../src/store/own-store.ts";
import { describeStore } from "./contracts/store/store-contract.ts";
import { modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

/** A store as a program may write one: parts of classes, whose methods need their object. */
function classStore(): Store & { isClosed: boolean } {
  const inner = openStore("memory");
  const part = <T extends object>(name: T) => {
    class Part {
      readonly #inner = name;
      call(method: string, args: readonly unknown[]) {
        return (Reflect.get(this.#inner, method) as (...given: readonly unknown[]) => unknown).call(this.#inner, ...args);
      }
    }
    for (const method of Object.keys(name))
      Object.defineProperty(Part.prototype, method, {
        value(this: Part, ...args: unknown[]) {
          return this.call(method, args);
        },
      });
    return new Part() as unknown as T;
  };
  const { close, ...parts } = inner;
  const wrapped = Object.fromEntries(Object.entries(parts).map(([name, one]) => [name, part(one)]));
  return Object.assign(wrapped as unknown as Store, {
    isClosed: false,
    async close(this: { isClosed: boolean }) {
      this.isClosed = true;
      await close();
    },
  });
}
const config = (n: number) => ({ audit: { path: join(place.state, `store-${n}.jsonl`) } });

describe("a store of a program's own", () => {
  it("keeps what agents say, stays open when they close, and no other is made", async () => {
    const store = classStore();
    const open = (conversation?: string) =>
      createAgent({
        cwd: place.work,
        store,
        config: config(1),
        model: modelSaying([says("Hello.")]),
        ...(conversation !== undefined && { conversation }),
      });
    const first = await open();
    await first.run("hi");
    const { conversation } = first;
    await first.zeph.call("memory_save", { content: "a zebra" });
    await first.close();
    expect(store.isClosed).toBe(false);
    expect((await store.conversations.list({ limit: 9 })).map(({ id }) => id)).toEqual([conversation]);
    const second = await open(conversation!);
    expect((await second.history())[0]).toMatchObject({ text: "hi" });
    expect(await second.zeph.call("memory_search", { query: "zebra" })).toMatchObject({
      ok: true,
      output: { text: expect.stringContaining("zebra") },
    });
    await second.close();
    expect(readdirSync(place.state).filter((name) => name.endsWith(".db"))).toEqual([]);
    await store.close();
  });

  it("has the end of the audit log", async () => {
    const store = classStore();
    const zeph = await createRuntime({ cwd: place.work, store, config: config(2) });
    await zeph.call("read", { path: "a.txt" });
    await zeph.close();
    expect(store.anchors.get(join(place.state, "store-2.jsonl"))).toMatchObject({ count: 1 });
    await store.close();
  });

  it("that lacks something is refused at the start, in words, and nothing is left open", async () => {
    const { memories: _memories, ...rest } = openStore("memory");
    await expect(createRuntime({ cwd: place.work, store: rest as Store, config: config(3) })).rejects.toThrow(
      "The store has no function memories.save.",
    );
    expect(existsSync(join(place.state, "store-3.jsonl"))).toBe(false);
  });
});

describeStore("A store of classes, lent", () => {
  const store = classStore();
  return { open: () => ({ ...openLentStore(store), close: () => store.close() }), data: "gone" };
});
