import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { compactor } from "../src/agent/compaction.ts";
import { type Loop, runTurn } from "../src/agent/loop.ts";
import { tally } from "../src/agent/tally.ts";
import { openTranscript, type Transcript } from "../src/agent/transcript.ts";
import { openTalk } from "../src/app/talk.ts";
import type { Outcome } from "../src/core/layer.ts";
import { UNTRACED } from "../src/core/span.ts";
import type { Store } from "../src/core/store.ts";
import { NEVER } from "../src/core/tool.ts";
import { type Message, ModelError, type ModelEvent, type Prompt, type ZephEvent } from "../src/index.ts";
import { openStore } from "../src/store/open.ts";
import { agentIn, all, asks, done, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const SUMMARY = `Goal: count the words of every file. Decisions: none. Files: src/a.ts was read. Next: go on with b.`;
const LONG = "some words that a tool found in a file ".repeat(40);

let ids = 0;
const round = (text = LONG): Message[] => {
  const id = `r${++ids}`;
  return [
    { role: "assistant", model: "m", parts: [{ type: "request", id, callId: id, name: "read", args: { path: `${id}.ts` } }] },
    { role: "tool", id, text },
  ];
};
const turnOf = (text: string, rounds: number): Message[] => [
  { role: "user", text },
  ...Array.from({ length: rounds }, () => round()).flat(),
  { role: "assistant", model: "m", parts: [{ type: "text", text: `done with ${text}` }] },
];

async function conversation(...messages: readonly Message[]) {
  const store = openStore("memory");
  onTestFinished(() => store.close());
  const { id } = await store.conversations.create("/w", "t");
  if (messages.length > 0) await store.conversations.append(id, messages);
  return { store, id, open: () => reopened(store, id) };
}
const reopened = (store: Store, id: string): Promise<Transcript> =>
  openTranscript(store.conversations, id, 100, { summaries: store.summaries });

type Answer = string | Error | ((signal: AbortSignal) => Promise<string>);
const makerOf = (store: Store, transcript: Transcript, answer: Answer = SUMMARY, asked: string[] = []) =>
  compactor({
    transcript,
    summaries: store.summaries,
    room: 50_000,
    keepTokens: 2_000,
    ask: async ({ text }, signal) => {
      asked.push(text);
      if (answer instanceof Error) throw answer;
      return typeof answer === "string" ? answer : answer(signal);
    },
  });

describe("a summary", () => {
  it("stands for old messages: a legal window, the words that began the turn, the rest under Knowledge", async () => {
    const { store, id, open } = await conversation(
      { role: "user", text: "the task: rename foo" },
      ...Array.from({ length: 12 }, () => round()).flat(),
    );
    const transcript = await open();
    const before = transcript.messages();
    const asked: string[] = [];
    const maker = makerOf(store, transcript, SUMMARY, asked);
    const made = await maker.prepare({ method: "manual", focus: "the names" }, NEVER);
    expect(transcript.messages()).toEqual(before);
    expect(transcript.knowledge()).toBe("");
    const done = await maker.settle();
    expect(done).toMatchObject({ method: "manual", messages: made.messages });
    expect(done!.tokens.after).toBeLessThan(done!.tokens.before / 2);
    expect(asked[0]).toContain("the task: rename foo");
    expect(asked[0]).toContain("Look after this most: the names");

    const after = transcript.messages();
    expect(illegal(after)).toBeNull();
    expect(after[0]).toMatchObject({ role: "user", from: "loop", text: expect.stringContaining("the task: rename foo") });
    expect(after.slice(1)).toEqual(before.slice(made.messages));
    expect(transcript.knowledge()).toContain(SUMMARY);
    const again = await open();
    expect(again.messages()).toEqual(after);
    expect(again.knowledge()).toBe(transcript.knowledge());
    expect(again.used()).toBe(transcript.used());
    expect((await store.conversations.get(id))!.length).toBe(before.length);
    expect((await store.summaries.of(id))[0]).toMatchObject({ method: "manual", until: made.messages, text: SUMMARY });
  });

  it("begins with no words of ours where a turn begins", async () => {
    const { store, open } = await conversation(...turnOf("one", 6), ...turnOf("two", 3));
    const transcript = await open();
    const maker = makerOf(store, transcript);
    await maker.prepare({ method: "manual", keep: 8 }, NEVER);
    await maker.settle();
    expect(transcript.messages()[0]).toEqual({ role: "user", text: "two" });
  });

  it("leaves as many of the newest as it is told to", async () => {
    const { store, open } = await conversation(...turnOf("go", 30));
    const transcript = await open();
    const before = transcript.messages();
    const maker = makerOf(store, transcript);
    await maker.prepare({ method: "triggered", keep: 21 }, NEVER);
    await maker.settle();
    expect(transcript.messages().slice(-21)).toEqual(before.slice(-21));
    expect(transcript.messages().length).toBeLessThan(before.length);
  });

  it("is not used when it is longer than what it should stand for", async () => {
    const { store, id, open } = await conversation(...turnOf("go", 6));
    const maker = makerOf(store, await open(), "many words about very little ".repeat(400));
    await expect(maker.prepare({ method: "manual" }, NEVER)).rejects.toThrow("longer than what it should stand for");
    expect(await store.summaries.of(id)).toEqual([]);
  });

  it("is added to those before it, and the words of a turn survive any number of them", async () => {
    const { store, open } = await conversation({ role: "user", text: "the very first words" });
    const transcript = await open();
    const blocks: string[] = [];
    for (let n = 1; n <= 3; n++) {
      await transcript.append(...Array.from({ length: 10 }, () => round()).flat());
      const maker = makerOf(store, transcript, `${SUMMARY} Number ${n}.`);
      await maker.prepare({ method: "triggered" }, NEVER);
      await maker.settle();
      blocks.push(transcript.knowledge());
      expect(illegal(transcript.messages())).toBeNull();
      expect(JSON.stringify(transcript.messages()[0])).toContain("the very first words");
    }
    expect(blocks[1]!.startsWith(blocks[0]!)).toBe(true);
    expect(blocks[2]!.startsWith(blocks[1]!)).toBe(true);
  });

  it("is bounded, and so are all of them together", async () => {
    const { store, id, open } = await conversation(...turnOf("go", 40));
    const transcript = await open();
    const maker = makerOf(store, transcript, "words and words ".repeat(20_000));
    await maker.prepare({ method: "manual" }, NEVER);
    await maker.settle();
    expect(transcript.knowledge().length).toBeLessThan(20_000);
    for (let n = 0; n < 20; n++)
      await store.summaries.add({ conversation: id, until: 1, text: `${n} ${"word ".repeat(1_500)}`, opening: "", method: "manual" });
    const again = await open();
    expect(again.knowledge().length).toBeLessThan(80_000);
    expect(again.knowledge()).toContain("older summaries are kept and not shown");
    const small = await openTranscript(store.conversations, id, 100, { summaries: store.summaries, mostTokens: 300 });
    expect(small.knowledge().length).toBeLessThan(3_000);
  });

  const failures: [string, Answer, RegExp][] = [
    ["is empty", "  ", /was empty/],
    ["is absurdly short", "ok", /only 2 characters/],
    ["fails", new ModelError("server_error", "The server is down."), /The server is down/],
    ["throws what it likes", new TypeError("oh"), /The summary failed: oh/],
  ];
  it.each(failures)("that %s changes nothing", async (_how, answer, why) => {
    const { store, id, open } = await conversation(...turnOf("go", 20));
    const transcript = await open();
    const before = [transcript.messages(), await store.conversations.get(id)];
    const maker = makerOf(store, transcript, answer);
    await expect(maker.prepare({ method: "manual" }, NEVER)).rejects.toThrow(why);
    expect(await maker.settle()).toBeNull();
    expect([transcript.messages(), await store.conversations.get(id)]).toEqual(before);
    expect(await store.summaries.of(id)).toEqual([]);
  });

  it("that is cancelled changes nothing, even if the model does not listen", async () => {
    const { store, id, open } = await conversation(...turnOf("go", 20));
    const transcript = await open();
    const stop = new AbortController();
    const maker = makerOf(store, transcript, () => new Promise(() => setTimeout(() => stop.abort(), 5)));
    await expect(maker.prepare({ method: "manual" }, stop.signal)).rejects.toThrow("Stopped before");
    expect(await store.summaries.of(id)).toEqual([]);
    expect(await maker.settle()).toBeNull();
  });

  it("is refused while another is made, and while one waits to take effect", async () => {
    const { store, id, open } = await conversation(...turnOf("go", 20));
    const transcript = await open();
    let release = (_: string) => {};
    const maker = makerOf(store, transcript, () => new Promise((resolve) => (release = resolve)));
    const first = maker.prepare({ method: "autonomous" }, NEVER);
    await expect(maker.prepare({ method: "manual" }, NEVER)).rejects.toThrow("being summarised already");
    release(SUMMARY);
    await first;
    await expect(maker.prepare({ method: "manual" }, NEVER)).rejects.toThrow("being summarised already");
    await maker.settle();
    expect(await store.summaries.of(id)).toHaveLength(1);
  });

  it("is not made of next to nothing", async () => {
    const { store, open } = await conversation(...turnOf("hi", 1));
    const asked: string[] = [];
    await expect(makerOf(store, await open(), SUMMARY, asked).prepare({ method: "manual" }, NEVER)).rejects.toThrow(
      "nothing worth summarising",
    );
    expect(asked).toEqual([]);
  });

  it("whose window was never moved stands for nothing", async () => {
    const { store, open } = await conversation(...turnOf("go", 20));
    const transcript = await open();
    await makerOf(store, transcript).prepare({ method: "manual" }, NEVER);
    const after = await open();
    expect(after.knowledge()).toBe("");
    expect(after.messages()).toEqual(transcript.messages());
  });

  it("never stands for half of a round", async () => {
    const many = Array.from({ length: 30 }, (_, n) => `many${n}`);
    const { store, open } = await conversation({ role: "user", text: "go" }, ...Array.from({ length: 12 }, () => round()).flat());
    const transcript = await open();
    await transcript.append({
      role: "assistant",
      model: "m",
      parts: many.map((id) => ({ type: "request", id, callId: id, name: "read", args: {} })),
    });
    // Calls of the last message run and end while the summary is made.
    for (const id of many.slice(0, 20)) await transcript.append({ role: "tool", id, text: LONG });
    const maker = makerOf(store, transcript);
    await maker.prepare({ method: "autonomous" }, NEVER);
    for (const id of many.slice(20)) await transcript.append({ role: "tool", id, text: LONG });
    await maker.settle();
    expect(transcript.messages().filter(({ role }) => role === "tool").length).toBeGreaterThanOrEqual(30);
    expect(illegal(transcript.messages())).toBeNull();
  });

  it("is made of no more than the model can read, whatever is in the messages", async () => {
    const huge = Array.from({ length: 20 }, () => round("x y ".repeat(20_000))).flat();
    const { store, open } = await conversation({ role: "user", text: `first ${"a b ".repeat(10_000)}` }, ...huge);
    const asked: string[] = [];
    await makerOf(store, await open(), SUMMARY, asked).prepare({ method: "manual" }, NEVER);
    expect(asked[0]!.length).toBeLessThan(150_000);
  });
});

it("whoever spoke before the window still counts when the conversation is opened again", async () => {
  const { store, id, open } = await conversation(...turnOf("the first words", 20));
  const maker = makerOf(store, await open());
  await maker.prepare({ method: "manual" }, NEVER);
  await maker.settle();
  const heard: Message[] = [];
  const talk = await openTalk(
    { store, workspace: "/w", fixedTokens: () => 0, redact: (text) => text, heard: (_id, message) => void heard.push(message) },
    id,
  );
  await talk.open("");
  expect(heard).toContainEqual({ role: "user", text: "the first words" });
});

describe("whatever is said, summarised and forgotten in whatever order", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("turn" as const), rounds: fc.nat(6), loop: fc.boolean() }),
    fc.record({ kind: fc.constant("compact" as const), keep: fc.nat(12) }),
    fc.record({ kind: fc.constant("forget" as const), share: fc.integer({ min: 10, max: 90 }) }),
    fc.record({ kind: fc.constant("reopen" as const) }),
  );
  it("the window is legal, the same after resuming, and nothing leaves the store", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const store = openStore("memory");
        const { id } = await store.conversations.create("/w", "t");
        let transcript = await reopened(store, id);
        let said = 0;
        const check = async () => {
          const messages = transcript.messages();
          expect(illegal(messages)).toBeNull();
          const again = await reopened(store, id);
          expect(again.messages()).toEqual(messages);
          expect(again.knowledge()).toBe(transcript.knowledge());
          expect((await store.conversations.get(id))!.length).toBe(said);
        };
        for (const one of steps) {
          if (one.kind === "turn") {
            const nudge: Message[] = one.loop ? [{ role: "user", from: "loop", text: "[reflection]" }] : [];
            const messages = [...turnOf(`words ${said}`, one.rounds), ...nudge, ...round()];
            said += messages.length;
            await transcript.append(...messages);
          } else if (one.kind === "compact") {
            const maker = makerOf(store, transcript);
            await maker.prepare({ method: "manual", keep: one.keep }, NEVER).catch(() => {});
            await maker.settle();
          } else if (one.kind === "forget") await transcript.forget((transcript.used() * one.share) / 100, 1);
          else transcript = await reopened(store, id);
          await check();
        }
        await store.close();
      }),
      { numRuns: Number(process.env.ROUNDS ?? 60) },
    );
  });
});

/** The loop with a real store, a scripted model and tools that return what they are told. */
async function looping(
  turns: readonly (readonly ModelEvent[] | (() => AsyncIterable<ModelEvent>))[],
  before: readonly Message[],
  options: Partial<Loop> & { answer?: Answer } = {},
) {
  const { store, id, open } = await conversation(...before);
  const transcript = await open();
  const model = modelSaying(...turns);
  const events: ZephEvent[] = [];
  const { answer, ...more } = options;
  const maker = makerOf(store, transcript, answer);
  const loop: Loop = {
    model,
    system: () => `system${transcript.knowledge()}`,
    tools: () => [],
    call: async (request) => outcome(request.id, LONG),
    intended: () => ({ effect: "reads", touches: [] }),
    reformat: null,
    transcript,
    compactor: maker,
    retry: { max_attempts: 1, base_ms: 1, max_ms: 1, budget_secs: 1 } as unknown as Loop["retry"],
    limits: { iterations: 20, contextTokens: 100_000 },
    reflection: "never",
    tally: tally(undefined),
    emit: (event) => void events.push(event),
    tracing: UNTRACED,
    ...more,
  };
  const send = (text: string, signal = NEVER) => runTurn(loop, [{ role: "user", text }], signal);
  return { store, id, open, transcript, model, events, maker, send };
}
const outcome = (callId: string, text: string, cached = false): Outcome => ({
  ok: true,
  callId,
  output: { text },
  grant: {} as Extract<Outcome, { ok: true }>["grant"],
  decision: {} as Outcome["decision"],
  cached,
});

describe("a turn that would begin too full", () => {
  const past = Array.from({ length: 4 }, (_, n) => turnOf(`earlier ${n}`, 8)).flat();
  const limits = { iterations: 5, contextTokens: 14_000 };

  it("begins with a summary of the past", async () => {
    const { send, events, model } = await looping([[says("fine")]], past, { limits });
    expect((await send("and now")).why).toBe("answered");
    expect(events.find(({ type }) => type === "compacted")).toMatchObject({ method: "triggered" });
    expect(events.some(({ type }) => type === "warning")).toBe(false);
    expect(illegal(model.given[0]!.messages)).toBeNull();
    expect(model.given[0]!.system).toContain(SUMMARY);
    expect(model.given[0]!.messages.at(-1)).toEqual({ role: "user", text: "and now" });
  });

  it("leaves out as before when there is no summary, and says why", async () => {
    const { send, events, model } = await looping([[says("fine")]], past, {
      limits,
      answer: new ModelError("server_error", "It is down."),
    });
    expect((await send("and now")).why).toBe("answered");
    expect(events.filter(({ type }) => type === "warning")).toMatchObject([
      { message: expect.stringMatching(/no longer sent to the model\. No summary stands for them: It is down\./) },
    ]);
    expect(illegal(model.given[0]!.messages)).toBeNull();
  });

  it("leaves out besides where a summary alone does not make room", async () => {
    const giant = round("a giant result of words and words ".repeat(1_200));
    const { send, events, model } = await looping([[says("fine")]], [...past, { role: "user", text: "big" }, ...giant], { limits });
    expect((await send("and now")).why).toBe("answered");
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(["compacted", "warning"]));
    expect(JSON.stringify(model.given[0]!.messages)).not.toContain("a giant result");
    expect(illegal(model.given[0]!.messages)).toBeNull();
  });

  it("and is cancelled meanwhile finds everything as it was", async () => {
    const stop = new AbortController();
    const answer = () => new Promise<string>(() => stop.abort());
    const { send, transcript, store, id } = await looping([[says("fine")]], past, { limits, answer });
    expect((await send("and now", stop.signal)).why).toBe("cancelled");
    expect(transcript.messages()).toHaveLength(past.length + 1);
    expect((await store.conversations.get(id))!).toMatchObject({ windowStart: 0, elidedUntil: 0 });
  });
});

it("a provider that says it is too long gets a summary once, then what is left out", async () => {
  const tooLong = async function* (): AsyncGenerator<ModelEvent> {
    yield* [];
    throw new ModelError("too_long", "Too long.");
  };
  const past = Array.from({ length: 3 }, (_, n) => turnOf(`earlier ${n}`, 6)).flat();
  const { send, events } = await looping([tooLong, [says("fine")], tooLong, tooLong], past);
  expect((await send("go")).why).toBe("answered");
  expect(events.filter(({ type }) => type === "compacted")).toHaveLength(1);
  expect(await send("go")).toMatchObject({ why: "failed", message: "Too long." });
});

it("a model's own wish takes effect when every call beside it has ended", async () => {
  const past = Array.from({ length: 3 }, (_, n) => turnOf(`earlier ${n}`, 6)).flat();
  const seen: boolean[] = [];
  const talk = await looping(
    [[asks("compress_context", {}), ...Array.from({ length: 10 }, (_, n) => asks("read", { path: `p${n}` }))], [says("fine")]],
    past,
    {
      call: async (request, signal) => {
        if (request.name !== "compress_context") {
          await new Promise((resolve) => setTimeout(resolve, 20));
          seen.push(talk.transcript.knowledge() === "");
          return outcome(request.id, LONG);
        }
        const { messages } = await talk.maker.prepare({ method: "autonomous" }, signal);
        return outcome(request.id, `${messages}`);
      },
    },
  );
  expect((await talk.send("the words of this turn")).why).toBe("answered");
  expect(seen).toEqual(Array.from({ length: 10 }, () => true));
  const [first, second] = talk.model.given;
  expect(illegal(second!.messages)).toBeNull();
  expect(second!.messages.filter(({ role }) => role === "tool").length).toBeGreaterThanOrEqual(11);
  expect(second!.messages.length).toBeLessThan(first!.messages.length + 12);
  expect(JSON.stringify(second!.messages)).toContain("the words of this turn");
  expect(talk.events.find(({ type }) => type === "compacted")).toMatchObject({ method: "autonomous" });
});

it("a model's own wish takes effect even if the turn is stopped in that round", async () => {
  const past = Array.from({ length: 3 }, (_, n) => turnOf(`earlier ${n}`, 6)).flat();
  const stop = new AbortController();
  const talk = await looping([[asks("compress_context", {})]], past, {
    call: async (request, signal) => {
      await talk.maker.prepare({ method: "autonomous" }, signal);
      stop.abort();
      return outcome(request.id, "summarised");
    },
  });
  expect((await talk.send("go", stop.signal)).why).toBe("cancelled");
  expect(talk.transcript.knowledge()).toContain(SUMMARY);
  expect(illegal(talk.transcript.messages())).toBeNull();
});

describe("a result the model has before its eyes", () => {
  const reads = (n: number) => Array.from({ length: n }, () => [asks("read", { path: "a.ts" })]);
  const cachedAfter = (n: number): Loop["call"] => {
    let calls = 0;
    return async ({ id }) => outcome(id, LONG, ++calls > n);
  };
  const results = (messages: readonly Message[]) => messages.flatMap((m) => (m.role === "tool" ? [m.text] : []));

  it("is not sent again, and names the call of the conversation", async () => {
    const { send, transcript } = await looping([...reads(2), [says("ok")]], turnOf("before", 2), { call: cachedAfter(1) });
    await send("go");
    expect(results(transcript.messages()).slice(-2)).toEqual([LONG, '[unchanged since call 3: read {"path":"a.ts"}]']);
  });

  it("still counts as the same output for the loop", async () => {
    const { send } = await looping([...reads(3), [says("ok")]], [], { call: cachedAfter(1) });
    expect((await send("go")).why).toBe("repeated");
  });

  it("is given whole when it was not from memory, is short, was asked otherwise or is another text", async () => {
    for (const [call, second] of [
      [cachedAfter(9), { path: "a.ts" }],
      [async ({ id }: { id: string }) => outcome(id, "short", true), { path: "a.ts" }],
      [cachedAfter(0), { path: "b.ts" }],
      [async ({ id }: { id: string }) => outcome(id, LONG + id, true), { path: "a.ts" }],
    ] as [Loop["call"], object][]) {
      const { send, transcript } = await looping([[asks("read", { path: "a.ts" })], [asks("read", second)], [says("ok")]], [], { call });
      await send("go");
      expect(results(transcript.messages()).join()).not.toContain("[unchanged");
    }
  });

  it("is given whole again once it was left out or summarised", async () => {
    for (const how of ["forget", "compact"] as const) {
      const filler = Array.from({ length: 8 }, (_, n) => [asks("grep", { n })]);
      const talk = await looping([...reads(2), ...filler, [says("ok")], ...reads(1), [says("ok")]], [], {
        call: async ({ id, name, args }) => (name === "read" ? outcome(id, LONG, true) : outcome(id, JSON.stringify(args) + LONG)),
      });
      await talk.send("go");
      expect(results(talk.transcript.messages()).filter((text) => text.startsWith("[unchanged"))).toHaveLength(1);
      if (how === "forget") await talk.transcript.forget(200, 1);
      else {
        await talk.maker.prepare({ method: "manual" }, NEVER);
        await talk.maker.settle();
      }
      expect(results(talk.transcript.messages())).not.toContain(LONG);
      await talk.send("again");
      expect(results(talk.transcript.messages()).at(-1)).toBe(LONG);
    }
  });

  it("is counted right in a conversation that is opened again", async () => {
    const { store, id, open } = await conversation(...turnOf("go", 20));
    const first = await open();
    const maker = makerOf(store, first);
    await maker.prepare({ method: "manual" }, NEVER);
    await maker.settle();
    const wanted = first
      .messages()
      .flatMap((m) => (m.role === "assistant" ? m.parts : []))
      .findLast((part) => part.type === "request")!;
    const ask = (transcript: Transcript) => transcript.callNumber((wanted as { id: string }).id);
    expect(await ask(first)).toBe(20);
    expect(await ask(await reopened(store, id))).toBe(20);
  });
});

describe("an agent", () => {
  const place = workspace([
    { op: "file", path: "work/data.txt", content: Array.from({ length: 30 }, (_, n) => `${n} ${LONG}`).join("\n") },
  ]);
  afterAll(() => place.remove());
  const looks = (n: number) => Array.from({ length: n }, (_, at) => [asks("read", { path: "data.txt", offset: at + 1, limit: 2 })]);
  const isAside = (prompt: Prompt) => prompt.tools.length === 0;

  it("summarises at the person's word, and goes on with the summary after it was closed", async () => {
    const store = join(place.state, "compact.db");
    const model = modelSaying(...looks(9), [says("looked")], [says(SUMMARY)], [says("fine")]);
    const agent = await agentIn(place, model, { store });
    await all(agent.send("look nine times"));
    const compact = agent.commands().find(({ name }) => name === "/compact")!;
    expect((await compact.run("the data", NEVER)).text).toMatch(/^\d+ messages became a summary/);
    expect(isAside(model.given.at(-1)!)).toBe(true);
    const after = await agent.history();
    expect(illegal(after)).toBeNull();
    await agent.close();

    const again = modelSaying([says("fine")]);
    const second = await agentIn(place, again, { store, conversation: "last" });
    expect(await second.history()).toEqual(after);
    expect(done(await all(second.send("and now"))).why).toBe("answered");
    expect(again.given[0]!.system).toContain(SUMMARY);
    expect(illegal(again.given[0]!.messages)).toBeNull();
    await second.close();
  });

  it("lets the model ask for it, once at a time", async () => {
    const model = modelSaying(
      ...looks(9),
      [asks("compress_context", { focus: "data" }), asks("compress_context", {})],
      [says(SUMMARY)],
      [says("fine")],
    );
    const agent = await agentIn(place, model, { config: { agent: { max_tool_iterations: 20 } } });
    const events = await all(agent.send("look nine times"));
    expect(done(events).why).toBe("answered");
    expect(events.filter(({ type }) => type === "compacted")).toMatchObject([{ method: "autonomous" }]);
    const last = model.given.at(-1)!;
    expect(last.system).toContain(SUMMARY);
    expect(illegal(last.messages)).toBeNull();
    expect(JSON.stringify(last.messages)).toContain("look nine times");
    expect(JSON.stringify(last.messages)).toContain("being summarised already");
    await agent.close();
  });

  it("sends a read that is still true only once", async () => {
    const again = asks("read", { path: "data.txt" });
    const model = modelSaying([asks("read", { path: "data.txt" })], [again], [says("fine")]);
    const agent = await agentIn(place, model);
    await new Promise((resolve) => setTimeout(resolve, 60));
    const events = await all(agent.send("go"));
    const ends = events.flatMap((event) => (event.type === "tool_end" && event.outcome.ok ? [event.outcome] : []));
    expect(ends.map(({ cached }) => cached)).toEqual([false, true]);
    expect(ends[1]!.output.text).toBe(ends[0]!.output.text);
    expect((await agent.history()).filter(({ role }) => role === "tool").at(-1)).toMatchObject({
      text: '[unchanged since call 1: read {"path":"data.txt"}]',
    });
    await agent.close();
  });
});
