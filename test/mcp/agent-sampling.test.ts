import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { Elicitation } from "../../src/core/ports/elicitation.ts";
import { createAgent, createRuntime } from "../../src/index.ts";
import { available } from "../sandbox/support.ts";
import { agentIn, all, asks, done, modelSaying, says } from "../talking.ts";
import { workspace } from "../workspace.ts";

// A server that asks the model of the agent that called it.

const FILE = fileURLToPath(new URL("./media-server.mjs", import.meta.url));
const HOSTILE = fileURLToPath(new URL("./hostile.mjs", import.meta.url));
const REPOSITORY = dirname(dirname(dirname(FILE)));
const place = workspace([{ op: "mkdir", path: "work" }]);
afterAll(() => place.remove());

const media = (more: object = {}) => ({
  name: "media",
  command: process.execPath,
  args: [FILE],
  allow_read: [REPOSITORY],
  trust: "trusted",
  sampling: true,
  ...more,
});
const audit = (name: string) => join(place.state, `${name}.jsonl`);
const config = (name: string, server: object, sampling: object = {}) => ({
  audit: { path: audit(name) },
  autonomy: "full",
  mcp: { servers: [server], sampling },
});
const THINK = {
  params: { messages: [{ role: "user", content: { type: "text", text: "What is 2 + 2?" } }], systemPrompt: "Be short.", maxTokens: 50 },
};
const usage = (input: number, output: number) => ({
  type: "end" as const,
  finish: "stop" as const,
  usage: { input, output, cacheRead: 0, cacheWrite: 0 },
});

const accepting = (asked: Elicitation[]) => ({
  elicit: async (question: Elicitation) => {
    asked.push(question);
    return { action: "accept" as const, content: {} };
  },
});

describe.skipIf(!available)("a server that asks the model of an agent", () => {
  it("gets its answer without tools and without the conversation, and the tokens count", async () => {
    const asked: Elicitation[] = [];
    const model = modelSaying([asks("mcp__media__think", THINK)], [says("Four."), usage(30, 3)], [says("It says four."), usage(100, 5)]);
    const agent = await agentIn(place, model, { config: config("counts", media()), ...accepting(asked) });
    const events = await all(agent.send("ask it", { maxTurns: 5 }));
    expect(model.given[1]).toEqual({
      system: "Be short.",
      tools: [],
      messages: [{ role: "user", text: "What is 2 + 2?" }],
      maxOutputTokens: 50,
    });
    expect(asked).toHaveLength(1);
    const [ended] = events.filter((event) => event.type === "tool_end");
    expect(ended!.outcome.output!.text).toContain('"stopReason":"endTurn"');
    expect(ended!.outcome.output!.text).toContain('"model":"test/model"');
    expect(done(events).totals).toMatchObject({ requests: 3, usage: { input: 130, output: 8 } });
    await agent.close();
    const log = readFileSync(audit("counts"), "utf8");
    expect(log).toContain(
      "the MCP server media asked the model: allowed by the person, test/model, 30 tokens in and 3 out, 1 of 20 requests",
    );
    expect(log).not.toContain("Four.");
  });

  it("gets an answer that is cut where it said, and at a word that ends it", async () => {
    const long = Array.from({ length: 400 }, (_, n) => says(`word${n} `));
    const stop = { params: { ...THINK.params, stopSequences: ["END"] } };
    const model = modelSaying(
      [asks("mcp__media__think", THINK)],
      long,
      [asks("mcp__media__think", stop)],
      [says("one E"), says("ND two")],
      [says("ok")],
    );
    const agent = await agentIn(place, model, { config: config("cut", media({ sampling: "allow" })) });
    const events = await all(agent.send("ask it"));
    const [first, second] = events.flatMap((event) => (event.type === "tool_end" ? [JSON.parse(event.outcome.output!.text)] : []));
    expect(first.stopReason).toBe("maxTokens");
    expect(first.content.text.length).toBeLessThan(50 * 8);
    expect(second).toMatchObject({ stopReason: "stopSequence", content: { text: "one " } });
    await agent.close();
  });

  it("pays for what the model thinks, and is cut by it", async () => {
    const thoughts = Array.from({ length: 400 }, (_, n) => ({ type: "thinking" as const, text: `word${n} ` }));
    const model = modelSaying(
      [asks("mcp__media__think", THINK), usage(10, 1)],
      [says("Well"), ...thoughts, says("never")],
      [says("ok"), usage(10, 1)],
    );
    const agent = await agentIn(place, model, { config: config("thinks", media({ sampling: "allow" })) });
    const events = await all(agent.send("ask it"));
    const [answer] = events.flatMap((event) => (event.type === "tool_end" ? [JSON.parse(event.outcome.output!.text)] : []));
    expect(answer).toMatchObject({ stopReason: "maxTokens", content: { text: "Well" } });
    // Two tokens are those of the agent's own answers.
    expect(done(events).totals.usage.output - 2).toBeGreaterThan(50);
    expect(done(events).totals.usage.output - 2).toBeLessThan(60);
    await agent.close();
  });

  it("gets none where the budget of the turn is used up", async () => {
    const model = modelSaying([asks("mcp__media__think", THINK), usage(900, 100)], [says("never")], [says("ok")]);
    const agent = await agentIn(place, model, { config: config("budget", media({ sampling: "allow" })) });
    const events = await all(agent.send("ask it", { limits: { tokens: 1000 } }));
    const [ended] = events.filter((event) => event.type === "tool_end");
    expect(ended!.outcome).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/refused: the model failed: .*1,000 tokens/) },
    });
    expect(model.given).toHaveLength(1);
    await agent.close();
  });

  it("asks the model of the agent that called it, of several over one runtime", async () => {
    const wish = { messages: [{ role: "user", content: { type: "text", text: "Who are you?" } }], maxTokens: 20 };
    // It speaks the older revision, whose requests come by themselves and not with an answer.
    const older = {
      name: "older",
      args: [HOSTILE, "asks for sampling in vain"],
      env: { WISHES: JSON.stringify([wish]) },
      sampling: "allow",
    };
    const zeph = await createRuntime({ cwd: place.work, store: "memory", config: config("several", media(older)) as never });
    const talk = async (name: string) => {
      const model = modelSaying([asks("mcp__older__echo", { text: "go" })], [says(`I am ${name}.`)], [says("done")]);
      const agent = await createAgent({ runtime: zeph, model });
      return { agent, model, name };
    };
    const agents = [await talk("Ada"), await talk("Ben")];
    for (const { agent, model, name } of agents) {
      const { calls, totals } = await agent.run("ask it");
      expect(calls[0]!.outcome.output!.text).toContain(`I am ${name}.`);
      expect(model.given).toHaveLength(3);
      expect(totals.requests).toBe(3);
      await agent.close();
    }
    await zeph.close();
  });

  it("gets none from a runtime without an agent", async () => {
    const zeph = await createRuntime({ cwd: place.work, store: "memory", config: config("bare", media({ sampling: "allow" })) as never });
    const outcome = await zeph.call("mcp__media__think" as never, THINK as never);
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    expect(!outcome.ok && outcome.error.message).toContain("there is no model here");
    await zeph.close();
  });
});
