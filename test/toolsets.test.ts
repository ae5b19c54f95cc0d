import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Answer, defineTool, type Question, type Toolset, type ZephEvent } from "../src/index.ts";
import { agentIn, all, asks, done, modelSaying, says } from "./talking.ts";
import { type Workspace, workspace } from "./workspace.ts";

let place: Workspace;
beforeEach(() => {
  place = workspace();
});
afterEach(() => place.remove());

/** A tool of somebody else's, as a server would bring it. */
const tool = (name: string, answer: () => string | Promise<string> = () => `${name} was run`) =>
  defineTool({
    name,
    description: `Does ${name}.`,
    effect: "unknown",
    input: z.strictObject({ text: z.string().optional() }),
    touches: () => [{ kind: "unknown", why: "nobody knows" }],
    run: async () => ({ text: await answer() }),
  });

/** Tools that come and go at will. */
function moving(id: string, trust: Toolset["trust"], ...first: ReturnType<typeof tool>[]) {
  let list = first;
  const told = new Set<() => void>();
  const toolset: Toolset = {
    id,
    ...(trust && { trust }),
    list: () => list,
    subscribe(changed) {
      told.add(changed);
      return () => void told.delete(changed);
    },
  };
  return {
    toolset,
    become(...next: typeof first) {
      list = next;
      for (const changed of told) changed();
    },
    listeners: () => told.size,
  };
}

interface Line {
  readonly kind: string;
  readonly tool?: string;
  readonly outcome?: string;
  readonly claim_source?: string;
  readonly note?: string;
}
const audit = (): Line[] =>
  place
    .audit()
    .trim()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const names = (tools: readonly { readonly name: string }[]) => tools.map(({ name }) => name);

describe("a toolset that comes while a runtime is at work", () => {
  it("is shown, gated, confirmed and audited like any other", async () => {
    const questions: Question[] = [];
    let answer: Answer | null = "once";
    const zeph = await place.runtime({
      confirm(question) {
        questions.push(question);
        return answer;
      },
    });
    const { toolset } = moving("mcp:post", "provisional", tool("mcp__post__send"));
    const remove = zeph.addToolset(toolset);
    expect(names(zeph.tools())).toContain("mcp__post__send");
    expect(await zeph.judge("mcp__post__send", {})).toMatchObject({ verdict: "ask", gate: "trust" });

    expect(await zeph.call("mcp__post__send", { text: "hi" })).toMatchObject({ ok: true, decision: { verdict: "allow", by: "user" } });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({ tool: "mcp__post__send", args: { text: "hi" } });
    answer = "no";
    expect(await zeph.call("mcp__post__send", {})).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    answer = null;
    expect(await zeph.call("mcp__post__send", {})).toMatchObject({ ok: false, error: { category: "confirmation_required" } });
    expect(await zeph.call("mcp__post__send", { wrong: 1 })).toMatchObject({ ok: false, error: { category: "invalid_parameters" } });

    const lines = audit().filter((line) => line.tool === "mcp__post__send");
    expect(lines.map(({ kind, outcome = "" }) => `${kind} ${outcome}`)).toEqual([
      "intent ",
      "call ok",
      "call denied",
      "call unanswered",
      "call failed",
    ]);
    for (const line of lines) expect(line).toMatchObject({ toolset: "mcp:post", trust: "provisional" });
    for (const line of lines.slice(1, 4)) expect(line.claim_source).toBe("mcp");

    remove();
    expect(names(zeph.tools())).not.toContain("mcp__post__send");
    expect(await zeph.call("mcp__post__send", {})).toMatchObject({ ok: false, error: { category: "tool_not_found" } });
    await zeph.close();
  });

  it("is held to what its bringer is believed, and to rules that knew its name before it came", async () => {
    const zeph = await place.runtime({
      confirm: () => "once",
      config: {
        audit: { path: join(place.state, "audit.jsonl") },
        tools: {
          permissions: { mcp__post__drop: [{ pattern: "*", action: "deny" }] },
          policy: { enabled: true, default_effect: "allow", rules: [{ tool: "mcp__post__s*", effect: "deny" }] },
        },
      },
    });
    zeph.addToolset(moving("mcp:bad", "untrusted", tool("mcp__bad__x")).toolset);
    zeph.addToolset(moving("mcp:post", "trusted", tool("mcp__post__drop"), tool("mcp__post__send"), tool("mcp__post__list")).toolset);
    const gateOf = async (name: string) => (await zeph.judge(name, {})).gate;
    expect(await gateOf("mcp__bad__x")).toBe("trust");
    expect(await gateOf("mcp__post__drop")).toBe("permissions");
    expect(await gateOf("mcp__post__send")).toBe("policy");
    for (const name of ["mcp__bad__x", "mcp__post__drop", "mcp__post__send"])
      expect(await zeph.call(name, {})).toMatchObject({ ok: false, decision: { verdict: "deny" } });
    expect(await zeph.call("mcp__post__list", {})).toMatchObject({ ok: true });
    await zeph.close();
  });

  it("is offered for good only where a rule would keep it from being asked about: not while nobody vouched for who brings it", async () => {
    const questions: Question[] = [];
    const file = join(place.T, "config.toml");
    const asking = '[[tools.permissions."mcp__mine__*"]]\npattern = "*"\naction = "ask"\n';
    writeFileSync(file, `audit.path = ${JSON.stringify(join(place.state, "audit.jsonl"))}\n${asking}`);
    const zeph = await place.runtime({
      config: file,
      confirm(question) {
        questions.push(question);
        return "always";
      },
    });
    zeph.addToolset(moving("mcp:post", "provisional", tool("mcp__post__send")).toolset);
    zeph.addToolset(moving("mcp:mine", "trusted", tool("mcp__mine__send")).toolset);
    await zeph.call("mcp__post__send", {});
    expect(questions[0]).not.toHaveProperty("always_rule");
    expect(readFileSync(file, "utf8")).not.toContain("mcp__post__send");
    await zeph.call("mcp__mine__send", {});
    expect(questions[1]).toHaveProperty("always_rule");
    expect(readFileSync(file, "utf8")).toContain("mcp__mine__send");
    await zeph.close();
  });

  it("tells whoever watches, once for all that changes together", async () => {
    const zeph = await place.runtime();
    let told = 0;
    const stop = zeph.onToolsChanged(() => {
      told += 1;
      throw new Error("a listener of no account");
    });
    const { toolset, become, listeners } = moving("mine", "trusted", tool("one"));
    const remove = zeph.addToolset(toolset);
    become(tool("one"), tool("two"));
    expect(told).toBe(0);
    await Promise.resolve();
    expect(told).toBe(1);
    zeph.governance.chooseAutonomy("readonly");
    await Promise.resolve();
    expect(told).toBe(2);
    stop();
    remove();
    await Promise.resolve();
    expect(told).toBe(2);
    expect(listeners()).toBe(0);
    await zeph.close();
  });
});

it("a tool of our own that comes late was brought by nobody", async () => {
  const zeph = await place.runtime({ confirm: () => "once" });
  await zeph.call("search_tools", { query: "files" });
  expect(audit().at(-1)).toMatchObject({ tool: "search_tools", outcome: "ok" });
  expect(audit().at(-1)).not.toHaveProperty("toolset");
  await zeph.close();
});

describe("a tool that goes", () => {
  it("is not run by a yes to a question about it that was still open", async () => {
    let runs = 0;
    const count = () => `run ${++runs}`;
    const { toolset, become } = moving("mcp:post", "provisional", tool("mcp__post__send", count));
    const zeph = await place.runtime({
      confirm() {
        become();
        return "once";
      },
    });
    zeph.addToolset(toolset);
    expect(await zeph.call("mcp__post__send", {})).toMatchObject({ ok: false, error: { category: "tool_not_found" } });
    expect(runs).toBe(0);
    expect(audit().at(-1)).toMatchObject({ tool: "mcp__post__send", outcome: "failed", approved_by: "user" });
    await zeph.close();
  });

  it("is not run as what it became meanwhile, either", async () => {
    let runs = 0;
    const { toolset, become } = moving("mcp:post", "provisional", tool("mcp__post__send"));
    const zeph = await place.runtime({
      confirm() {
        become(tool("mcp__post__send", () => `run ${++runs}`));
        return "once";
      },
    });
    zeph.addToolset(toolset);
    expect(await zeph.call("mcp__post__send", {})).toMatchObject({ ok: false, error: { category: "tool_not_found" } });
    expect(runs).toBe(0);
    await zeph.close();
  });

  it("ends what runs already in its own time", async () => {
    let finish = (_text: string) => {};
    const { toolset, become } = moving(
      "mine",
      "trusted",
      tool("slow", () => new Promise((resolve) => (finish = resolve))),
    );
    const zeph = await place.runtime({ confirm: () => "once" });
    zeph.addToolset(toolset);
    const running = zeph.call("slow", {});
    await expect.poll(() => audit().some(({ kind, tool }) => kind === "intent" && tool === "slow")).toBe(true);
    become();
    finish("it was done");
    expect(await running).toMatchObject({ ok: true, output: { text: "it was done" } });
    await zeph.close();
  });
});

describe("a model", () => {
  it("is shown tools that came between its rounds, and not those that went", async () => {
    const first = moving("mine", "trusted", tool("first_tool"));
    const second = moving("mine2", "trusted", tool("second_tool"));
    const model = modelSaying([asks("first_tool", {})], [asks("second_tool", {})], [says("done")]);
    const agent = await agentIn(place, model, { confirm: () => "once" });
    agent.zeph.addToolset(first.toolset);
    const events: ZephEvent[] = [];
    for await (const event of agent.send("go")) {
      events.push(event);
      if (event.type === "tool_end" && event.request.name === "first_tool") {
        first.become();
        agent.zeph.addToolset(second.toolset);
      }
    }
    const shown = model.given.map(({ tools }) => names(tools).filter((name) => name.endsWith("_tool")));
    expect(shown).toEqual([["first_tool"], ["second_tool"], ["second_tool"]]);
    expect(events.flatMap((event) => (event.type === "tool_end" ? [event.outcome.ok] : []))).toEqual([true, true]);
    expect(done(events)).toMatchObject({ why: "answered" });
    await agent.close();
  });
});

describe("progress", () => {
  it("of a call is told as it comes, by the call's id", async () => {
    const events: ZephEvent[] = [];
    const zeph = await place.runtime({ confirm: () => "once", onEvent: (event) => events.push(event) });
    const counting = {
      ...tool("counting"),
      async run(_permit: unknown, { tell }: { tell: (progress: object) => void }) {
        tell({ message: "half", done: 1, total: 2 });
        return { text: "ready" };
      },
    };
    zeph.addToolset({ id: "mine", list: () => [counting as never] });
    const { callId } = await zeph.call("counting", {});
    const types = events.map(({ type }) => type);
    expect(types.indexOf("progress")).toBeGreaterThan(types.indexOf("tool_start"));
    expect(types.indexOf("progress")).toBeLessThan(types.indexOf("tool_end"));
    expect(events).toContainEqual({ type: "progress", callId, progress: { message: "half", done: 1, total: 2 } });
    await zeph.close();
  });
});

describe("what a person chooses for a session", () => {
  it("is how much is done without asking: it holds through a reload, and is written down", async () => {
    const file = join(place.T, "config.toml");
    const write = (autonomy: string) =>
      writeFileSync(file, `autonomy = "${autonomy}"\naudit.path = ${JSON.stringify(join(place.state, "audit.jsonl"))}\n`);
    write("supervised");
    const zeph = await place.runtime({ config: file });
    const verdict = async () => (await zeph.judge("write", { path: "a.txt", content: "x" })).verdict;
    expect(zeph.governance.autonomy()).toBe("supervised");
    expect(await verdict()).toBe("ask");
    zeph.governance.chooseAutonomy("full");
    expect(await verdict()).toBe("allow");
    zeph.governance.chooseAutonomy("readonly");
    expect(await verdict()).toBe("deny");
    expect(names(zeph.tools())).not.toContain("write");
    write("full");
    await zeph.governance.reload();
    expect(zeph.governance.autonomy()).toBe("readonly");
    expect(await verdict()).toBe("deny");
    zeph.governance.chooseAutonomy(null);
    expect(zeph.governance.autonomy()).toBe("full");
    expect(await verdict()).toBe("allow");
    const notes = audit().flatMap(({ note }) => (note?.startsWith("autonomy is") ? [note] : []));
    expect(notes).toEqual([
      "autonomy is full for this session, by the user; it was supervised",
      "autonomy is readonly for this session, by the user; it was full",
      "autonomy is full for this session, by the user; it was readonly",
    ]);
    await zeph.close();
  });

  it("is the model, from the next turn on, in the same conversation", async () => {
    const first = modelSaying([says("I am the first")]);
    const second = { ...modelSaying([says("I am the second")]), id: "test/second" };
    const agent = await agentIn(place, first);
    await all(agent.send("who are you?"));
    const id = agent.conversation;
    await agent.useModel(second);
    expect(agent.model.id).toBe("test/second");
    const events = await all(agent.send("and now?"));
    expect(events[0]).toMatchObject({ type: "turn_start", conversation: id, model: "test/second" });
    expect(second.given[0]!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    await agent.close();
  });

  it("is not the model in the middle of a turn", async () => {
    const agent = await agentIn(place, modelSaying([says("hello")]));
    for await (const event of agent.send("hi"))
      if (event.type === "text") await expect(agent.useModel(modelSaying())).rejects.toThrow("middle of a turn");
    await agent.close();
  });

  it("is the id that a conversation will have", async () => {
    const id = "7f1f0c6e-2222-4333-8444-555566667777";
    const agent = await agentIn(place, modelSaying([says("hello")], [says("again")]), { newConversation: id });
    expect(agent.conversation).toBeNull();
    await all(agent.send("hi"));
    expect(agent.conversation).toBe(id);
    agent.restart();
    await all(agent.send("hi"));
    expect(agent.conversation).not.toBe(id);
    await agent.close();
  });
});

describe("a bad toolset", () => {
  const good = tool("good");
  const broken: [string, unknown, RegExp][] = [
    ["is nothing", null, /A toolset is an object with an id/],
    ["is a text", "tools", /A toolset is an object/],
    ["is a list of tools", [good], /A toolset is an object/],
    ["has no id", { list: () => [] }, /needs an id/],
    ["cannot list", { id: "x" }, /"x" has no function list/],
    ["lists a list that is none", { id: "x", list: () => ({}) }, /"x" lists an object/],
    ["lists later", { id: "x", list: async () => [good] }, /"x" lists its tools later/],
    [
      "throws",
      {
        id: "x",
        list() {
          throw new Error("no disk");
        },
      },
      /"x" cannot list its tools: no disk/,
    ],
    ["has a trust that is none", { id: "x", trust: "full", list: () => [] }, /trust "full".*untrusted, provisional, trusted/],
    ["holds something else", { id: "x", list: () => [good, 7] }, /entry 2 is a number/],
    ["holds a tool without name", { id: "x", list: () => [{ ...good, name: "" }] }, /entry 1 has the name ""/],
    ["holds a name with a blank", { id: "x", list: () => [{ ...good, name: "a b" }] }, /entry 1 has the name "a b"/],
    ["holds a tool without description", { id: "x", list: () => [{ ...good, description: undefined }] }, /"good" has no description/],
    ["holds a tool without effect", { id: "x", list: () => [{ ...good, effect: undefined }] }, /"good" has the effect nothing.*reads/],
    ["holds a wrong effect", { id: "x", list: () => [{ ...good, effect: "read" }] }, /"good" has the effect "read"/],
    [
      "holds a tool without input",
      { id: "x", list: () => [{ ...good, input: undefined }] },
      /"good" has an input that is no schema of zod 4/,
    ],
    [
      "holds a JSON Schema as its input",
      { id: "x", list: () => [{ ...good, input: { type: "object", properties: {} } }] },
      /"good" has an input that is no schema of zod 4.*z\.fromJSONSchema\(schema\) for a JSON Schema/,
    ],
    [
      "holds a schema that is no object",
      { id: "x", list: () => [{ ...good, input: z.string() }] },
      /does not describe an object with named arguments/,
    ],
    ["holds a schema no model can be sent", { id: "x", list: () => [{ ...good, input: z.strictObject({ at: z.date() }) }] }, /JSON Schema/],
    ["holds a tool without touches", { id: "x", list: () => [{ ...good, touches: undefined }] }, /no function touches/],
    ["holds a tool that cannot run", { id: "x", list: () => [{ ...good, run: "rm -rf /" }] }, /no function run/],
    ["holds the same name twice", { id: "x", list: () => [good, { ...good }] }, /two tools are named "good"/],
    [
      "describes without end",
      { id: "x", list: () => [{ ...good, description: "x".repeat(2_000_000) }] },
      /2000000 characters\. 65536 is the most/,
    ],
    [
      "has a schema without end",
      { id: "x", list: () => [{ ...good, jsonSchema: { type: "object", description: "x".repeat(2_000_000) } }] },
      /a schema of \d+ characters/,
    ],
  ];

  it.each(broken)("that %s is refused with words, at the start and later", async (_what, toolset, words) => {
    await expect(place.runtime({ toolsets: [toolset as Toolset] })).rejects.toThrow(words);
    const zeph = await place.runtime();
    expect(() => zeph.addToolset(toolset as Toolset)).toThrow(words);
    expect(zeph.tools().some(({ name }) => name === "good")).toBe(false);
    await zeph.close();
  });

  it("that goes bad later loses its tools with a warning, and nobody else's", async () => {
    const warned: string[] = [];
    const moved = moving("later", undefined, tool("first"));
    const zeph = await place.runtime({
      toolsets: [moved.toolset],
      onEvent: (event) => event.type === "warning" && warned.push(event.message),
    });
    moved.become({ ...tool("second"), effect: "anything" as never });
    expect(zeph.tools().map(({ name }) => name)).not.toContain("first");
    expect(zeph.tools().map(({ name }) => name)).toContain("read");
    expect(warned.join()).toMatch(/"second" has the effect "anything".*None of its tools is offered/);
    moved.become(tool("third"));
    expect(zeph.tools().map(({ name }) => name)).toContain("third");
    await zeph.close();
  });
});
