import { afterAll, describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import type { RunResult, StandardSchema, ZephEvent } from "../src/index.ts";
import { agentIn, asks, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

const Review = z.strictObject({ verdict: z.enum(["approve", "reject"]), lines: z.array(z.int()).default([]) });
const good = '{"verdict":"approve"}';

describe("A run with a schema", () => {
  it("tells the model the JSON Schema, and hands over what the schema made of the answer", async () => {
    const model = modelSaying([asks("read", { path: "a.txt" })], [says('{"verdict":'), says('"approve"}')]);
    const agent = await agentIn(place, model);
    const result = await agent.run("review", { schema: Review });
    expectTypeOf(result).toEqualTypeOf<RunResult<{ verdict: "approve" | "reject"; lines: number[] }>>();
    expect(result).toMatchObject({ output: { verdict: "approve", lines: [] }, why: "answered", text: good });
    const told = model.given[0]!.messages.at(-1)!;
    expect(told.role === "user" && told.text).toContain(JSON.stringify({ type: "string", enum: ["approve", "reject"] }));
    expect((await agent.run("again")).output).toBeUndefined();
    await agent.close();
  });

  it.each([
    ["a fenced block", `\`\`\`json\n${good}\n\`\`\``],
    ["a fenced block with words around it", `Here it is:\n\n\`\`\`json\n${good}\n\`\`\`\nDone.`],
    ["a block without a name", `\`\`\`\n${good}\n\`\`\``],
  ])("takes %s", async (_name, answer) => {
    const agent = await agentIn(place, modelSaying([says(answer)]));
    expect((await agent.run("review", { schema: Review })).output).toEqual({ verdict: "approve", lines: [] });
    await agent.close();
  });

  it("asks once more where the answer does not fit, says why, and marks what is discarded", async () => {
    const model = modelSaying([says("I think "), says("it is fine.")], [says(good)]);
    const heard: ZephEvent[] = [];
    const agent = await agentIn(place, model, { onEvent: (event: ZephEvent) => heard.push(event) });
    expect(await agent.run("review", { schema: Review })).toMatchObject({
      output: { verdict: "approve" },
      text: good,
      totals: { requests: 2 },
    });
    let said = "";
    for (const event of heard) {
      if (event.type === "text") said += event.text;
      if (event.type === "retry") said = said.slice(0, said.length - (event.discardedChars ?? 0));
    }
    expect(said).toBe(good);
    expect(model.given[1]!.messages.at(-1)).toMatchObject({ role: "user", text: expect.stringContaining("The answer is not JSON.") });
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("ends as output, without one, when the second answer does not fit either", async () => {
    const model = modelSaying([says('{"verdict":"maybe"}')], [says('{"verdict":"approve","lines":["x"]}')], [says(good)]);
    const agent = await agentIn(place, model);
    const result = await agent.run("review", { schema: Review });
    expect(result).toMatchObject({ why: "output", output: undefined, message: expect.stringContaining('"lines.0"') });
    expect(model.given).toHaveLength(2);
    const repair = model.given[1]!.messages.at(-1)!;
    expect(repair.role === "user" && repair.text).toContain('"verdict": ');
    await agent.close();
  });

  it.each([
    ["two blocks, of which nobody knows which is meant", `\`\`\`json\n${good}\n\`\`\`\nor\n\`\`\`json\n{"verdict":"reject"}\n\`\`\``],
    ["an empty answer", " "],
  ])("does not guess at %s", async (_name, answer) => {
    const agent = await agentIn(place, modelSaying([says(answer)], [says(answer)]));
    expect(await agent.run("review", { schema: Review })).toMatchObject({ why: "output", output: undefined });
    await agent.close();
  });

  it("has no output where a limit ended it before", async () => {
    const agent = await agentIn(place, modelSaying([says("no JSON")], [says(good)]));
    expect(await agent.run("review", { schema: Review, limits: { turns: 1 } })).toMatchObject({ why: "budget", output: undefined });
    await agent.close();
  });

  it("takes a list, a schema that answers later, and one whose JSON Schema stands beside it", async () => {
    const agent = await agentIn(place, modelSaying([says("[1, 2]")], [says('{"n":2}')], [says("{}")], [says("{}")]));
    expect((await agent.run("list", { schema: z.array(z.int()) })).output).toEqual([1, 2]);
    const later: StandardSchema<unknown, number> = {
      "~standard": { version: 1, vendor: "mine", validate: async (given) => ({ value: (given as { n: number }).n }) },
    };
    const { output } = await agent.run("later", { schema: later, jsonSchema: { type: "object" } });
    expectTypeOf(output).toEqualTypeOf<number | undefined>();
    expect(output).toBe(2);
    const failing = { "~standard": { ...later["~standard"], validate: () => Promise.reject(new Error("out of order")) } };
    expect(await agent.run("fail", { schema: failing, jsonSchema: {} })).toMatchObject({
      why: "output",
      message: expect.stringContaining("out of order"),
    });
    await agent.close();
  });

  it("refuses a schema that cannot be told to a model, before anything is sent", async () => {
    const model = modelSaying([says("x")]);
    const agent = await agentIn(place, model);
    const unwritten = { "~standard": { version: 1, vendor: "mine", validate: (value: unknown) => ({ value }) } } as const;
    await expect(agent.run("go", { schema: unwritten })).rejects.toThrow(
      "What was given as schema cannot be written as JSON Schema by mine itself.",
    );
    await expect(agent.run("go", { schema: { type: "object" } as never })).rejects.toThrow(
      "What was given as schema is no schema of zod 4 or another library of Standard Schema.",
    );
    await expect(agent.run("go", { schema: { type: "object" } as never, jsonSchema: {} })).rejects.toThrow("Standard Schema");
    expect(model.given).toEqual([]);
    await agent.close();
  });
});
