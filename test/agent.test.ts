import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { openTranscript } from "../src/agent/transcript.ts";
import type { Message, ModelEvent } from "../src/core/ports/model.ts";
import { createAgent, defineTool, ModelError, type Toolset, type ZephEvent } from "../src/index.ts";
import { openStore } from "../src/store/open.ts";
import { agentIn, all, asks, done, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([
  { op: "file", path: "work/a.txt", content: "hello\n" },
  { op: "file", path: "work/b.txt", content: "there\n" },
]);
afterAll(() => place.remove());

/** A tool that waits until it is told to stop, or a while. */
const slow: Toolset = {
  id: "slow",
  list: () => [
    defineTool({
      name: "slow",
      description: "Waits.",
      effect: "reads",
      input: z.strictObject({ ms: z.number() }),
      touches: () => [],
      run: async ({ input: { ms } }, { signal }) => {
        await sleep(ms, undefined, { signal });
        return { text: `waited ${ms}` };
      },
    }),
  ],
};

describe("a turn", () => {
  it("goes from a prompt through calls to an answer, and tells everything in order", async () => {
    const model = modelSaying(
      [says("I "), says("look."), asks("read", { path: "a.txt" }), asks("read", { path: "b.txt" })],
      [says("Done.")],
    );
    const agent = await agentIn(place, model);
    const events = await all(agent.send("What is there?"));
    expect(events.map(({ type }) => type)).toEqual([
      ...["turn_start", "text", "text", "tool_start", "tool_start", "tool_end", "tool_end", "text", "done"],
    ]);
    expect(done(events)).toMatchObject({ why: "answered", totals: { requests: 2, calls: 2, denied: 0 } });
    expect(events[0]).toMatchObject({ conversation: agent.conversation, model: "test/model" });
    const history = await agent.history();
    expect(illegal(history)).toBeNull();
    expect(history.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
    expect(history[2]).toMatchObject({ text: expect.stringContaining("hello") });
    await agent.close();
  });

  it("sends a prompt of which each is the beginning of the next, with the same system text and tools", async () => {
    const model = modelSaying([asks("read", { path: "a.txt" })], [says("ok")], [says("again")]);
    const agent = await agentIn(place, model);
    await all(agent.send("one"));
    await all(agent.send("two"));
    const [first, second, third] = model.given.map((prompt) => JSON.stringify(prompt));
    for (const [shorter, longer] of [
      [first, second],
      [second, third],
    ])
      expect(longer!.startsWith(shorter!.slice(0, -2))).toBe(true);
    await agent.close();
  });

  it("ends after the most rounds allowed, and can be asked to go on", async () => {
    const model = modelSaying(...Array.from({ length: 5 }, (_, n) => [asks("read", { path: "a.txt", offset: n + 1 })]), [says("fine")]);
    const agent = await agentIn(place, model, { config: { agent: { max_tool_iterations: 3 } } });
    expect(done(await all(agent.send("go")))).toMatchObject({ why: "iterations", message: expect.stringContaining("3 rounds") });
    expect(model.given).toHaveLength(3);
    expect(done(await all(agent.send("go on", { maxTurns: 9 })))).toMatchObject({ why: "answered" });
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("stops a model that gets the same three times in a row", async () => {
    const model = modelSaying(...Array.from({ length: 9 }, () => [asks("read", { path: "a.txt" })]));
    const agent = await agentIn(place, model);
    expect(done(await all(agent.send("go")))).toMatchObject({ why: "repeated", message: expect.stringContaining("three rounds") });
    expect(model.given).toHaveLength(3);
    await agent.close();
  });

  it("does not stop a model whose different calls bring the same output", async () => {
    const paths = ["a.txt", "copy-1.txt", "copy-2.txt", "copy-3.txt"];
    const refused = paths.map((path) => [asks("write", { path, content: "x" })]);
    const model = modelSaying(...refused, [says("done")]);
    const agent = await agentIn(place, model);
    expect(done(await all(agent.send("go")))).toMatchObject({ why: "answered" });
    expect(model.given).toHaveLength(5);
    await agent.close();
  });

  describe("with commands of a model", () => {
    const ALLOW_ALL = {
      tools: { permissions: { bash: [{ pattern: "*", action: "allow" }], background: [{ pattern: "*", action: "allow" }] } },
    };
    const runs = async (calls: readonly (readonly [name: string, args: object])[]) => {
      const model = modelSaying(...calls.map(([name, args]) => [asks(name, args)]), [says("done")]);
      const agent = await agentIn(place, model, { config: ALLOW_ALL, confirm: () => "once" });
      const end = done(await all(agent.send("go")));
      await agent.close();
      return { ...end, rounds: model.given.length };
    };
    const bash = (command: string) => ["bash", { command }] as const;

    it("stops after three rounds that read the same missing file, however the command is written, and names the output", async () => {
      const lines = Array.from({ length: 8 }, (_, n) => bash(`cat ${" ".repeat(n)}missing`));
      expect(await runs(lines)).toMatchObject({ why: "repeated", rounds: 3, message: expect.stringContaining("missing: No such file") });
      const others = ["cat missing", "cat ./missing", "head missing", "wc missing"].map((line) => bash(`${line} 2>&1 | sed s/.*:.//`));
      expect(await runs(others)).toMatchObject({ why: "repeated", rounds: 3 });
    });

    it("goes on with a command that fails without output", async () => {
      expect(await runs(Array.from({ length: 6 }, () => bash("test -e ready")))).toMatchObject({ why: "answered", rounds: 7 });
    });

    it("waits for a background command that runs, and for no other", async () => {
      const five = <T>(call: T) => Array.from({ length: 5 }, () => call);
      const list = ["background", { action: "list" }] as const;
      const start = ["bash", { command: "sleep 20", background: true }] as const;
      expect(await runs([start, ...five(list)])).toMatchObject({ why: "answered", rounds: 7 });
      expect(await runs([start, ...five(bash("sleep 0.1"))])).toMatchObject({ why: "answered", rounds: 7 });
      expect(await runs(five(list))).toMatchObject({ why: "repeated", rounds: 3 });
      expect(await runs(five(["background", { action: "read", run_id: "bg9" }] as const))).toMatchObject({ why: "repeated", rounds: 3 });
    });

    it("goes on with commands that change a file and fail, and stops those that only fail", async () => {
      const failing = (n: number, act: string) => bash(`node -e 'const n = ${n}; ${act}'; cat missing`);
      const changing = [1, 2, 3, 4].map((n) => failing(n, 'require("fs").writeFileSync("a.txt", "hello" + n)'));
      expect(await runs(changing)).toMatchObject({ why: "answered", rounds: 5 });
      const removing = [1, 2, 3, 4].map((n) => failing(n, `require("fs").rmSync("removed-${n}.txt")`));
      for (const n of [1, 2, 3, 4]) writeFileSync(join(place.work, `removed-${n}.txt`), "");
      await sleep(50);
      expect(await runs(removing)).toMatchObject({ why: "answered", rounds: 5 });
      await sleep(50);
      expect(await runs([1, 2, 3, 4].map((n) => failing(n, "")))).toMatchObject({ why: "repeated", rounds: 3 });
    });

    it("goes on with searches that find nothing", async () => {
      const searches = ["found-1.txt", "found-2.txt", "found-3.txt", "found-4.txt"].map(
        (path) => ["grep", { pattern: "error", path }] as const,
      );
      for (const [, { path }] of searches) writeFileSync(join(place.work, path), "hello");
      expect(await runs(searches)).toMatchObject({ why: "answered", rounds: 5 });
    });

    it("goes on with different edits that print the same", async () => {
      const edits = [1, 2, 3, 4, 5].map((n) => bash(`sed -i s/hello/hello${n}/ a.txt; echo a b c d e f g h i j`));
      expect(await runs(edits)).toMatchObject({ why: "answered", rounds: 6 });
    });
  });

  it("stops before a request that would fill more than 80 % of the context; the next turn sends less of the past", async () => {
    const big = { path: "big.txt", content: "word ".repeat(3000) };
    const model = modelSaying([says("first")], [asks("write", big)], [asks("write", { ...big, path: "c.txt" })], [says("done")]);
    const agent = await agentIn(place, model, { config: { agent: { context_budget_tokens: 9000 } }, confirm: () => "once" });
    await all(agent.send("hello"));
    const stopped = done(await all(agent.send("write")));
    expect(stopped).toMatchObject({ why: "context", message: expect.stringContaining("80 %") });
    const events = await all(agent.send("go on"));
    expect(events.find(({ type }) => type === "warning")).toMatchObject({ message: expect.stringContaining("no longer sent") });
    expect(done(events).why).toBe("answered");
    expect(illegal(model.given.at(-1)!.messages)).toBeNull();
    expect(JSON.stringify(model.given.at(-1)!.messages)).not.toContain("hello");
    await agent.close();
  });

  it("says when the answer was cut at the output limit, or held back", async () => {
    const model = modelSaying([says("The"), { type: "end", finish: "length" }], [{ type: "end", finish: "refused" }]);
    const agent = await agentIn(place, model);
    expect(done(await all(agent.send("go")))).toMatchObject({ why: "length", message: expect.stringContaining("max_output_tokens") });
    expect(done(await all(agent.send("go")))).toMatchObject({ why: "failed", message: expect.stringContaining("held the answer back") });
    await agent.close();
  });

  it("tells what it used and what that cost", async () => {
    const usage = { input: 1000, cacheRead: 600, cacheWrite: 100, output: 50 };
    const priced = {
      ...modelSaying([says("x"), { type: "end", finish: "stop", usage }]),
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
    };
    const agent = await agentIn(place, priced);
    const events = await all(agent.send("go"));
    expect(events.find(({ type }) => type === "usage")).toMatchObject({ usage, context: { used: 1050, budget: 100_000 } });
    expect(done(events).totals.cost).toBeCloseTo((300 * 3 + 600 * 0.3 + 100 * 3.75 + 50 * 15) / 1e6, 12);
    await agent.close();
  });

  it("counts what was denied and what nobody answered", async () => {
    const model = modelSaying([asks("read", { path: "/etc/passwd" }), asks("write", { path: "x", content: "" })], [says("ok")]);
    const agent = await agentIn(place, model);
    expect(done(await all(agent.send("go"))).totals).toMatchObject({ calls: 2, denied: 1, unanswered: 1 });
    await agent.close();
  });

  it("is one at a time, and who stops reading stops it", async () => {
    const model = modelSaying([asks("slow", { ms: 60_000 })], [says("later")]);
    const agent = await agentIn(place, model, { toolsets: [slow] });
    for await (const event of agent.send("go")) {
      await expect(agent.send("me too").next()).rejects.toThrow("in the middle of a turn");
      if (event.type === "tool_start") break;
    }
    expect(illegal(await agent.history())).toBeNull();
    expect(done(await all(agent.send("and now")))).toMatchObject({ why: "answered" });
    await agent.close();
  });
});

describe("bad calls", () => {
  it("are answered with what was wrong, and one reflection a turn", async () => {
    const model = modelSaying(
      [asks("read", { where: "a.txt" })],
      [asks("raed", { path: "a.txt" })],
      [{ type: "request", request: { id: "j", name: "read", args: undefined, problem: "The arguments are not valid JSON." } }],
      [says("ok")],
    );
    const agent = await agentIn(place, model);
    await all(agent.send("go"));
    const history = await agent.history();
    const texts = history.flatMap((m) => (m.role === "tool" ? [m.text] : []));
    expect(texts[0]).toContain("category: invalid_parameters");
    expect(texts[1]).toContain('Did you mean "read"');
    expect(texts[2]).toContain("not valid JSON");
    expect(history.filter((m) => m.role === "user" && m.from === "loop")).toHaveLength(1);
    expect(illegal(history)).toBeNull();
    await agent.close();
  });

  it("are not reflected upon when a rule or the network was to blame, or when it is switched off", async () => {
    const nobody = modelSaying([asks("read", { path: "/etc/passwd" }), asks("read", { path: "none" })], [says("ok")]);
    const off = modelSaying([asks("raed", {})], [says("ok")]);
    for (const [model, config] of [
      [nobody, {}],
      [off, { agent: { self_reflection: false } }],
    ] as const) {
      const agent = await agentIn(place, model, { config });
      await all(agent.send("go"));
      expect((await agent.history()).some((m) => m.role === "user" && m.from === "loop")).toBe(false);
      await agent.close();
    }
  });

  it("run once when two come with one id", async () => {
    const log = join(place.T, "twice.log");
    const note: Toolset = {
      id: "note",
      list: () => [
        defineTool({
          name: "note",
          description: "Notes.",
          effect: "reads",
          input: z.strictObject({}),
          touches: () => [],
          run: async () => {
            appendFileSync(log, "x");
            return { text: "noted" };
          },
        }),
      ],
    };
    const agent = await agentIn(place, modelSaying([asks("note", {}, "same"), asks("note", {}, "same")], [says("ok")]), {
      toolsets: [note],
    });
    await all(agent.send("go"));
    expect(readFileSync(log, "utf8")).toBe("x");
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("that were only thought leave no trace; the model hears of it once", async () => {
    const thought = () => asks("read", { _tafc_think: "I wonder" });
    const model = modelSaying([thought()], [thought()]);
    const agent = await agentIn(place, model);
    const events = await all(agent.send("go"));
    expect(done(events).why).toBe("answered");
    expect(model.given).toHaveLength(2);
    const history = await agent.history();
    expect(history.map(({ role }) => role)).toEqual(["user", "user"]);
    expect(JSON.stringify(history)).not.toContain("wonder");
    await agent.close();
  });

  it("count against the model, and good ones for it", async () => {
    const file = join(place.state, "reputation.db");
    const agent = await agentIn(place, modelSaying([asks("read", { path: "a.txt" }), asks("raed", {})], [says("ok")]), { store: file });
    await all(agent.send("go"));
    await agent.close();
    const store = openStore(file);
    expect(await store.reputation.get("test/model")).toEqual({ good: 1, bad: 1 });
    await store.close();
  });
});

describe("a model that fails", () => {
  const failing = (...errors: readonly unknown[]) =>
    errors.map(
      (error) =>
        async function* (): AsyncGenerator<ModelEvent> {
          yield says("half an ");
          throw error;
        },
    );
  const quick = { tools: { retry: { base_ms: 1, max_ms: 2 } } };

  it("is asked again, and what it had half said is void", async () => {
    const model = modelSaying(...failing(new ModelError("cut", "cut off")), [says("whole")]);
    const agent = await agentIn(place, model, { config: quick });
    const events = await all(agent.send("go"));
    expect(events.map(({ type }) => type)).toEqual(["turn_start", "text", "retry", "text", "done"]);
    expect(events[2]).toMatchObject({ discards: true, attempt: 1, why: "cut off" });
    expect((await agent.history()).at(-1)).toMatchObject({ parts: [{ type: "text", text: "whole" }] });
    await agent.close();
  });

  it("ends the turn with its sentence when trying again does not help, and the conversation goes on", async () => {
    const cut = new ModelError("cut", "The line was cut.");
    const model = modelSaying(
      ...failing(cut, cut, cut),
      ...failing(new ModelError("wrong_key", "The key is wrong.")),
      ...failing(new Error("boom")),
      [says("ok")],
    );
    const agent = await agentIn(place, model, { config: quick });
    expect(done(await all(agent.send("go")))).toMatchObject({ why: "failed", message: "The line was cut. It was tried 3 times." });
    expect(done(await all(agent.send("go")))).toMatchObject({ why: "failed", message: "The key is wrong." });
    expect(done(await all(agent.send("go")))).toMatchObject({ why: "failed", message: expect.stringContaining("boom") });
    expect(done(await all(agent.send("go")))).toMatchObject({ why: "answered" });
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("that asks for patience gets it, and more than the budget is said", async () => {
    const model = modelSaying(
      ...failing(new ModelError("rate_limited", "Slow down.", { retryAfterMs: 80 })),
      [says("ok")],
      ...failing(new ModelError("rate_limited", "Slow down.", { retryAfterMs: 90_000 })),
    );
    const agent = await agentIn(place, model, { config: quick });
    const events = await all(agent.send("go"));
    expect(events.find(({ type }) => type === "retry")).toMatchObject({ inMs: 80 });
    expect(done(await all(agent.send("go")))).toMatchObject({
      why: "failed",
      message: expect.stringContaining("90 s before the next try"),
    });
    await agent.close();
  });

  it("runs nothing of an answer that is not whole", async () => {
    const model = modelSaying(async function* () {
      yield asks("write", { path: "never.txt", content: "x" });
      throw new ModelError("bad_request", "no");
    });
    const agent = await agentIn(place, model, { confirm: () => "once" });
    const events = await all(agent.send("go"));
    expect(events.some(({ type }) => type === "tool_start")).toBe(false);
    await agent.close();
  });
});

describe("cancelling", () => {
  it("while the model speaks keeps what it said", async () => {
    const stop = new AbortController();
    const model = modelSaying(async function* (_prompt, signal) {
      yield says("As I was say");
      await sleep(60_000, undefined, { signal });
    });
    const agent = await agentIn(place, model);
    const events: ZephEvent[] = [];
    for await (const event of agent.send("go", { signal: stop.signal })) {
      events.push(event);
      if (event.type === "text") stop.abort();
    }
    expect(done(events)).toMatchObject({ why: "cancelled" });
    expect((await agent.history()).at(-1)).toMatchObject({ role: "assistant", parts: [{ type: "text", text: "As I was say" }] });
    await agent.close();
  });

  it("while calls run answers each of them", async () => {
    const stop = new AbortController();
    const model = modelSaying([asks("slow", { ms: 60_000 }), asks("read", { path: "a.txt" }), asks("slow", { ms: 60_000 })], [says("ok")]);
    const agent = await agentIn(place, model, { toolsets: [slow] });
    const events: ZephEvent[] = [];
    for await (const event of agent.send("go", { signal: stop.signal })) {
      events.push(event);
      if (event.type === "tool_end") stop.abort();
    }
    expect(done(events)).toMatchObject({ why: "cancelled", totals: { calls: 3 } });
    const history = await agent.history();
    expect(illegal(history)).toBeNull();
    expect(history.filter((m) => m.role === "tool" && m.text.includes("category: cancelled"))).toHaveLength(2);
    await agent.close();
  });

  it("while waiting to try again ends at once", async () => {
    const stop = new AbortController();
    const model = modelSaying(async function* () {
      yield says("");
      throw new ModelError("rate_limited", "wait", { retryAfterMs: 20_000 });
    });
    const agent = await agentIn(place, model);
    const events: ZephEvent[] = [];
    for await (const event of agent.send("go", { signal: stop.signal })) {
      events.push(event);
      if (event.type === "retry") stop.abort();
    }
    expect(done(events).why).toBe("cancelled");
    await agent.close();
  });
});

describe("whatever a model says and whenever it is stopped", () => {
  const event = fc.oneof(
    fc.string().map(says),
    fc
      .record({
        type: fc.constant("thinking" as const),
        text: fc.string(),
        meta: fc.option(fc.constant({ p: { s: 1 } }), { nil: undefined }),
      })
      .map((e) => e as ModelEvent),
    fc
      .tuple(fc.constantFrom("read", "slow", "raed", "bad name", ""), fc.constantFrom("1", "2", "", "x y"), fc.anything())
      .map(([name, id, args]) => asks(name, args, id)),
    fc.constant(asks("read", { path: "a.txt" }, "1")),
    fc.constant(asks("slow", { ms: 3 }, "2")),
  );
  it("the transcript stays one that a provider takes back", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(event, { maxLength: 5 }), { maxLength: 5 }),
        fc.integer({ min: 0, max: 30 }),
        async (turns, stopAt) => {
          const model = modelSaying(...turns);
          const agent = await agentIn(place, model, { toolsets: [slow], config: { agent: { max_tool_iterations: 4 } } });
          for (const said of ["one", "two"]) {
            const stop = new AbortController();
            let seen = 0;
            for await (const _ of agent.send(said, { signal: stop.signal })) if (++seen === stopAt) stop.abort();
          }
          const history = await agent.history();
          for (const { messages } of model.given) expect(illegal(messages)).toBeNull();
          await agent.close();
          expect(illegal(history)).toBeNull();
        },
      ),
      { numRuns: 20 },
    );
  });
});

describe("a stored conversation", () => {
  const store = join(place.state, "talk.db");

  it("goes on where it was left, by id or as the last one of its folder", async () => {
    const first = await agentIn(place, modelSaying([asks("read", { path: "a.txt" }, "r1")], [says("It says hello.")]), { store });
    await all(first.send("What is in a.txt?"));
    const id = first.conversation!;
    await first.close();
    for (const conversation of [id, "last"]) {
      const model = modelSaying([says("Yes.")]);
      const agent = await agentIn(place, model, { store, conversation });
      await all(agent.send("Sure?"));
      expect(agent.conversation).toBe(id);
      expect(model.given[0]!.messages[0]).toEqual({ role: "user", text: "What is in a.txt?" });
      expect(illegal(model.given[0]!.messages)).toBeNull();
      await agent.close();
    }
  });

  it("says so when there is none, or when it belongs to another folder", async () => {
    await expect(agentIn(place, modelSaying(), { store, conversation: "none" })).rejects.toThrow("There is no conversation none.");
    await expect(createAgent({ cwd: place.T, store, config: {}, model: modelSaying(), conversation: "last" })).rejects.toThrow(
      "There is no conversation in this folder",
    );
    const agent = await agentIn(place, modelSaying([says("x")]), { store });
    await all(agent.send("hi"));
    await agent.close();
    await expect(
      createAgent({
        cwd: place.T,
        store,
        config: { audit: { path: join(place.state, "other.jsonl") } },
        model: modelSaying(),
        conversation: agent.conversation!,
      }),
    ).rejects.toThrow(`belongs to ${place.work}`);
  });

  it("whose process was killed in the middle of calls tells the model so, and runs none of them again", async () => {
    const kept = openStore("memory");
    const { id } = await kept.conversations.create("/w", "t");
    const request = (n: string) => ({ type: "request" as const, id: n, callId: `c${n}`, name: "bash", args: { command: "make" } });
    const before: Message[] = [
      { role: "user", text: "go" },
      { role: "assistant", model: "m", parts: [request("1"), request("2"), request("3")] },
      { role: "tool", id: "2", text: "done" },
    ];
    await kept.conversations.append(id, before);
    expect(illegal(before)).not.toBeNull();
    const transcript = await openTranscript(kept.conversations, id, 0);
    expect(illegal(transcript.messages())).toBeNull();
    expect(transcript.messages().slice(3)).toMatchObject([
      { id: "1", text: expect.stringContaining("Whether it took effect is not known") },
      { id: "3", failed: true },
    ]);
    // Who only looks writes nothing; who goes on writes the answers first.
    expect((await kept.conversations.get(id))!.length).toBe(3);
    await transcript.append({ role: "user", text: "and now?" });
    const stored = (await kept.conversations.messages(id, { after: 0, limit: 10 })).map(({ message }) => message);
    expect(stored.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "tool", "user"]);
    expect(illegal(stored)).toBeNull();
    await kept.close();
  });

  it("remembers what the provider counted", async () => {
    const kept = openStore("memory");
    const { id } = await kept.conversations.create("/w", "t");
    const transcript = await openTranscript(kept.conversations, id, 100);
    await transcript.append({ role: "user", text: "hello" });
    transcript.counted({ input: 5000, output: 20, cacheRead: 0, cacheWrite: 0 });
    await transcript.append({ role: "user", text: "more" });
    const again = await openTranscript(kept.conversations, id, 100);
    expect(again.used()).toBe(transcript.used());
    expect(again.used()).toBeGreaterThan(5020);
    await kept.close();
  });

  it("is not written by two at once", async () => {
    const kept = openStore("memory");
    const { id } = await kept.conversations.create("/w", "t");
    const [mine, other] = [await openTranscript(kept.conversations, id, 0), await openTranscript(kept.conversations, id, 0)];
    await mine.append({ role: "user", text: "mine" });
    await expect(other.append({ role: "user", text: "theirs" })).rejects.toThrow("Another process has gone on");
    expect((await kept.conversations.get(id))!.length).toBe(1);
    await kept.close();
  });

  it("shows a window that moves by whole turns and is the same after resuming", async () => {
    const kept = openStore("memory");
    const { id } = await kept.conversations.create("/w", "t");
    const transcript = await openTranscript(kept.conversations, id, 100);
    for (let n = 0; n < 20; n++)
      await transcript.append(
        { role: "user", text: `question ${n} ${"word ".repeat(50)}` },
        { role: "assistant", model: "m", parts: [{ type: "text", text: "answer" }] },
      );
    const all = transcript.used();
    expect(await transcript.forget(all + 1, 1)).toEqual({ elided: 0, dropped: 0 });
    expect((await transcript.forget(all / 2, 1)).dropped).toBeGreaterThan(10);
    expect(transcript.used()).toBeLessThanOrEqual(all / 2);
    expect(illegal(transcript.messages())).toBeNull();
    expect((await openTranscript(kept.conversations, id, 100)).messages()).toEqual(transcript.messages());
    expect((await kept.conversations.get(id))!.length).toBe(40);
    await kept.close();
  });
});
