import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import type { ToolCall } from "../src/core/call.ts";
import type { Pending } from "../src/core/gate/verdict.ts";
import { NEVER } from "../src/core/tool.ts";
import type { TurnContext } from "../src/core/turn.ts";
import {
  type Agent,
  type AgentOptions,
  createAgent,
  createRuntime,
  defineTool,
  type Model,
  type Outcome,
  openQuestionJson,
  type RuntimeOptions,
} from "../src/index.ts";
import { createAsker } from "../src/pipeline/ask/ask.ts";
import { all, asks, done, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "mkdir", path: "work" }]);
afterAll(() => place.remove());

let n = 0;
/** A store of its own for each test, that another agent can open. */
function fresh() {
  const store = join(place.state, `later-${++n}.db`);
  const audit = join(place.state, `later-${n}.jsonl`);
  const open = (model: Model, options: Omit<AgentOptions, "config"> & { config?: object } = {}): Promise<Agent> => {
    const { config = {}, ...rest } = options;
    return createAgent({ cwd: place.work, store, model, confirm: () => "later", ...rest, config: { audit: { path: audit }, ...config } });
  };
  const lines = () =>
    readFileSync(audit, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === "call");
  return { store, audit, open, lines };
}
const note = join(place.work, "note.txt");
const writes = (content: string, path = "note.txt") => asks("write", { path, content });
const lastTool = (model: ReturnType<typeof modelSaying>) =>
  model.given.at(-1)!.messages.findLast(({ role }) => role === "tool") as { text: string };

describe("a question that is left for later", () => {
  it("is told to a program in the words of the command line", async () => {
    const { open, store } = fresh();
    const agent = await open(modelSaying([writes("hi", "told.txt")]));
    await agent.run("write a note");
    const told = (await agent.zeph.openQuestions()).map(openQuestionJson);
    await agent.close();
    expect(told).toMatchObject([{ call_id: expect.any(String), workspace: place.work, question: { tool: "write" } }]);
    const zeph = join(import.meta.dirname, "../bin/zeph.cjs");
    const words = ["--cwd", place.work, "--set", `store.path=${store}`, "answer", "--json"];
    const printed = execFileSync(process.execPath, [zeph, ...words], { encoding: "utf8", env: { ...process.env, HOME: place.T } });
    expect(JSON.parse(printed)).toEqual(told);
  });

  it("ends the turn as waiting, runs nothing, and is in the store with what was shown", async () => {
    rmSync(note, { force: true });
    const { open, lines } = fresh();
    const agent = await open(modelSaying([writes("hi")]));
    const result = await agent.run("write a note");
    expect(result).toMatchObject({ why: "waiting", calls: [{ tool: "write", outcome: { ok: false, waiting: true } }] });
    expect(existsSync(note)).toBe(false);
    const [kept] = await agent.zeph.openQuestions();
    expect(kept!.question).toEqual(result.questions[0]);
    expect(kept!.question).toMatchObject({ tool: "write", args: { path: "note.txt", content: "hi" }, conversation: agent.conversation });
    expect(lines()).toMatchObject([{ outcome: "unanswered", waiting: true }]);
    await agent.close();
  });

  it("is answered by another agent later: the call is judged again, runs once, and the model goes on", async () => {
    rmSync(note, { force: true });
    const { open, lines } = fresh();
    const first = await open(modelSaying([writes("hi")]));
    const { questions, conversation } = await first.run("write a note");
    await first.close();

    const model = modelSaying([says("Written.")]);
    const second = await open(model, { conversation });
    const events = await all(second.answer(questions[0]!.call_id, { answer: "once", by: "ada", reason: "go ahead" }));
    expect(done(events)).toMatchObject({ why: "answered", totals: { calls: 1 } });
    expect(readFileSync(note, "utf8")).toBe("hi");
    expect(illegal(await second.history())).toBeNull();
    expect(lastTool(model).text).toContain("note.txt");
    expect(lines().at(-1)).toMatchObject({ outcome: "ok", approved_by: "ada", reason: "go ahead", call_id: questions[0]!.call_id });
    await expect(all(second.answer(questions[0]!.call_id, { answer: "once" }))).rejects.toThrow("No question about the call");
    expect(await second.zeph.openQuestions()).toEqual([]);
    await second.close();
  });

  it("is told as not run when somebody says something new instead, here and in another process", async () => {
    rmSync(note, { force: true });
    for (const reopens of [false, true]) {
      const { open } = fresh();
      const model = modelSaying([writes("hi")], [says("All right.")]);
      const first = await open(model);
      const { conversation } = await first.run("write a note");
      if (reopens) await first.close();
      const second = reopens ? await open(modelSaying([says("All right.")]), { conversation }) : first;
      await second.run("never mind");
      const history = await second.history();
      expect(illegal(history)).toBeNull();
      const told = history.find(({ role }) => role === "tool") as { text: string };
      expect(told.text).toContain("not run");
      expect(told.text).not.toContain("not known");
      expect(await second.zeph.openQuestions()).toEqual([]);
      await second.close();
    }
    expect(existsSync(note)).toBe(false);
  });

  it("waits for every answer of a message before the model is asked again, and a no reaches the model with its reason", async () => {
    const { open, lines } = fresh();
    const model = modelSaying([writes("one", "one.txt"), writes("two", "two.txt")], [says("ok")]);
    const agent = await open(model);
    const { questions } = await agent.run("two notes");
    expect(questions).toHaveLength(2);
    const [one, two] = questions.map(({ call_id }) => call_id);
    expect(done(await all(agent.answer(two!, { answer: "no", by: "bob", reason: "wrong folder" })))).toMatchObject({ why: "waiting" });
    expect(model.given).toHaveLength(1);
    expect(done(await all(agent.answer(one!, { answer: "once", by: "bob" })))).toMatchObject({ why: "answered" });
    expect(model.given[1]!.messages.map((message) => (message.role === "tool" ? message.text : "")).join("\n")).toContain("wrong folder");
    expect(existsSync(join(place.work, "two.txt"))).toBe(false);
    expect(readFileSync(join(place.work, "one.txt"), "utf8")).toBe("one");
    expect(lines().filter(({ outcome }) => outcome === "denied")).toMatchObject([{ refused_by: "bob", reason: "wrong folder" }]);
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("is not covered by an answer when the file became another one, or a rule forbids the call by now", async () => {
    for (const change of ["file", "rule"] as const) {
      writeFileSync(note, "before");
      const { open } = fresh();
      const first = await open(modelSaying([writes("hi")]));
      const { questions, conversation } = await first.run("write a note");
      await first.close();
      if (change === "file") writeFileSync(note, "changed by somebody");
      const deny = { tools: { permissions: { write: [{ pattern: "*", action: "deny" }] } } };
      const second = await open(modelSaying([says("ok")]), { conversation, ...(change === "rule" && { config: deny }) });
      const events = await all(second.answer(questions[0]!.call_id, { answer: "once", by: "ada" }));
      const ended = events.find(({ type }) => type === "tool_end") as { outcome: Extract<Outcome, { ok: false }> };
      expect(ended.outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
      expect(readFileSync(note, "utf8")).toBe(change === "file" ? "changed by somebody" : "before");
      await second.close();
    }
  });

  it("belongs to a runtime's own call, too, and of two answers the first counts", async () => {
    rmSync(note, { force: true });
    const { store, audit } = fresh();
    const options = { cwd: place.work, store, config: { audit: { path: audit } }, confirm: () => "later" as const };
    const first = await createRuntime(options);
    const asked = await first.call("write", { path: "note.txt", content: "hi" }, { callerId: "ci", requestId: "toolu_1" });
    expect(asked).toMatchObject({ ok: false, waiting: true });
    expect((await first.openQuestions())[0]!.question).toMatchObject({ caller: "ci", request: "toolu_1" });
    await first.close();
    const second = await createRuntime(options);
    const answers = await Promise.all(["ada", "bob"].map((by) => second.answer(asked.callId, { answer: "once", by })));
    expect(answers.map(({ ok }) => ok).sort()).toEqual([false, true]);
    expect(readFileSync(note, "utf8")).toBe("hi");
    expect(await second.answer("nobody", { answer: "once" })).toMatchObject({ ok: false, error: { category: "permanent_failure" } });
    await second.close();
  });
});

describe("a yes that comes later does not cover", () => {
  const ALONE = [
    { pattern: "touch *", action: "ask" },
    { pattern: "*", action: "allow" },
  ];
  const here = (more: Partial<RuntimeOptions> = {}, tools: object = {}) => {
    n += 1;
    const config = { audit: { path: join(place.state, `cover-${n}.jsonl`) }, tools };
    return createRuntime({ cwd: place.work, store: "memory", confirm: () => "later", ...more, config });
  };

  it("a command whose shell stood in another folder when it was asked about", async () => {
    mkdirSync(join(place.work, "sub"), { recursive: true });
    const zeph = await here({}, { permissions: { bash: ALONE } });
    const { callId } = await zeph.turn(async () => {
      expect((await zeph.call("bash", { command: "cd sub" })).ok).toBe(true);
      return zeph.call("bash", { command: "touch asked.txt" });
    });
    expect(await zeph.answer(callId, { answer: "once", by: "ada" })).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    expect([existsSync(join(place.work, "asked.txt")), existsSync(join(place.work, "sub/asked.txt"))]).toEqual([false, false]);
    await zeph.close();
  });

  it("a call of another workspace, whose question stays open", async () => {
    const store = join(place.state, "two-workspaces.db");
    const other = join(place.T, "elsewhere");
    mkdirSync(other);
    const first = await here({ store });
    const { callId } = await first.call("write", { path: "w.txt", content: "" });
    await first.close();
    const second = await here({ store, cwd: other });
    const outcome = await second.answer(callId, { answer: "once", by: "ada" });
    expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining(place.work) } });
    expect([existsSync(join(other, "w.txt")), existsSync(join(place.work, "w.txt"))]).toEqual([false, false]);
    await second.close();
    const third = await here({ store });
    expect(await third.openQuestions()).toHaveLength(1);
    await third.close();
  });

  it("a question of another conversation, which stays open", async () => {
    const { open } = fresh();
    const first = await open(modelSaying([writes("hi")]));
    const { questions } = await first.run("write a note");
    await first.close();
    const second = await open(modelSaying([says("Hello.")]));
    await second.run("another conversation");
    await expect(all(second.answer(questions[0]!.call_id, { answer: "once" }))).rejects.toThrow("belongs to the conversation");
    expect(await second.zeph.openQuestions()).toHaveLength(1);
    await second.close();
  });

  it("what its caller has read: a stranger's text counts after the answer, too", async () => {
    const store = join(place.state, "marked.db");
    const toolsets = [{ id: "own", list: () => [marking, looking] }];
    const caller = { callerId: "ci", phase: "executor" } as const;
    const first = await here({ store, toolsets });
    expect((await first.callAny("mark", {}, caller)).ok).toBe(true);
    const { callId } = await first.callAny("look", {}, caller);
    await first.close();
    const second = await here({ store, toolsets });
    expect(await second.answer(callId, { answer: "once", by: "ada" })).toMatchObject({ ok: true, output: { text: "untrusted: true" } });
    await second.close();
  });

  it("rights that the caller no longer has, and nobody answers as another caller", async () => {
    const zeph = await here();
    const writer = zeph.as({ id: "writer" });
    const { callId } = await writer.call("write", { path: "rights.txt", content: "" });
    const answer = { answer: "once", by: "ada" } as const;
    for (const one of [zeph, zeph.as({ id: "reader" })])
      expect(await one.answer(callId, answer)).toMatchObject({ ok: false, error: { message: expect.stringContaining('caller "writer"') } });
    const now = zeph.as({ id: "writer", permissions: { write: [{ pattern: "*", action: "deny" }] } });
    expect(await now.answer(callId, answer)).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    expect(existsSync(join(place.work, "rights.txt"))).toBe(false);
    const again = await writer.call("write", { path: "rights.txt", content: "" });
    expect((await writer.answer(again.callId, answer)).ok).toBe(true);
    await zeph.close();
  });

  it("a call of a skill that is under way: it is refused and not kept", async () => {
    const asked: Pending = { kind: "pending", call: {} as ToolCall, asked: [{ kind: "ask", gate: "permissions", rule: null, why: "why" }] };
    const ask = createAsker({
      confirm: () => "later",
      by: "user",
      grants: { grant() {}, isEdit: () => false, narrowest: () => [] },
      saveRule: null,
      emit() {},
      closing: NEVER,
      preview: async () => ({}),
      walls: async () => Promise.reject(new Error("there are none")),
      fourEyes: () => false,
    });
    const call = { id: "c", tool: { name: "write", effect: "writes" }, input: {}, touches: [] } as unknown as ToolCall;
    const turnOf = (more: object) => ({ signal: NEVER, turn: { phase: "executor", ...more } as unknown as TurnContext });
    expect(await ask({ ...asked, call }, turnOf({}))).toHaveProperty("later");
    expect(await ask({ ...asked, call }, turnOf({ skillName: "release" }))).toHaveProperty("unasked");
  });
});

const marking = defineTool({
  name: "mark",
  description: "Reads what a stranger wrote.",
  effect: "reads",
  input: z.strictObject({}),
  touches: () => [],
  async run(_permit, { turn }) {
    turn.seen.untrusted = true;
    return { text: "read" };
  },
});
const looking = defineTool({
  name: "look",
  description: "Says what its caller has read.",
  effect: "writes",
  input: z.strictObject({}),
  touches: () => [],
  run: async (_permit, { turn }) => ({ text: `untrusted: ${turn.seen.untrusted}` }),
});

describe("a person who answers", () => {
  const runtime = (confirm: AgentOptions["confirm"], tools: object = {}) =>
    createRuntime({
      cwd: place.work,
      store: "memory",
      config: { audit: { path: join(place.state, `p${++n}.jsonl`) }, tools },
      ...(confirm && { confirm }),
    });

  it("is told who calls, and is given a signal that ends with the call", async () => {
    const seen: unknown[] = [];
    const stop = new AbortController();
    const zeph = await runtime(({ caller, request }, { signal }) => {
      seen.push({ caller, request });
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          seen.push("aborted");
          resolve(null);
        });
        stop.abort();
      });
    });
    await zeph.call("write", { path: "x.txt", content: "" }, { callerId: "ci", requestId: "r1", signal: stop.signal });
    expect(seen).toEqual([{ caller: "ci", request: "r1" }, "aborted"]);
    await zeph.close();
  });

  it("whose program fails is named in the outcome as the reason", async () => {
    const zeph = await runtime(() => {
      throw new Error("Slack is down");
    });
    const outcome = await zeph.call("write", { path: "x.txt", content: "" });
    expect(outcome).toMatchObject({ ok: false, error: { category: "confirmation_required" } });
    expect(!outcome.ok && outcome.error.message).toContain("Slack is down");
    await zeph.close();
  });

  it("has to be another one than the caller with four_eyes, and has to be named", async () => {
    const tried: [string | undefined, boolean][] = [
      [undefined, false],
      ["ci", false],
      ["ada", true],
    ];
    for (const [by, counts] of tried) {
      const zeph = await runtime(() => ({ answer: "once", ...(by !== undefined && { by }) }), { four_eyes: true });
      const { ok } = await zeph.call("write", { path: `four-${by}.txt`, content: "" }, { callerId: "ci" });
      expect([by, ok]).toEqual([by, counts]);
      await zeph.close();
    }
  });

  it("does not use up a question by an answer that does not count", async () => {
    const zeph = await runtime(() => "later", { four_eyes: true });
    const { callId } = await zeph.call("write", { path: "eyes.txt", content: "" }, { callerId: "ci" });
    expect(await zeph.answer(callId, { answer: "once", by: "ci" })).toMatchObject({
      ok: false,
      error: { category: "confirmation_required" },
    });
    expect(await zeph.answer(callId, { answer: "once", by: "ada" })).toMatchObject({ ok: true });
    await zeph.close();
  });
});
