import { afterAll, expect, it } from "vitest";
import { CompactionError } from "../../agent/compaction.ts";
import { CommandError } from "../../core/command.ts";
import { ModelError } from "../../core/model-error.ts";
import { openStore } from "../../store/open.ts";
import type { LentModel } from "../agent/lent-model.ts";
import { compactionPart } from "./compaction.ts";

const store = openStore("memory");
afterAll(() => store.close());
const signal = new AbortController().signal;
const DONE = { messages: 12, tokens: { before: 50_000, after: 3_000 } };

function part(compact: LentModel["compact"] | null, conversation: string | null = "c") {
  const mind = compact && ({ compact } as unknown as LentModel);
  const made = compactionPart({ mind: () => mind, store }, () => conversation);
  return { command: made.commands![0]!, tool: made.tools![0]!, status: made.status! };
}

it("/compact asks with its focus and tells what it brought", async () => {
  const asked: unknown[] = [];
  const { command } = part(async (id, wish) => {
    asked.push([id, wish]);
    return DONE;
  });
  expect((await command.run("  the names ", signal)).text).toBe("12 messages became a summary: about 50,000 tokens are now 3,000.");
  await command.run("", signal);
  expect(asked).toEqual([
    ["c", { method: "manual", focus: "the names" }],
    ["c", { method: "manual" }],
  ]);
});

it("/compact says why it cannot", async () => {
  const failing = (error: Error) => part(async () => Promise.reject(error)).command.run("", signal);
  for (const error of [new CompactionError("Nothing worth it."), new ModelError("server_error", "It is down.")]) {
    await expect(failing(error)).rejects.toThrow(CommandError);
    await expect(failing(error)).rejects.toThrow(error.message);
  }
  await expect(failing(new TypeError("a mistake of ours"))).rejects.toThrow(TypeError);
  await expect(part(async () => DONE, null).command.run("", signal)).rejects.toThrow("nothing has been said");
  await expect(part(null).command.run("", signal)).rejects.toThrow("no model");
});

it("the tool's failure is one the model can go on after", async () => {
  const run = (error: Error) => {
    const { tool } = part(async () => Promise.reject(error));
    return tool.run({ input: {} } as never, { turn: { conversationId: "c" }, signal } as never);
  };
  await expect(run(new CompactionError("Nothing worth it."))).rejects.toMatchObject({
    category: "permanent_failure",
    message: "Nothing worth it.",
    advice: expect.stringContaining("Go on"),
  });
});

it("the status says how much is known, when something is", async () => {
  const { id } = await store.conversations.create("/w", "t");
  expect(await part(null, id).status()).toEqual({ knowledge: "no summaries" });
  for (const text of ["one two three", "four five six"])
    await store.summaries.add({ conversation: id, until: 1, text, opening: "", method: "manual" });
  expect((await part(null, id).status()).knowledge).toMatch(/^2 summaries, about \d+ tokens$/);
});
