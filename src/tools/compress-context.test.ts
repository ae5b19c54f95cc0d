import { expect, it } from "vitest";
import { outputOf } from "../core/draft.ts";
import { type Compress, compressContext } from "./compress-context.ts";

const run = (compress: Compress, input: { focus?: string }, conversationId?: string) =>
  compressContext(compress).run(
    { input } as Parameters<ReturnType<typeof compressContext>["run"]>[0],
    { turn: { ...(conversationId !== undefined && { conversationId }) }, signal: new AbortController().signal } as Parameters<
      ReturnType<typeof compressContext>["run"]
    >[1],
  );

it("compress_context asks for a summary of its own conversation and says what becomes of it", async () => {
  const asked: unknown[] = [];
  const compress: Compress = async (...given) => {
    asked.push(given.slice(0, 2));
    return { messages: 41, tokens: { before: 61_200, after: 4_100 } };
  };
  const { text } = outputOf(await run(compress, { focus: "the names" }, "c1"));
  expect(asked).toEqual([["c1", "the names"]]);
  expect(text).toContain("41 earlier messages");
  expect(text).toContain("4,100 tokens are sent, not 61,200");
});

it("compress_context is for conversations only, and takes no argument it does not know", async () => {
  await expect(run(async () => Promise.reject(new Error("never asked")), {})).rejects.toThrow("only inside a conversation");
  const tool = compressContext(async () => ({ messages: 1, tokens: { before: 1, after: 1 } }));
  expect(tool.input.safeParse({ fokus: "x" }).success).toBe(false);
  expect(tool.input.safeParse({ focus: "x".repeat(1001) }).success).toBe(false);
});
