import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { createAgent, defineTool, ModelError, type ModelEvent, type Toolset, type ZephEvent } from "../src/index.ts";
import { agentIn, all, asks, done, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

/** Notes when each call begins and ends. */
function watched(effect: "reads" | "writes") {
  const log: string[] = [];
  let running = 0;
  let most = 0;
  const toolset: Toolset = {
    id: "watched",
    list: () => [
      defineTool({
        name: "touch",
        description: "Touches.",
        effect,
        input: z.strictObject({ path: z.string() }),
        touches: ({ path }) => [{ kind: "path", access: effect === "writes" ? "write" : "read", path }],
        run: async ({ input: { path } }) => {
          log.push(`+${path}`);
          most = Math.max(most, ++running);
          await sleep(15);
          running--;
          log.push(`-${path}`);
          return { text: path };
        },
      }),
    ],
  };
  return { toolset, log, most: () => most };
}

describe("who reads the events", () => {
  const talkative = () =>
    modelSaying(
      Array.from({ length: 300 }, (_, n) => says(`word ${n} `)),
      [says("again")],
    );

  it("may leave in the middle of many", async () => {
    const agent = await agentIn(place, talkative());
    for await (const event of agent.send("go")) {
      await sleep(20);
      if (event.type === "text") break;
    }
    expect(done(await all(agent.send("go on"))).why).toBe("answered");
    await agent.close();
  });

  it("may throw, and hears their own error", async () => {
    const agent = await agentIn(place, talkative());
    const read = async () => {
      for await (const event of agent.send("go")) {
        await sleep(20);
        if (event.type === "text") throw new Error("mine");
      }
    };
    await expect(read()).rejects.toThrow("mine");
    await agent.close();
  });

  it("is not harmed by a listener that throws or rejects", async () => {
    for (const onEvent of [
      () => {
        throw new Error("listener");
      },
      () => Promise.reject(new Error("listener")),
    ]) {
      const agent = await agentIn(place, modelSaying([asks("read", { path: "a.txt" })], [says("ok")]), { onEvent });
      const events = await all(agent.send("go"));
      expect(events.map(({ type }) => type)).toEqual(["turn_start", "tool_start", "tool_end", "text", "done"]);
      await agent.close();
    }
  });
});

describe("stopping", () => {
  it("does not wait for a model that does not listen", async () => {
    const stop = new AbortController();
    const model = modelSaying(async function* (): AsyncGenerator<ModelEvent> {
      yield says("well");
      await new Promise(() => {});
    });
    const agent = await agentIn(place, model);
    const events: ZephEvent[] = [];
    for await (const event of agent.send("go", { signal: stop.signal })) {
      events.push(event);
      if (event.type === "text") stop.abort();
    }
    expect(done(events).why).toBe("cancelled");
    await agent.close();
  });

  it("by closing gives the turn its end", async () => {
    const agent = await agentIn(place, modelSaying([asks("write", { path: "x", content: "" })]), { confirm: () => new Promise(() => {}) });
    const events: ZephEvent[] = [];
    for await (const event of agent.send("go")) {
      events.push(event);
      if (event.type === "question") void agent.close();
    }
    expect(done(events).why).toBe("cancelled");
    await expect(agent.send("more").next()).rejects.toThrow("was closed");
  });

  it.each([[""], [" \n"], [undefined], [5]])("sending %j is refused", async (text) => {
    const agent = await agentIn(place, modelSaying());
    await expect(agent.send(text as string).next()).rejects.toThrow("nothing to send");
    await agent.close();
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1.5])("maxTurns %d is refused", async (maxTurns) => {
    const agent = await agentIn(place, modelSaying());
    await expect(agent.send("go", { maxTurns }).next()).rejects.toThrow("maxTurns must be a whole number");
    await agent.close();
  });
});

describe("calls of one message", () => {
  it("run eight at a time", async () => {
    const { toolset, most } = watched("reads");
    const model = modelSaying(
      Array.from({ length: 20 }, (_, n) => asks("touch", { path: `f${n}` })),
      [says("ok")],
    );
    const agent = await agentIn(place, model, { toolsets: [toolset] });
    await all(agent.send("go"));
    expect(most()).toBe(8);
    await agent.close();
  });

  it("wait for each other when they mean one place, however it is spelled", async () => {
    mkdirSync(join(place.work, "real"), { recursive: true });
    symlinkSync("real", join(place.work, "link"));
    const { toolset, most } = watched("writes");
    const paths = ["x", "./x", join(place.work, "x"), "real/y", "link/y"];
    const config = { tools: { permissions: { touch: [{ pattern: "*", action: "allow" }] } } };
    const model = modelSaying(
      paths.slice(0, 3).map((path) => asks("touch", { path })),
      paths.slice(3).map((path) => asks("touch", { path })),
      [says("ok")],
    );
    const agent = await agentIn(place, model, { toolsets: [toolset], config });
    await all(agent.send("go"));
    expect(most()).toBe(1);
    await agent.close();
  });

  it("are made up to a number, and the rest is answered", async () => {
    const model = modelSaying(
      Array.from({ length: 150 }, () => asks("read", { path: "a.txt" })),
      [says("ok")],
    );
    const agent = await agentIn(place, model);
    const events = await all(agent.send("go"));
    expect(events.filter((event) => event.type === "tool_end" && !event.outcome.ok)).toHaveLength(22);
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("are recorded as asked by the model, in the turn the events name", async () => {
    const agent = await agentIn(place, modelSaying([asks("read", { path: "a.txt" })], [says("ok")]));
    const events = await all(agent.send("go"));
    await agent.close();
    const start = events.find((event) => event.type === "turn_start");
    const line = JSON.parse(place.audit().trim().split("\n").at(-1)!);
    expect(line).toMatchObject({ phase: "executor", turn_id: (start as { turnId: string }).turnId });
  });

  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])("may be to a tool named %s", async (name) => {
    const agent = await agentIn(place, modelSaying([asks(name, {})], [says("ok")]));
    await all(agent.send("go"));
    const [, answer] = await agent.history();
    const [part] = (answer as { parts: readonly { name: string }[] }).parts;
    expect(part!.name in Object.prototype).toBe(false);
    await agent.close();
  });

  it("may hold arguments nobody can write down", async () => {
    const deep = JSON.parse(`{"path":${"[".repeat(50_000)}${"]".repeat(50_000)}}`);
    const agent = await agentIn(place, modelSaying([asks("read", deep)], [says("ok")]));
    const events = await all(agent.send("go"));
    expect(events.find((event) => event.type === "tool_start")).toMatchObject({ request: { args: {} } });
    expect(JSON.stringify(await agent.history())).toContain("nested deeper");
    await agent.close();
  });

  it("of an answer that was held back are not made", async () => {
    const model = modelSaying([asks("read", { path: "a.txt" }), { type: "end", finish: "refused" }]);
    const agent = await agentIn(place, model);
    const events = await all(agent.send("go"));
    expect(done(events).why).toBe("failed");
    expect(events.some(({ type }) => type === "tool_start")).toBe(false);
    await agent.close();
  });
});

describe("room in the context", () => {
  const big = (n: number) => asks("write", { path: `big${n}.txt`, content: "word ".repeat(400) });
  const looks = (n: number) => asks("read", { path: "data.txt", offset: n });

  it("is made by leaving out old results before anything that was said", async () => {
    const lines = Array.from({ length: 400 }, (_, n) => `line ${n} of something that is not short`).join("\n");
    const model = modelSaying(
      [asks("write", { path: "data.txt", content: lines })],
      ...Array.from({ length: 8 }, (_, n) => [looks(n + 1)]),
      [says("stopped before")],
      [says("fine")],
    );
    const config = { agent: { context_budget_tokens: 40_000, max_tool_iterations: 20 } };
    const agent = await agentIn(place, model, { config, confirm: () => "once" });
    const first = done(await all(agent.send("the task itself")));
    expect(first.why).toBe("context");
    const events = await all(agent.send("go on"));
    expect(events.find(({ type }) => type === "warning")).toMatchObject({ message: expect.stringMatching(/results of \d+ earlier calls/) });
    const sent = model.given.at(-1)!.messages;
    expect(sent[0]).toEqual({ role: "user", text: "the task itself" });
    expect(illegal(sent)).toBeNull();
    await agent.close();
  });

  it("is made once when the provider says that it is too long", async () => {
    const tooLong = async function* (): AsyncGenerator<ModelEvent> {
      yield* [];
      throw new ModelError("too_long", "The prompt is too long.");
    };
    const model = modelSaying([says("one")], [says("two")], tooLong, [says("three")], tooLong, tooLong);
    const agent = await agentIn(place, model);
    await all(agent.send("first"));
    await all(agent.send("second"));
    const events = await all(agent.send("third"));
    expect(done(events).why).toBe("answered");
    expect(events.some(({ type }) => type === "warning")).toBe(true);
    expect(done(await all(agent.send("fourth")))).toMatchObject({ why: "failed", message: "The prompt is too long." });
    await agent.close();
  });

  it("is kept by our own estimate when a provider counts nothing", async () => {
    const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
    const model = modelSaying(...Array.from({ length: 40 }, (_, n): ModelEvent[] => [big(n), { type: "end", finish: "calls", usage }]));
    const config = { agent: { context_budget_tokens: 9000, max_tool_iterations: 40 } };
    const agent = await agentIn(place, model, { config, confirm: () => "once" });
    expect(done(await all(agent.send("go"))).why).toBe("context");
    await agent.close();
  });
});

describe("a conversation", () => {
  const store = join(place.state, "edges.db");

  it("that is only looked at is not changed", async () => {
    const first = await agentIn(place, modelSaying([asks("slow", {})], [says("done")]), {
      store,
      toolsets: [
        {
          id: "slow",
          list: () => [
            defineTool({
              name: "slow",
              description: "Waits.",
              effect: "reads",
              input: z.strictObject({}),
              touches: () => [],
              run: async () => {
                const second = await agentIn(place, modelSaying(), { store, conversation: "last" });
                expect(illegal(await second.history())).toBeNull();
                await second.close();
                return { text: "looked" };
              },
            }),
          ],
        },
      ],
    });
    expect(done(await all(first.send("go"))).why).toBe("answered");
    await first.close();
  });

  it("belongs to its folder, however that was written", async () => {
    const cwd = process.cwd();
    process.chdir(place.T);
    try {
      const audit = { audit: { path: join(place.state, "rel.jsonl") } };
      const first = await createAgent({ cwd: "work", store, config: audit, model: modelSaying([says("a")]) });
      await all(first.send("hi"));
      await first.close();
      const second = await createAgent({
        cwd: place.work,
        store,
        config: audit,
        model: modelSaying([says("b")]),
        conversation: first.conversation!,
      });
      await second.close();
    } finally {
      process.chdir(cwd);
    }
  });
});

describe("a key of ours", () => {
  it("is taken out of whatever a tool returns, whatever it looks like", async () => {
    process.env.ZEPHYR_TEST_NAME = "plain-looking-value-42";
    const config = {
      llm: { providers: [{ name: "p", type: "anthropic", model: "m", api_key_env: "ZEPHYR_TEST_NAME" }] },
      tools: { permissions: { write: [{ pattern: "*", action: "allow" }] } },
    };
    const model = modelSaying(
      [asks("write", { path: "k.txt", content: "x plain-looking-value-42 y" })],
      [asks("read", { path: "k.txt" })],
      [says("ok")],
    );
    const agent = await agentIn(place, model, { config });
    await all(agent.send("go"));
    const results = (await agent.history()).filter(({ role }) => role === "tool");
    expect(JSON.stringify(results) + place.audit()).not.toContain("plain-looking-value-42");
    await agent.close();
    delete process.env.ZEPHYR_TEST_NAME;
  });
});
