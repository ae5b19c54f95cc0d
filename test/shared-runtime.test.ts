import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type AgentOptions,
  type CallerView,
  createAgent,
  createRuntime,
  defineTool,
  type Model,
  type Question,
  type RuntimeOptions,
  type Zeph,
  type ZephEvent,
} from "../src/index.ts";
import { all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

let n = 0;
let zeph: Zeph;
afterEach(() => zeph?.close());
const audit = () => join(place.state, `shared-${n}.jsonl`);
const open = async (options: RuntimeOptions & { tools?: object } = {}): Promise<Zeph> => {
  n += 1;
  const { tools = {}, ...rest } = options;
  zeph = await createRuntime({ cwd: place.work, store: "memory", config: { audit: { path: audit() }, tools }, ...rest });
  return zeph;
};
const calls = () =>
  readFileSync(audit(), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ kind }) => kind === "call");
/** Says its own name, and what it was told. */
const echo = (name: string): Model => ({
  id: `test/${name}`,
  contextTokens: 100_000,
  async *stream({ messages }) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const last = messages.at(-1)!;
    if (last.role === "user") yield asks("write", { path: `${name}.txt`, content: last.text });
    else yield says(`${name} is done`);
  },
});

describe("Agents over one runtime", () => {
  it("work at once, and no conversation, event, question or total of one reaches another", async () => {
    await open();
    const names = Array.from({ length: 20 }, (_, at) => `agent${at}`);
    const one = async (name: string) => {
      const asked: Question[] = [];
      const heard: ZephEvent[] = [];
      const agent = await createAgent({
        runtime: zeph,
        model: echo(name),
        onEvent: (event) => heard.push(event),
        confirm: (question) => {
          asked.push(question);
          return "once";
        },
      });
      const results = [await agent.run(`first of ${name}`), await agent.run(`second of ${name}`)];
      const history = JSON.stringify(await agent.history());
      await agent.close();
      return { name, results, asked, heard, history, conversation: agent.conversation };
    };
    const ends = await Promise.all(names.map(one));
    expect(new Set(ends.map(({ conversation }) => conversation)).size).toBe(names.length);
    for (const { name, results, asked, heard, history, conversation } of ends) {
      expect(results).toMatchObject([1, 2].map(() => ({ text: `${name} is done`, why: "answered", totals: { calls: 1, requests: 2 } })));
      expect(asked.map(({ args }) => (args as { path: string }).path)).toEqual([`${name}.txt`, `${name}.txt`]);
      expect(asked.every((question) => question.conversation === conversation)).toBe(true);
      const others = names.filter((other) => other !== name && !name.startsWith(other) && !other.startsWith(name));
      for (const text of [history, JSON.stringify(heard)]) expect(others.filter((other) => text.includes(`${other}.txt`))).toEqual([]);
      expect(heard.filter(({ type }) => type === "tool_end")).toHaveLength(2);
    }
    expect((await zeph.call("read", { path: "agent0.txt" })).ok).toBe(true);
  });

  it("over a caller's view act with its rights, and the audit log names it", async () => {
    await open({ tools: { permissions: { write: [{ pattern: "*", action: "allow" }] } } });
    const denied = { write: [{ pattern: "*", action: "deny" }] } as const;
    const model = modelSaying([asks("write", { path: "x.txt", content: "" })], [says("no")]);
    const agent = await createAgent({ runtime: zeph.as({ id: "ada", permissions: denied }), model });
    expect((await agent.run("go")).calls).toMatchObject([{ outcome: { ok: false, decision: { gate: "permissions" } } }]);
    expect(model.given[0]!.tools.map(({ name }) => name)).not.toContain("write");
    expect(agent.zeph.tools().map(({ name }) => name)).not.toContain("write");
    expect(await agent.zeph.call("write", { path: "x.txt", content: "" })).toMatchObject({ ok: false });
    expect(calls().map(({ caller_id }) => caller_id)).toEqual(["ada", "ada"]);
  });

  it("share the quota of their caller, and none with another", async () => {
    await open();
    const reads = () => modelSaying([asks("read", { path: "a.txt" })], [says("read")]);
    const ada = zeph.as({ id: "ada", quota: 1 });
    const oks = [];
    for (const runtime of [ada, ada, zeph.as({ id: "bob", quota: 1 })]) {
      const agent = await createAgent({ runtime, model: reads() });
      oks.push((await agent.run("go")).calls[0]!.outcome.ok);
    }
    expect(oks).toEqual([true, false, true]);
  });

  it("of one caller cannot go on with a conversation of another", async () => {
    await open();
    const said = () => modelSaying([says("a secret of ada")]);
    const ada = await createAgent({ runtime: zeph.as({ id: "ada" }), model: said() });
    await ada.run("hello");
    const of = (id: string, conversation: string) => createAgent({ runtime: zeph.as({ id }), model: said(), conversation });
    await expect(of("bob", ada.conversation!)).rejects.toThrow("another caller");
    await expect(of("bob", "last")).rejects.toThrow("no conversation");
    await expect(createAgent({ runtime: zeph, model: said(), conversation: "last" })).rejects.toThrow("no conversation");
    expect(JSON.stringify(await (await of("ada", "last")).history())).toContain("a secret of ada");
  });

  it("of one caller find no memory and no task of another", async () => {
    await open({
      tools: { permissions: { memory_save: [{ pattern: "*", action: "allow" }], scheduler: [{ pattern: "*", action: "allow" }] } },
    });
    const [ada, bob] = ["ada", "bob"].map((id) => zeph.as({ id })) as [CallerView, CallerView];
    const told = { content: "The password of the vault is swordfish and blue", everywhere: true };
    expect((await ada.call("memory_save", told)).ok).toBe(true);
    const found = async (who: Pick<Zeph, "call">) => JSON.stringify(await who.call("memory_search", { query: "vault" }));
    expect(await found(bob)).toContain("Nothing was found");
    expect(await found(zeph)).toContain("Nothing was found");
    expect(await found(ada)).toContain("blue");
    expect((await ada.call("scheduler", { task: "delete everything", when: "in 20 minutes" })).ok).toBe(true);
    const owner = await createAgent({ runtime: zeph, model: modelSaying() });
    expect(await owner.status()).toMatchObject({ schedule: "nothing" });
  });

  it("and calls of one caller use the same budget, told before it is used up, and no other caller's", async () => {
    await open();
    const heard: ZephEvent[] = [];
    const ada = zeph.as({ id: "ada", limits: { calls: 5 } });
    ada.onEvent((event) => heard.push(event));
    const reading = (rounds: number) =>
      modelSaying(...Array.from({ length: rounds }, (_, at) => [asks("read", { path: "a.txt", offset: at + 1 })]), [says("read")]);
    const first = await createAgent({ runtime: ada, model: reading(2) });
    expect((await first.run("go")).why).toBe("answered");
    expect((await ada.call("read", { path: "a.txt" })).ok).toBe(true);
    // Another view of the same caller, made later.
    const second = await createAgent({ runtime: zeph.as({ id: "ada", limits: { calls: 5 } }), model: reading(9) });
    const { why, message, calls: made } = await second.run("go");
    expect([why, made.length]).toEqual(["budget", 2]);
    expect(message).toContain("limits.calls");
    expect(await ada.call("read", { path: "a.txt" })).toMatchObject({ ok: false, decision: { gate: "quota", rule: "limits.calls = 5" } });
    expect(await ada.dryRun("true")).toMatchObject({ ok: false, decision: { gate: "quota" } });
    expect(calls().at(-1)).toMatchObject({ caller_id: "ada", gate: "quota" });
    expect((await zeph.as({ id: "bob", limits: { calls: 5 } }).call("read", { path: "a.txt" })).ok).toBe(true);
  });

  it("and a caller is told once of four fifths of its calls", async () => {
    await open();
    const heard: ZephEvent[] = [];
    const ada = zeph.as({ id: "ada", limits: { calls: 5 } });
    const bob = zeph.as({ id: "bob" });
    for (const one of [ada, bob]) one.onEvent((event) => event.type === "budget" && heard.push(event));
    for (let at = 1; at <= 5; at++) await ada.call("read", { path: "a.txt", offset: at });
    expect(heard).toEqual([{ type: "budget", limit: "calls", used: 4, most: 5, caller: "ada" }]);
  });

  it("count what others of the same caller use while they work", async () => {
    await open();
    const ada = zeph.as({ id: "ada", limits: { turns: 6 } });
    const slow = (): Model => ({
      id: "test/slow",
      contextTokens: 100_000,
      async *stream({ messages }) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        yield asks("read", { path: "a.txt", offset: messages.length + 1 });
      },
    });
    const runs = await Promise.all(
      [1, 2, 3].map(async () => {
        const agent = await createAgent({ runtime: ada, model: slow() });
        return agent.run("go");
      }),
    );
    expect(runs.map(({ why }) => why)).toEqual(["budget", "budget", "budget"]);
    // Requests that were under way when the last one began may still be counted.
    expect(runs.reduce((sum, { totals }) => sum + totals.requests, 0)).toBeLessThanOrEqual(8);
  });

  it("hear of their own background commands alone, and see none of another's", async () => {
    await open({ tools: { permissions: { bash: [{ pattern: "*", action: "allow" }], background: [{ pattern: "*", action: "allow" }] } } });
    const starting = modelSaying(
      [asks("bash", { command: "echo mine; until [ -e mine-ends ]; do sleep 0.05; done", background: true })],
      [says("started")],
      [says("heard")],
    );
    const looking = modelSaying([asks("background", { action: "list" })], [says("looked")], [says("again")]);
    const [one, other] = [await createAgent({ runtime: zeph, model: starting }), await createAgent({ runtime: zeph, model: looking })];
    await one.run("go");
    expect((await other.run("go")).calls[0]!.outcome).toMatchObject({ ok: true, output: { text: "No background command is running." } });
    expect([one.pending(), other.pending(), zeph.takeCompletions()]).toEqual([1, 0, []]);
    writeFileSync(join(place.work, "mine-ends"), "");
    const events = await all(one.attend());
    expect(events).toContainEqual(expect.objectContaining({ type: "background", exitCode: 0 }));
    await other.run("again");
    expect(JSON.stringify(looking.given.at(-1))).not.toContain("mine");
  });

  it("may be started in the middle of another's turn, and have a turn of their own", async () => {
    await open({ tools: { permissions: { bash: [{ pattern: "*", action: "allow" }] } } });
    const worker = defineTool({
      name: "worker",
      description: "Hands a task to a worker.",
      effect: "reads",
      input: z.strictObject({}),
      touches: () => [],
      async run() {
        const model = modelSaying([asks("bash", { command: "mkdir -p deep && cd deep" })], [says("worker said")]);
        const agent = await createAgent({ runtime: zeph, model });
        const { text } = await agent.run("go");
        await agent.close();
        return { text };
      },
    });
    zeph.addToolset({ id: "team", list: () => [worker] });
    const planner = modelSaying([asks("worker", {})], [asks("bash", { command: "pwd" })], [says("planned")]);
    const agent = await createAgent({ runtime: zeph, model: planner });
    const events = await all(agent.send("go"));
    const said = events.flatMap((event) => (event.type === "text" ? [event.text] : []));
    expect(said).toEqual(["planned"]);
    const outputs = events.flatMap((event) => (event.type === "tool_end" && event.outcome.ok ? [event.outcome.output.text] : []));
    expect(outputs[0]).toContain("worker said");
    expect(outputs[1]).toContain("/work\n".trim());
    expect(outputs[1]).not.toContain("deep");
  });

  it("leave the runtime open when they close, and close with it", async () => {
    await open();
    const waiting = modelSaying(async function* (_prompt, signal) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield says("late");
    });
    const [first, second] = [
      await createAgent({ runtime: zeph, model: modelSaying([says("hi")]) }),
      await createAgent({ runtime: zeph, model: waiting }),
    ];
    await first.run("go");
    await first.close();
    await expect(first.run("again")).rejects.toThrow("closed");
    expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    const run = second.run("go");
    await expect.poll(() => waiting.given.length).toBe(1);
    await zeph.close();
    expect((await run).why).toBe("cancelled");
  });

  it.each<[object, string]>([
    [{ cwd: "/" }, '"cwd" belongs to the runtime'],
    [{ store: "memory" }, '"store" belongs to the runtime'],
    [{ config: {} }, '"config" belongs to the runtime'],
    [{ toolsets: [] }, '"toolsets" belongs to the runtime'],
    [{ elicit: () => {} }, '"elicit" belongs to the runtime'],
    [{ runtime: {} }, "what createRuntime returned"],
  ])("refuse %j with words", async (options, words) => {
    await open();
    await expect(createAgent({ runtime: zeph, model: modelSaying(), ...options } as AgentOptions)).rejects.toThrow(words);
  });

  it("take their caller from the view alone", async () => {
    await open();
    await expect(createAgent({ runtime: zeph.as({ id: "ada" }), callerId: "root", model: modelSaying() })).rejects.toThrow("callerId");
  });
});
