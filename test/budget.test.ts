import { afterAll, describe, expect, it } from "vitest";
import { ModelError, type ModelEvent } from "../src/index.ts";
import { agentIn, all, asks, done, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

const used = (input: number, output: number): ModelEvent => ({
  type: "end",
  finish: "stop",
  usage: { input, cacheRead: 0, cacheWrite: 0, output },
});
const reads = (count: number, at: number) =>
  Array.from({ length: count }, (_, n) => asks("read", { path: "a.txt", offset: at * 10 + n + 1 }));
const working = (rounds: number, calls = 1) =>
  modelSaying(...Array.from({ length: rounds }, (_, n) => [...reads(calls, n), used(1000, 100)]), [says("done"), used(1000, 100)]);

describe("the budget of a run", () => {
  it.each([
    ["turns", { turns: 3 }, 3],
    ["tokens", { tokens: 3000 }, 3],
    ["calls", { calls: 3 }, 3],
  ] as const)("ends it when the %s are used up, and says so before", async (name, limits, requests) => {
    const model = working(9);
    const agent = await agentIn(place, model);
    const events = await all(agent.send("go", { limits }));
    expect(done(events)).toMatchObject({ why: "budget", message: expect.stringContaining(`limits.${name}`) });
    expect(model.given).toHaveLength(requests);
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("is told at four fifths, once, to the program and to the model", async () => {
    const model = working(9);
    const agent = await agentIn(place, model);
    const events = await all(agent.send("go", { limits: { turns: 6 } }));
    expect(events.filter(({ type }) => type === "budget")).toEqual([{ type: "budget", limit: "turns", used: 5, most: 6 }]);
    const told = model.given.at(-1)!.messages.filter((message) => message.role === "user" && message.text.startsWith("[budget]"));
    expect(told).toHaveLength(1);
    await agent.close();
  });

  it("holds for calls that one message asks for together", async () => {
    const agent = await agentIn(place, working(1, 5));
    const { why, calls } = await agent.run("go", { limits: { calls: 2 } });
    expect([why, calls.length]).toEqual(["budget", 2]);
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("counts dollars by the price of the model, and refuses to guess without one", async () => {
    const priced = { ...working(9), price: { input: 1000, output: 0 } };
    const agent = await agentIn(place, priced);
    expect((await agent.run("go", { limits: { usd: 2 } })).why).toBe("budget");
    expect(priced.given).toHaveLength(2);
    await agent.close();
    const free = await agentIn(place, working(1));
    await expect(free.run("go", { limits: { usd: 2 } })).rejects.toThrow("limits.usd needs the price");
    await free.close();
  });

  it("ends a model that takes too long, and that is no cancellation", async () => {
    const agent = await agentIn(
      place,
      modelSaying(async function* (_prompt, signal) {
        await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
        yield says("too late");
      }),
    );
    expect(await agent.run("go", { limits: { ms: 20 } })).toMatchObject({ why: "budget", message: expect.stringContaining("limits.ms") });
    await agent.close();
  });

  it("of an agent is shared by all its turns", async () => {
    const model = modelSaying([says("one"), used(1000, 0)], [says("two"), used(1000, 0)], [says("three")]);
    const agent = await agentIn(place, model, { limits: { tokens: 2000 } });
    expect([(await agent.run("a")).why, (await agent.run("b")).why, (await agent.run("c")).why]).toEqual([
      "answered",
      "answered",
      "budget",
    ]);
    expect(model.given).toHaveLength(2);
    await agent.close();
  });

  it.each([
    [{ turn: 3 }, 'There is no limit "turn"'],
    [{ tokens: 0 }, "limits.tokens must be a number above 0"],
    [{ ms: Number.NaN }, "limits.ms must be a number above 0"],
  ])("refuses %o, because a limit that is misspelt would never be reached", async (limits, words) => {
    const agent = await agentIn(place, working(1));
    await expect(agent.run("go", { limits: limits as object })).rejects.toThrow(words);
    await agent.close();
  });
});

describe("a run", () => {
  it("comes to the last whole answer, the calls and the totals", async () => {
    const agent = await agentIn(place, modelSaying([says("I look."), asks("read", { path: "a.txt" })], [says("It says "), says("hello.")]));
    expect(await agent.run("what?")).toMatchObject({
      text: "It says hello.",
      why: "answered",
      totals: { requests: 2, calls: 1 },
      calls: [{ tool: "read", args: { path: "a.txt" }, outcome: { ok: true } }],
      questions: [],
    });
    await agent.close();
  });

  it("does not double what was said before a connection broke", async () => {
    let tries = 0;
    const model = {
      id: "test/cut",
      contextTokens: 100_000,
      async *stream() {
        yield says("Half an ans");
        if (tries++ === 0) throw new ModelError("cut", "cut");
        yield says("wer.");
      },
    };
    const agent = await agentIn(place, model, { config: { tools: { retry: { base_ms: 1, max_ms: 1 } } } });
    expect((await agent.run("go")).text).toBe("Half an answer.");
    tries = 0;
    let said = "";
    for await (const event of agent.send("again")) {
      if (event.type === "text") said += event.text;
      if (event.type === "retry") said = said.slice(0, said.length - (event.discardedChars ?? 0));
    }
    expect(said).toBe("Half an answer.");
    await agent.close();
  });
});
