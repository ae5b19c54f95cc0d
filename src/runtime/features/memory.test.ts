import { afterEach, expect, it } from "vitest";
import { outputOf } from "../../core/draft.ts";
import type { Embedder } from "../../core/ports/embedder.ts";
import type { Message } from "../../core/ports/model.ts";
import { createSession } from "../../core/session.ts";
import { type AnyTool, NEVER } from "../../core/tool.ts";
import { openStore } from "../../store/open.ts";
import { memoryPart } from "./memory.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function partWith(embedder: () => Promise<Embedder | null>) {
  const store = openStore("memory");
  closing.push(() => store.close());
  const part = memoryPart({ store, workspace: "/w", embedder, redact: (text) => text });
  const turn = createSession().current({});
  const run = async (name: string, input: object): Promise<string> => {
    const tool = part.tools!.find((one: AnyTool) => one.name === name)!;
    return outputOf(await tool.run({ input } as never, { turn, signal: NEVER, host: {} as never, tell() {} })).text;
  };
  return { store, part, turn, run };
}
const numbers: Embedder = { id: "test/one", embed: async (texts) => texts.map(() => Float32Array.of(1, 0)) };

it("brings the two tools, and says how much is remembered without opening an embedder", async () => {
  let opened = 0;
  const { part, run, store } = partWith(async () => {
    opened++;
    return numbers;
  });
  expect(part.tools!.map(({ name, effect }) => [name, effect])).toEqual([
    ["memory_search", "reads"],
    ["memory_save", "stores"],
  ]);
  expect(await part.status!()).toEqual({ memory: "0 saved here, 0 everywhere" });
  await store.memories.save({ content: "b", workspace: "/other", untrusted: false });
  await store.memories.save({ content: "c", workspace: null, untrusted: false });
  expect(await part.status!()).toEqual({ memory: "0 saved here, 1 everywhere" });
  expect(opened).toBe(0);
  await run("memory_save", { content: "a" });
  await part.idle();
  expect(await part.status!()).toEqual({ memory: "1 saved here, 1 everywhere; vectors by test/one" });
});

it("says that only words are searched, and why", async () => {
  const { part, run } = partWith(async () => null);
  await run("memory_search", { query: "x" });
  expect(await part.status!()).toEqual({ memory: "0 saved here, 0 everywhere; words only" });
  const down = partWith(async () => Promise.reject(new Error("it is down")));
  await down.run("memory_search", { query: "x" });
  expect(await down.part.status!()).toEqual({ memory: "0 saved here, 0 everywhere; words only for now: it is down" });
});

it("doubts what a model said after it had read a page, and only that", async () => {
  const { store, run, turn } = partWith(async () => null);
  const asked = (name: string): Message => ({
    role: "assistant",
    model: "m",
    parts: [{ type: "request", id: "1", callId: "c", name, args: {} }],
  });
  const says = (text: string): Message => ({ role: "assistant", model: "m", parts: [{ type: "text", text }] });
  const clean = await store.conversations.create("/w", "clean");
  await store.conversations.append(clean.id, [
    { role: "user", text: "hello" },
    asked("read"),
    { role: "tool", id: "1", text: "x" },
    says("zebra clean"),
  ]);
  expect(await run("memory_search", { query: "zebra" })).toMatch(/: zebra clean$/);
  expect(turn.seen.untrusted).toBe(false);

  const page = await store.conversations.create("/w", "page");
  await store.conversations.append(page.id, [
    { role: "user", text: "gnu?" },
    asked("web_scrape"),
    { role: "tool", id: "1", text: "x" },
    says("lion of a page"),
  ]);
  expect(await run("memory_search", { query: "gnu" })).toMatch(/: gnu\?$/);
  expect(turn.seen.untrusted).toBe(false);
  expect(await run("memory_search", { query: "lion" })).toMatch(
    /\[untrusted [0-9a-f]{8}: content of conversation%20.*\]\nlion of a page\n/,
  );
  expect(turn.seen.untrusted).toBe(true);
});

it("ends what is going on in the background when it is closed", async () => {
  const { part, run } = partWith(async () => ({ id: "slow", embed: () => new Promise(() => {}) }));
  await run("memory_save", { content: "a" });
  part.close();
  await part.idle();
  expect(await run("memory_search", { query: "a" })).toContain("saved: a");
});
