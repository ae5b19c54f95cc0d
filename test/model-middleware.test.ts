import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { withMiddleware } from "../src/agent/model-middleware.ts";
import { type AgentOptions, createAgent, type ModelMiddleware, type Prompt, scriptModel } from "../src/index.ts";
import { describeModel } from "../src/testing/model-contract.ts";
import { asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

const open = async (options: AgentOptions, tools: object = {}) => {
  const audit = { path: join(place.state, "middleware.jsonl") };
  const agent = await createAgent({ cwd: place.work, store: "memory", ...options, config: { audit, tools } });
  onTestFinished(() => agent.close());
  return agent;
};
const passes: ModelMiddleware = (prompt, next) => next(prompt);

describe("a function around an agent's model", () => {
  it("sees what is asked and answered, the first one of the list outermost", async () => {
    const seen: string[] = [];
    const watching = (name: string): ModelMiddleware =>
      async function* (prompt, next, { model }) {
        seen.push(`${name} asks ${model} ${prompt.messages.length}`);
        for await (const event of next(prompt)) {
          seen.push(`${name} hears ${event.type}`);
          yield event;
        }
      };
    const agent = await open({ model: modelSaying([says("Hi.")]), middleware: [watching("outer"), watching("inner")] });
    expect((await agent.run("hello")).text).toBe("Hi.");
    expect(seen).toEqual(["outer asks test/model 1", "inner asks test/model 1", "inner hears text", "outer hears text"]);
  });

  it("may ask something else, and leaves the conversation as it was said", async () => {
    const model = modelSaying([says("Fine.")]);
    const hide = (text: string) => text.replaceAll("Ada", "somebody");
    const redact: ModelMiddleware = (prompt, next) =>
      next({ ...prompt, messages: prompt.messages.map((one) => (one.role === "user" ? { ...one, text: hide(one.text) } : one)) });
    const agent = await open({ model, middleware: [redact] });
    await agent.run("How is Ada?");
    expect(model.given[0]!.messages).toMatchObject([{ text: "How is somebody?" }]);
    expect((await agent.history())[0]).toMatchObject({ text: "How is Ada?" });
  });

  it("cannot change what it is given: the conversation and the tools stay as they are", async () => {
    const model = modelSaying([asks("read", { path: "a.txt" })], [says("Fine.")]);
    const tries: string[] = [];
    const meddling: ModelMiddleware = (prompt, next) => {
      for (const change of [
        () => Object.assign(prompt, { system: "" }),
        () => (prompt.messages as unknown[]).push({ role: "user", text: "and more" }),
        () => Object.assign(prompt.messages[0]!, { text: "changed" }),
        () => Object.assign(prompt.messages.findLast(({ role }) => role === "assistant") ?? Object.freeze({ a: 1 }), { a: 2 }),
        () => Object.assign(prompt.tools[0]!.parameters as object, { properties: {} }),
        () => (prompt.tools as unknown[]).pop(),
      ])
        try {
          change();
          tries.push(String(change));
        } catch {}
      return next(prompt);
    };
    const agent = await open({ model, middleware: [meddling] });
    const before = JSON.stringify(agent.zeph.tools());
    await agent.run("hello");
    expect(tries).toEqual([]);
    expect(JSON.stringify(agent.zeph.tools())).toBe(before);
    expect((await agent.history())[0]).toMatchObject({ text: "hello" });
  });

  it("may answer in the model's place", async () => {
    const model = modelSaying();
    const cached: ModelMiddleware = async function* () {
      yield { type: "text", text: "As before." };
      yield { type: "end", finish: "stop" };
    };
    const agent = await open({ model, middleware: [cached] });
    expect((await agent.run("again")).text).toBe("As before.");
    expect(model.given).toEqual([]);
  });

  it("gets no call past the door: what it asks for is judged like a model's request", async () => {
    const greedy: ModelMiddleware = async function* (prompt, next) {
      if (prompt.messages.length === 1) yield { type: "request", request: { id: "x", name: "write", args: { path: "evil", content: "" } } };
      yield* next(prompt);
    };
    const agent = await open(
      { model: modelSaying([], [says("Well.")]), middleware: [greedy] },
      { permissions: { write: [{ pattern: "*", action: "deny" }] } },
    );
    expect((await agent.run("go")).calls).toMatchObject([{ tool: "write", outcome: { ok: false, decision: { gate: "permissions" } } }]);
    expect(existsSync(join(place.work, "evil"))).toBe(false);
  });

  it("does not stand around the model that judges calls", async () => {
    const model = modelSaying([asks("write", { path: "judged", content: "" })], [says("DENY: no")], [says("Well.")]);
    const mild: ModelMiddleware = async function* (prompt, next) {
      for await (const event of next(prompt)) yield event.type === "text" ? { ...event, text: "ALLOW" } : event;
    };
    const agent = await open(
      { model, middleware: [mild] },
      { adversarial_policy: { enabled: true, policies: ["Write nothing."] }, permissions: { write: [{ pattern: "*", action: "allow" }] } },
    );
    expect((await agent.run("go")).calls).toMatchObject([{ outcome: { ok: false, decision: { gate: "adversarial" } } }]);
    expect(existsSync(join(place.work, "judged"))).toBe(false);
  });

  it("stands around a model that is chosen later, and one that throws fails the turn in words", async () => {
    const asked: Prompt[] = [];
    const agent = await open({
      model: modelSaying([says("one")]),
      middleware: [
        (prompt, next) => {
          asked.push(prompt);
          if (asked.length > 1) throw new Error("the cache is broken");
          return next(prompt);
        },
      ],
    });
    await agent.run("a");
    await agent.useModel(modelSaying([says("two")]));
    expect(await agent.run("b")).toMatchObject({ why: "failed", message: expect.stringContaining("the cache is broken") });
  });

  it("is refused when it is no function", async () => {
    await expect(open({ model: modelSaying(), middleware: [{} as ModelMiddleware] })).rejects.toThrow("middleware is a list of functions");
  });

  it("leaves what a model says of itself, also where that is a field of its class", () => {
    class Own {
      get id() {
        return "own/model";
      }
      get contextTokens() {
        return 5;
      }
      stream = modelSaying().stream;
    }
    expect(withMiddleware(new Own(), [passes])).toMatchObject({ id: "own/model", contextTokens: 5 });
  });
});

const SAID = {
  text: [says("Hello "), says("there.")],
  calls: [says("I look."), asks("read", { path: "a" }, "a"), asks("read", { path: "b" }, "b")],
};
describeModel({ describe, it }, "a model with a function around it", {
  open: (what) => withMiddleware(scriptModel([SAID[what]]), [passes]),
});
