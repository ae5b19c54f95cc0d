import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { createPolicy } from "../src/entry/policy.ts";
import { createMemoryHost } from "../src/entry/testing.ts";
import { ConversationError, createAgent, createRuntime, defineTool, scriptModel, ToolsetError } from "../src/index.ts";
import { workspace } from "./workspace.ts";

const place = workspace([{ op: "file", path: "work/a.txt", content: "hello\n" }]);
afterAll(() => place.remove());

const config = { audit: { path: join(place.state, "misuse.jsonl") } };
const open = (options: object = {}) => createRuntime({ cwd: place.work, store: "memory", config, ...options });
const own = (name: string) =>
  defineTool({
    name,
    description: "Mine.",
    effect: "reads",
    input: z.strictObject({ path: z.string().optional() }),
    touches: () => [],
    run: async () => ({ text: "mine" }),
  });
const set = (id: string, ...names: string[]) => ({ id, list: () => names.map(own) });

describe("a tool of a program's own", () => {
  it("is refused when it has the name of a built-in tool, an alias or another toolset's tool", async () => {
    for (const name of ["read", "bash", "glob", "search_tools"]) {
      const refused = open({ toolsets: [set("mine", name)] });
      await expect(refused).rejects.toThrow(ToolsetError);
      await expect(refused).rejects.toThrow(`In the toolset "mine" a tool is named "${name}", and Zeph has a tool of that name.`);
    }
    await expect(open({ toolsets: [set("one", "count"), set("two", "count")] })).rejects.toThrow('the toolset "one" has a tool');
    const zeph = await open();
    expect(() => zeph.addToolset(set("mine", "read"))).toThrow(ToolsetError);
    await zeph.close();
    await expect(createPolicy({ rules: [], tools: [own("read")] })).rejects.toThrow(ToolsetError);
  });

  it("is never exchanged for a built-in one when it is called by the tool itself", async () => {
    const zeph = await open();
    for (const caller of [zeph, zeph.as({ id: "ada" })])
      expect(await caller.call(own("read"), { path: "a.txt" })).toMatchObject({
        ok: false,
        error: { category: "tool_not_found", message: expect.stringContaining("not here") },
      });
    await zeph.close();
  });
});

describe("the folder of a runtime", () => {
  it("has to be a folder that is there", async () => {
    for (const [cwd, why] of [
      [join(place.work, "nowhere"), "nowhere is not."],
      [join(place.work, "a.txt"), "a.txt is no folder."],
      [join(place.work, "a.txt/b"), "is not"],
      ["", "the path of a folder"],
    ] as const) {
      await expect(open({ cwd })).rejects.toThrow(TypeError);
      await expect(open({ cwd })).rejects.toThrow(why);
    }
    await expect(createPolicy({ rules: [], cwd: join(place.work, "nowhere") })).rejects.toThrow("nowhere is not.");
  });

  it("may be another one than that of the process, which may be gone; else that is said in words", () => {
    const gone = realpathSync(mkdtempSync(join(tmpdir(), "zeph-gone-")));
    const program = join(place.T, "gone.mjs");
    const lib = join(import.meta.dirname, "../dist/lib/index.js");
    writeFileSync(
      program,
      `import { rmdirSync } from "node:fs";
       import { createRuntime } from ${JSON.stringify(lib)};
       rmdirSync(${JSON.stringify(gone)});
       const options = { store: "memory", config: ${JSON.stringify(config)} };
       await createRuntime(options).catch((error) => console.log(error.name, error.message));
       const zeph = await createRuntime({ ...options, cwd: ${JSON.stringify(place.work)} });
       console.log((await zeph.call("read", { path: "a.txt" })).output.text);
       await zeph.close();`,
    );
    const { stdout, stderr } = spawnSync(process.execPath, [program], { cwd: gone, encoding: "utf8" });
    expect({ stdout, stderr }).toEqual({
      stdout: "TypeError The folder this process was started in is gone. Change to one that is there, or name one with cwd.\n1\thello\n",
      stderr: "",
    });
  });

  it("is named in words by the command line when it is gone", () => {
    const zeph = join(import.meta.dirname, "../bin/zeph.cjs");
    for (const words of [["call", "read", "{}"], ["sessions"], ["run", "hello"], ["doctor"]]) {
      const gone = mkdtempSync(join(tmpdir(), "zeph-gone-"));
      const { stderr, status } = spawnSync("/bin/sh", ["-c", 'rmdir "$PWD"; exec "$@"', "sh", process.execPath, zeph, ...words], {
        cwd: gone,
        encoding: "utf8",
        env: { ...process.env, HOME: place.T },
      });
      expect(stderr.replace(/\s+/g, " ")).toBe(
        "The folder this process was started in is gone. Change to one that is there, or name one with --cwd. ",
      );
      expect(status).toBe(2);
    }
  });
});

describe("options that do not exist", () => {
  it("are refused by a call, a dry run, an answer, a judgement and a machine in memory", async () => {
    const zeph = await open();
    const wrong = { ok: false, error: { category: "invalid_parameters", message: expect.stringContaining('has no option "') } };
    for (const caller of [zeph, zeph.as({ id: "ada" })]) {
      expect(await caller.call("read", { path: "a.txt" }, { callerID: "ada" } as object)).toMatchObject(wrong);
      expect(await caller.callAny("read", { path: "a.txt" }, { signl: 1 } as object)).toMatchObject(wrong);
      expect(await caller.dryRun("bash", { command: "touch b.txt" } as object)).toMatchObject(wrong);
      expect(await caller.answer("1", { answer: "no" }, { by: "ada" } as object)).toMatchObject(wrong);
      await expect(caller.judge("read", { path: "a.txt" }, { caller: "ada" } as object)).rejects.toThrow('has no option "caller"');
    }
    await zeph.close();
    expect(() => createMemoryHost({ file: {} } as object)).toThrow('createMemoryHost has no option "file". Did you mean "files"?');
  });

  it("and such that have to be functions are refused before they are needed", async () => {
    for (const name of ["confirm", "elicit", "onEvent"])
      await expect(open({ [name]: "no" })).rejects.toThrow(`${name} must be a function, not a string.`);
    await expect(createAgent({ cwd: place.work, config, onEventBetweenTurns: {} } as object)).rejects.toThrow(
      "onEventBetweenTurns must be",
    );
    const zeph = await open();
    const outcome = await zeph.call("bash", { command: "touch c.txt" }, { confirm: "once" } as object);
    expect(outcome).toMatchObject({ ok: false, error: { message: "confirm must be a function, not a string." } });
    await zeph.close();
  });
});

it("a confirm that says what is no answer makes no call, and the outcome says what it said and what it may say", async () => {
  const circle: unknown[] = [];
  circle.push(circle);
  for (const [said, shown] of [
    ["yes", '"yes"'],
    [true, "true"],
    [undefined, "nothing"],
    [{ answer: "yes" }, '{"answer":"yes"}'],
    [circle, "a object"],
  ] as const) {
    const zeph = await open({
      config: { ...config, tools: { permissions: { read: [{ pattern: "*", action: "ask" }] } } },
      confirm: () => said,
    });
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({
      ok: false,
      error: {
        category: "confirmation_required",
        message: expect.stringContaining(`confirm answered ${shown}; that counts as no answer. It must be once, session`),
      },
    });
    await zeph.close();
  }
});

it("an agent cannot be opened over a runtime that was closed, nor over a view of it", async () => {
  const zeph = await open();
  mkdirSync(join(place.work, "adas"), { recursive: true });
  const views = [zeph.as({ id: "ada" }), zeph.as({ id: "bob", workspace: "adas" })];
  await zeph.close();
  for (const runtime of [zeph, ...views])
    await expect(createAgent({ runtime, model: scriptModel([]) })).rejects.toThrow("The runtime was closed");
  expect(await views[1]!.call("read", { path: "a.txt" })).toMatchObject({ ok: false, error: { message: "This runtime was closed." } });
});

it("an id that a conversation has already is refused in words, also when it was taken meanwhile", async () => {
  const zeph = await open();
  const agentOf = (newConversation: string) =>
    createAgent({ runtime: zeph, model: scriptModel([[{ type: "text", text: "hi" }]]), newConversation });
  const [first, second] = [await agentOf("taken"), await agentOf("taken")];
  await first.run("hello");
  const refused = { name: "ConversationError", message: expect.stringContaining("There is a conversation taken already.") };
  await expect(second.run("hello")).rejects.toMatchObject(refused);
  await expect(agentOf("taken")).rejects.toMatchObject(refused);
  await expect(agentOf("taken")).rejects.toThrow(ConversationError);
  await expect(agentOf("")).rejects.toThrow("newConversation must be an id");
  await zeph.close();
});
