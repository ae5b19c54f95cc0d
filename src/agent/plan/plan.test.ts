import { describe, expect, it } from "vitest";
import { type Ask, makePlan } from "./plan.ts";

const PLAN = {
  tasks: [
    { id: 1, title: "look" },
    { id: 2, title: "do", needs: [1] },
  ],
};
const CIRCLE = {
  tasks: [
    { id: 1, title: "a", needs: [2] },
    { id: 2, title: "b", needs: [1] },
  ],
};
const NEVER = new AbortController().signal;

/** Answers one after the other, and what was asked. */
function model(...answers: readonly string[]): { ask: Ask; asked: string[] } {
  const asked: string[] = [];
  return { asked, ask: async ({ text }) => answers[asked.push(text) - 1] ?? "" };
}

describe("makePlan", () => {
  it.each([
    ["bare", JSON.stringify(PLAN)],
    ["fenced", `\`\`\`json\n${JSON.stringify(PLAN, null, 2)}\n\`\`\``],
    ["with words around it", `Here is the plan:\n${JSON.stringify(PLAN)}\nShall I begin?`],
    ["after thoughts with braces", `I could use {a} or {b}.\n${JSON.stringify(PLAN)}`],
  ])("reads an answer that comes %s", async (_, answer) => {
    const { ask, asked } = model(answer);
    const tasks = await makePlan(ask, "ship it", "The workspace is /w.", NEVER);
    expect(tasks.map(({ title, needs }) => [title, needs])).toEqual([
      ["look", []],
      ["do", [1]],
    ]);
    expect(asked).toEqual(["The workspace is /w.\n\nThe goal:\nship it"]);
  });

  it("sends back once what cannot be worked off, and says why", async () => {
    const { ask, asked } = model(JSON.stringify(CIRCLE), JSON.stringify(PLAN));
    expect(await makePlan(ask, "g", "c", NEVER)).toHaveLength(2);
    expect(asked[1]).toContain("could not be used: The tasks need each other in a circle: 1 -> 2 -> 1.");
  });

  it.each([
    ["prose", "I would rather not.", "It was not one JSON object."],
    ["a circle", JSON.stringify(CIRCLE), "in a circle: 1 -> 2 -> 1."],
    ["nothing", "", "It was not one JSON object."],
    ["far too much", "{".repeat(200_000), "far too long"],
  ])("gives up after %s for the second time", async (_, answer, why) => {
    const { ask, asked } = model(answer, answer, JSON.stringify(PLAN));
    await expect(makePlan(ask, "g", "c", NEVER)).rejects.toThrow("Twice the model gave no plan");
    await expect(makePlan(model(answer, answer).ask, "g", "c", NEVER)).rejects.toThrow(why);
    expect(asked).toHaveLength(2);
  });

  it("does not ask again when it was stopped", async () => {
    const stop = new AbortController();
    let asked = 0;
    const ask: Ask = async () => {
      asked += 1;
      stop.abort();
      return "no";
    };
    await expect(makePlan(ask, "g", "c", stop.signal)).rejects.toThrow();
    expect(asked).toBe(1);
  });

  it("leaves the model's own failure as it is", async () => {
    await expect(makePlan(() => Promise.reject(new Error("no key")), "g", "c", NEVER)).rejects.toThrow("no key");
  });
});
