import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import type { TurnContext } from "../src/core/turn.ts";
import { keyOf as sentinelKey } from "../src/gates/sentinel/taint.ts";
import { conversationOf } from "../src/gates/utility/memory.ts";
import { createAgent, createRuntime, defineTool, type Question, type RuntimeOptions, scriptModel, type Zeph } from "../src/index.ts";
import { workspace } from "./workspace.ts";

const place = workspace([
  { op: "file", path: "work/a.txt", content: "hello\n" },
  { op: "mkdir", path: "work/docs" },
]);
afterAll(() => place.remove());

let n = 0;
const audit = () => join(place.state, `callers-${n}.jsonl`);
const runtime = (options: Omit<RuntimeOptions, "config"> & { tools?: object } = {}) => {
  n += 1;
  const { tools = {}, ...rest } = options;
  return createRuntime({ cwd: place.work, store: "memory", config: { audit: { path: audit() }, tools }, ...rest });
};
const all = [{ pattern: "*", action: "allow" }] as const;

describe("callers of one runtime", () => {
  it("read nothing that was left out of an answer to another", async () => {
    const long = Array.from({ length: 4000 }, (_, n) => `private ${n} ${Math.sin(n)}`).join("\n");
    writeFileSync(join(place.work, "long.txt"), long);
    const zeph = await runtime();
    const [ada, bob] = ["ada", "bob"].map((id) => zeph.as({ id }));
    const read = await ada!.call("bash", { command: "cat long.txt" });
    const id = /raw#\d+/.exec(read.output?.text ?? "")?.[0];
    expect(id).toBeDefined();
    for (const one of [id!, "raw#2"]) expect((await bob!.call("read_overflow", { id: one })).ok).toBe(false);
    expect((await ada!.call("read_overflow", { id: id! })).ok).toBe(true);
    await zeph.close();
  });

  it("share no variable and no folder of the shell in one turn", async () => {
    const zeph = await runtime({ tools: { permissions: { bash: all } } });
    const [ada, bob] = ["ada", "bob"].map((id) => zeph.as({ id, permissions: { bash: all } }));
    const printed = async (caller: Pick<Zeph, "call">) => {
      const { output } = await caller.call("bash", { command: 'echo "$WHOSE in $(basename "$PWD")"' });
      return output?.raw?.stdout;
    };
    await zeph.turn(async () => {
      await ada!.call("bash", { command: "export WHOSE=adas; cd docs" });
      expect(await printed(ada!)).toBe("adas in docs\n");
      expect(await printed(bob!)).toBe(" in work\n");
      expect(await printed(zeph)).toBe(" in work\n");
    });
    expect(await printed(ada!)).toBe(" in work\n");
    await zeph.close();
  });

  it("reach nothing beyond themselves through their agents, and see only their own questions", async () => {
    const zeph = await runtime({ tools: { permissions: { read: [{ pattern: "*", action: "ask" }] } }, confirm: () => "later" });
    const [ada, bob] = ["ada", "bob"].map((id) => zeph.as({ id }));
    const { callId } = await ada!.call("read", { path: "a.txt" });
    await zeph.call("read", { path: "a.txt" });
    const agents = await Promise.all([ada!, bob!].map((runtime) => createAgent({ runtime, model: scriptModel([]) })));
    const open = async ({ openQuestions }: Pick<Zeph, "openQuestions">) => (await openQuestions()).map(({ callId }) => callId);
    expect(await open(ada!)).toEqual([callId]);
    expect(await open(agents[0]!.zeph)).toEqual([callId]);
    expect(await open(bob!)).toEqual([]);
    expect(await open(agents[1]!.zeph)).toEqual([]);
    expect(await open(zeph)).toHaveLength(2);
    const its = agents[1]!.zeph;
    const toolset = { id: "mine", list: () => [] };
    for (const reach of [
      () => its.as({ id: "ada" }),
      () => its.governance,
      () => its.mcp,
      () => its.stats(),
      () => its.clear(),
      () => its.close(),
      () => its[Symbol.asyncDispose](),
      () => its.blockCommands(["ls"]),
      () => its.addToolset(toolset),
    ])
      expect(reach).toThrow("is for whoever opened the runtime");
    expect(agents[1]!.commands().map(({ name }) => name)).not.toContain("/policy");
    expect((await its.reach())?.walls).toBeDefined();
    await zeph.close();
  });

  it("lose no rule of the project by a repository in their folder, and none by a path that is open to all", async () => {
    mkdirSync(join(place.work, "clone/.git"), { recursive: true });
    const zeph = await createRuntime({ cwd: place.work, store: "memory", set: [`audit.path=${join(place.state, "clone.jsonl")}`] });
    mkdirSync(join(place.work, ".zeph"), { recursive: true });
    writeFileSync(join(place.work, ".zeph/config.toml"), "");
    onTestFinished(() => rmSync(join(place.work, ".zeph"), { recursive: true }));
    const outcome = await zeph.as({ id: "ada", workspace: "clone" }).call("read", { path: "a.txt" });
    expect(outcome).toMatchObject({ ok: false, error: { message: expect.stringContaining("repository of its own") } });
    await zeph.close();
    const open = await runtime({ tools: { file: { allowed_paths: [place.work] } } });
    expect(() => open.as({ id: "ada", workspace: "clone" })).toThrow("all callers would reach it");
    await open.close();
  });

  it("have folders of their own: another caller gets neither the same one nor one inside", async () => {
    mkdirSync(join(place.work, "adas/sub"), { recursive: true });
    const zeph = await runtime();
    zeph.as({ id: "ada", workspace: "adas" });
    expect(() => zeph.as({ id: "ada", workspace: "adas" })).not.toThrow();
    for (const workspace of ["adas", "adas/sub"])
      expect(() => zeph.as({ id: "eve", workspace })).toThrow('which the caller "ada" has for itself');
    await zeph.close();
  });

  it("a yes for the session that one of them got serves no other", async () => {
    const asked: (string | undefined)[] = [];
    const zeph = await runtime({
      confirm: ({ caller }: Question) => {
        asked.push(caller);
        return "session";
      },
    });
    const [ada, bob] = ["ada", "bob"].map((id) => zeph.as({ id }));
    const write = { path: "shared.txt", content: "x" };
    for (const one of [ada, ada, bob, bob]) expect((await one!.call("write", write)).ok).toBe(true);
    expect(asked).toEqual(["ada", "bob"]);
    await zeph.close();
  });

  it("a yes about a tool that nobody vouched for serves no other caller", async () => {
    const asked: (string | undefined)[] = [];
    const tool = defineTool({
      name: "brew",
      description: "Makes tea.",
      effect: "writes",
      input: z.strictObject({}),
      touches: () => [],
      run: async () => ({ text: "tea" }),
    });
    const zeph = await runtime({
      toolsets: [{ id: "kitchen", trust: "provisional", list: () => [tool] }],
      tools: { permissions: { brew: all } },
      confirm: ({ caller }: Question) => {
        asked.push(caller);
        return "session";
      },
    });
    const [ada, bob] = ["ada", "bob"].map((id) => zeph.as({ id }));
    for (const one of [ada, ada, bob, bob]) expect((await one!.call("brew", {})).ok).toBe(true);
    expect(asked).toEqual(["ada", "bob"]);
    await zeph.close();
  });

  it("each has its own quota, and those without one share none with the others", async () => {
    const zeph = await runtime({ tools: { max_tool_calls_per_session: 2 } });
    const read = { path: "a.txt" };
    const small = zeph.as({ id: "small", quota: 1 });
    const usual = zeph.as({ id: "usual" });
    const results = [];
    for (const one of [small, small, usual, usual, usual, zeph]) results.push((await one.call("read", read)).ok);
    expect(results).toEqual([true, false, true, true, false, true]);
    await zeph.close();
  });

  it("rules of a caller allow what is asked about, and lift no denial of the configuration", async () => {
    const zeph = await runtime({ tools: { permissions: { write: [{ pattern: "secret/**", action: "deny" }] } } });
    const writer = zeph.as({
      id: "writer",
      permissions: {
        write: [
          { pattern: "docs/**", action: "allow" },
          { pattern: "secret/**", action: "allow" },
        ],
      },
    });
    const reader = zeph.as({
      id: "reader",
      permissions: { write: [{ pattern: "*", action: "deny" }], bash: [{ pattern: "*", action: "deny" }] },
    });
    const verdict = async (who: typeof writer, path: string) => (await who.judge("write", { path, content: "" })).verdict;
    expect(await verdict(writer, "docs/n.md")).toBe("allow");
    expect(await verdict(writer, "src/n.ts")).toBe("ask");
    expect(await verdict(writer, "secret/n")).toBe("deny");
    expect(await verdict(reader, "docs/n.md")).toBe("deny");
    expect(reader.tools().map(({ name }) => name)).not.toContain("write");
    expect(writer.tools().map(({ name }) => name)).toContain("write");
    await zeph.close();
  });

  it("the trust of a caller holds, and its own options cannot raise it", async () => {
    const zeph = await runtime({ tools: { permissions: { write: all } } });
    const visitor = zeph.as({ id: "visitor", trust: "untrusted" });
    const outcome = await visitor.call("write", { path: "v.txt", content: "" }, { trust: "trusted", callerId: "root" });
    expect(outcome).toMatchObject({ ok: false, decision: { gate: "trust" } });
    expect(existsSync(join(place.work, "v.txt"))).toBe(false);
    const raised = { trust: "trusted", callerId: "root" } as const;
    expect(await visitor.judge("write", { path: "v.txt", content: "" }, raised)).toMatchObject({ verdict: "deny", gate: "trust" });
    expect(await visitor.dryRun("echo hi", raised)).toMatchObject({ ok: false, decision: { gate: "trust" } });
    await zeph.close();
  });

  it("what a person approved of one caller's refused call lets no other caller's in", async () => {
    const zeph = await runtime({ tools: { permissions: { write: all }, scoped: { enabled: true, denied_tools: ["write"] } } });
    const [ada, bob] = ["ada", "bob"].map((id) => zeph.as({ id }));
    const write = (one: typeof ada) => one!.call("write", { path: "scoped.txt", content: "" });
    const refused = await write(ada);
    expect(zeph.governance.approve(refused.callId)).not.toBeNull();
    expect([(await write(bob)).ok, (await write(ada)).ok, (await write(ada)).ok]).toEqual([false, true, false]);
    await zeph.close();
  });

  it("what gates remember of calls is kept for each caller, and for each conversation", () => {
    const turns = [{}, { rights: { id: "ada" } }, { rights: { id: "bob" } }, { rights: { id: "bob" }, conversationId: "c" }].map(
      (more) => ({ sessionId: "s", ...more }) as unknown as TurnContext,
    );
    for (const keyOf of [sentinelKey, conversationOf]) expect(new Set(turns.map(keyOf)).size).toBe(turns.length);
  });

  it("answers from the cache stay with the caller who read", async () => {
    const zeph = await runtime();
    const [ada, bob] = ["ada", "bob"].map((id) => zeph.as({ id }));
    const cached = async (one: typeof ada) => {
      const outcome = await one!.call("read", { path: "a.txt" });
      return outcome.ok && outcome.cached;
    };
    expect([await cached(ada), await cached(ada), await cached(bob)]).toEqual([false, true, false]);
    await zeph.close();
  });

  it("each hears of its own calls alone, and the audit log names whose they were", async () => {
    const zeph = await runtime();
    const [ada, bob] = ["ada", "bob"].map((id) => zeph.as({ id }));
    const heard: string[] = [];
    const stop = ada!.onEvent((event) => heard.push(event.type));
    await Promise.all([ada!.call("read", { path: "a.txt" }), bob!.call("read", { path: "a.txt" })]);
    stop();
    await ada!.call("read", { path: "a.txt", offset: 1 });
    expect(heard).toEqual(["tool_start", "tool_end"]);
    await zeph.close();
    const lines = readFileSync(audit(), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(
      lines
        .filter(({ kind }) => kind === "call")
        .map(({ caller_id }) => caller_id)
        .sort(),
    ).toEqual(["ada", "ada", "bob"]);
  });

  it("no command of theirs changes the repository around the workspace, whatever whoever opened the runtime may do", async ({ skip }) => {
    const top = join(place.T, "repository");
    mkdirSync(join(top, "app"), { recursive: true });
    const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@a.example", ...args], { cwd: top });
    const commit = (text: string) => {
      for (const file of ["b.txt", "app/a.txt"]) writeFileSync(join(top, file), text);
      git("add", "-A");
      git("commit", "-qm", text);
    };
    git("init", "-q", "-b", "main");
    commit("one");
    git("switch", "-qc", "other");
    commit("two");
    git("switch", "-q", "main");
    const zeph = await runtime({ cwd: join(top, "app"), tools: { permissions: { bash: all }, sandbox: { outer_repository: "whole" } } });
    const switched = async (who: Pick<Zeph, "call">) => {
      const { output } = await who.call("bash", { command: "git switch -q other" });
      if (output?.walls?.backend !== "bubblewrap") skip("bubblewrap does not work here");
      return readFileSync(join(top, "b.txt"), "utf8");
    };
    expect(await switched(zeph.as({ id: "ada" }))).toBe("one");
    for (const args of [
      ["reset", "-q", "--hard"],
      ["switch", "-qf", "main"],
    ])
      git(...args);
    expect(await switched(zeph)).toBe("two");
    await zeph.close();
  });

  it.each([
    [{ id: "" }, "needs an id"],
    [{ id: "x", trust: "root" }, "is no trust"],
    [{ id: "x", quota: -1 }, "quota must be a whole number"],
    [{ id: "x", permission: {} }, 'no "permission"'],
    [{ id: "x", permissions: { write: [{ pattern: "*", action: "alow" }] } }, "needs a pattern and an action"],
  ])("a caller like %j is refused with words", async (caller, words) => {
    const zeph = await runtime();
    expect(() => zeph.as(caller as never)).toThrow(words);
    await zeph.close();
  });

  it("a thousand callers cost little memory each", async () => {
    const zeph = await runtime();
    const before = process.memoryUsage().heapUsed;
    const views = Array.from({ length: 1000 }, (_, id) => zeph.as({ id: `c${id}`, quota: 5 }));
    for (const view of views) await view.call("read", { path: "a.txt" });
    expect((process.memoryUsage().heapUsed - before) / 1000).toBeLessThan(300_000);
    await zeph.close();
  });
});
