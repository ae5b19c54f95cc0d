import { existsSync, mkdirSync, readFileSync, rmdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { type CallerView, createAgent, createRuntime, defineTool, type Outcome, type RuntimeOptions, type Zeph } from "../src/index.ts";
import { asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([
  { op: "file", path: "work/ada/a.txt", content: "of ada\n" },
  { op: "file", path: "work/bob/b.txt", content: "secret of bob\n" },
  { op: "file", path: "work/top.txt", content: "secret of all\n" },
  { op: "symlink", path: "work/ada/to-bob", target: "../bob" },
  { op: "symlink", path: "work/ada/to-file", target: "../bob/b.txt" },
  { op: "symlink", path: "work/link", target: "bob" },
  { op: "mkdir", path: "work/bob/inner" },
  { op: "file", path: "work/ada/.vscode/tasks.json", content: "{}" },
]);
afterAll(() => place.remove());

let n = 0;
let zeph: Zeph;
afterEach(() => zeph?.close());
const all = [{ pattern: "*", action: "allow" }] as const;
const TOOLS = ["read", "write", "edit", "grep", "find_path", "list_directory", "bash", "copy_path", "move_path", "delete_path"];
const open = async (options: Omit<RuntimeOptions, "config"> & { tools?: object } = {}): Promise<CallerView> => {
  n += 1;
  const { tools = { permissions: Object.fromEntries(TOOLS.map((tool) => [tool, all])) }, ...rest } = options;
  zeph = await createRuntime({
    cwd: place.work,
    store: "memory",
    config: { audit: { path: join(place.state, `folders-${n}.jsonl`) }, tools },
    ...rest,
  });
  return zeph.as({ id: "ada", workspace: "ada" });
};
const text = (outcome: Outcome) => JSON.stringify(outcome);

describe("A caller with a workspace of its own", () => {
  it("works in its folder: relative paths, searches and commands begin there", async () => {
    const ada = await open();
    expect(await ada.call("read", { path: "a.txt" })).toMatchObject({ ok: true, output: { text: expect.stringContaining("of ada") } });
    expect((await ada.call("write", { path: "new.txt", content: "new" })).ok).toBe(true);
    expect(readFileSync(join(place.work, "ada/new.txt"), "utf8")).toBe("new");
    expect(text(await ada.call("grep", { pattern: "of" }))).toContain("a.txt");
    const pwd = await ada.call("bash", { command: "pwd; echo x > made.txt" });
    expect(text(pwd)).toContain(join(place.work, "ada"));
    expect(existsSync(join(place.work, "ada/made.txt"))).toBe(true);
    expect((await zeph.call("read", { path: "top.txt" })).ok).toBe(true);
  });

  it.each<[string, object]>([
    ["read", { path: "../bob/b.txt" }],
    ["read", { path: "../top.txt" }],
    ["read", { path: join(place.work, "bob/b.txt") }],
    ["read", { path: "to-file" }],
    ["read", { path: "to-bob/b.txt" }],
    ["write", { path: "../bob/x.txt", content: "x" }],
    ["write", { path: "to-bob/x.txt", content: "x" }],
    ["edit", { path: "to-file", old_string: "secret", new_string: "x" }],
    ["grep", { pattern: "secret", path: ".." }],
    ["grep", { pattern: "secret", path: "to-bob" }],
    ["grep", { pattern: "secret" }],
    ["find_path", { pattern: "**/b.txt" }],
    ["list_directory", { path: "../bob" }],
    ["copy_path", { from: "../bob/b.txt", to: "stolen.txt" }],
    ["move_path", { from: "to-bob/b.txt", to: "stolen.txt" }],
    ["delete_path", { path: "../bob/b.txt" }],
    ["bash", { command: "cat ../bob/b.txt ../top.txt to-file to-bob/b.txt; ls ../bob; cd .. && cat bob/b.txt" }],
    ["bash", { command: `echo x > ${join(place.work, "bob/x.txt")}; echo x > to-bob/x.txt; rm -rf ../bob; mv ../bob ../gone` }],
  ])("does not reach the folder of another with %s %j", async (tool, args) => {
    const ada = await open();
    const outcome = await ada.callAny(tool, args);
    expect(text(outcome)).not.toContain("secret of");
    expect(readFileSync(join(place.work, "bob/b.txt"), "utf8")).toBe("secret of bob\n");
    expect(existsSync(join(place.work, "bob/x.txt"))).toBe(false);
    expect(existsSync(join(place.work, "ada/stolen.txt"))).toBe(false);
  });

  it("is judged as it is run, and its protected files are those of its folder", async () => {
    const ada = await open();
    expect(await ada.judge("read", { path: "../bob/b.txt" })).toMatchObject({ verdict: "deny", gate: "files" });
    expect((await ada.judge("read", { path: "a.txt" })).verdict).toBe("allow");
    expect(await ada.call("bash", { command: "echo x > .vscode/tasks.json" })).not.toMatchObject({ ok: true, output: { exitCode: 0 } });
    expect(readFileSync(join(place.work, "ada/.vscode/tasks.json"), "utf8")).toBe("{}");
    expect(await ada.judge("write", { path: ".vscode/tasks.json", content: "" })).toMatchObject({ verdict: "ask" });
  });

  it("has an agent that works there, in conversations of its own", async () => {
    const ada = await open();
    const model = modelSaying([asks("read", { path: "a.txt" }), asks("read", { path: "../bob/b.txt" })], [says("read")]);
    const agent = await createAgent({ runtime: ada, model });
    const { calls } = await agent.run("go");
    expect(new Map(calls.map(({ args, outcome }) => [(args as { path: string }).path, outcome.ok]))).toEqual(
      new Map([
        ["a.txt", true],
        ["../bob/b.txt", false],
      ]),
    );
    expect(model.given[0]!.system).toContain(join(place.work, "ada"));
    expect((await agent.zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    await expect(
      createAgent({ runtime: zeph.as({ id: "bob", workspace: "bob" }), model, conversation: agent.conversation! }),
    ).rejects.toThrow("another caller");
  });

  it("hears of its own calls, and shares the tools that the program brings and takes away", async () => {
    const ada = await open();
    const tool = defineTool({
      name: "brew",
      description: "Makes tea.",
      effect: "reads",
      input: z.strictObject({}),
      touches: () => [],
      run: async () => ({ text: "tea" }),
    });
    const heard: string[] = [];
    ada.onEvent(({ type }) => heard.push(type));
    await ada.call("read", { path: "a.txt" });
    expect(heard).toEqual(["tool_start", "tool_end"]);
    const remove = zeph.addToolset({ id: "kitchen", list: () => [tool] });
    await new Promise((resolve) => setImmediate(resolve));
    expect((await ada.call(tool, {})).ok).toBe(true);
    remove();
    await new Promise((resolve) => setImmediate(resolve));
    expect(await ada.call(tool, {})).toMatchObject({ ok: false, error: { category: "tool_not_found" } });
  });

  it("follows the rules that are changed for the runtime, before it is first used and after", async () => {
    const ada = await open();
    zeph.blockCommands(["touch"]);
    expect(await ada.call("bash", { command: "touch x" })).toMatchObject({ ok: false, decision: { gate: "blocklist" } });
    zeph.blockCommands(["ls"]);
    expect(await ada.call("bash", { command: "ls" })).toMatchObject({ ok: false, decision: { gate: "blocklist" } });
    zeph.governance.chooseAutonomy("readonly");
    expect(await ada.call("write", { path: "late.txt", content: "" })).toMatchObject({ ok: false, decision: { gate: "permissions" } });
    zeph.governance.chooseAutonomy(null);
    const tools = { permissions: { read: [{ pattern: "*", action: "deny" }] } };
    const config = { audit: { path: join(place.state, `folders-${n}.jsonl`) }, tools };
    expect((await zeph.governance.reload(config)).problem).toBeUndefined();
    for (const one of [ada, zeph.as({ id: "bob", workspace: "bob" })])
      expect(await one.call("read", { path: "a.txt" })).toMatchObject({ ok: false, decision: { gate: "permissions" } });
  });

  it("ends with the runtime, and a folder that is gone by then is an outcome", async () => {
    const ada = await open();
    mkdirSync(join(place.work, "eve"));
    const eve = zeph.as({ id: "eve", workspace: "eve" });
    rmdirSync(join(place.work, "eve"));
    symlinkSync("bob", join(place.work, "eve"));
    expect(await eve.call("read", { path: "b.txt" })).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("was moved") },
    });
    expect((await ada.call("read", { path: "a.txt" })).ok).toBe(true);
    await zeph.close();
    expect(await ada.call("read", { path: "a.txt" })).toMatchObject({ ok: false, error: { message: "This runtime was closed." } });
  });

  it.each([
    ["..", "inside of"],
    [".", "inside of"],
    ["/", "inside of"],
    ["link", "no link"],
    ["nowhere", "that is there"],
    ["top.txt", "that is there"],
    ["ada/to-bob", "no link"],
  ])("cannot have %s for itself", async (folder, words) => {
    await open();
    expect(() => zeph.as({ id: "eve", workspace: folder })).toThrow(words);
  });

  it("has none that lies in another's, nor around it", async () => {
    await open();
    zeph.as({ id: "bob", workspace: "bob/inner" });
    expect(() => zeph.as({ id: "eve", workspace: "bob" })).toThrow("overlaps");
    expect(() => zeph.as({ id: "team", workspace: "bob/inner" })).toThrow("overlaps");
    expect(zeph.as({ id: "bob", workspace: "bob/inner" }).id).toBe("bob");
  });
});
