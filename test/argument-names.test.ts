import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { answerText } from "../src/core/answer.ts";
import { defineTool, type Zeph } from "../src/index.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function openPlace() {
  const place = workspace([]);
  closing.push(place.remove);
  mkdirSync(join(place.work, "src"), { recursive: true });
  writeFileSync(join(place.work, "src/a.txt"), "one\nTWO\n");
  return place;
}

const ALLOW = Object.fromEntries(
  ["bash", "read", "write", "edit", "grep", "find_path", "list_directory", "notes"].map((tool) => [
    tool,
    [{ pattern: "*", action: "allow" }],
  ]),
);
async function open(tools: object = { permissions: ALLOW }, options: object = {}) {
  const place = openPlace();
  const zeph: Zeph = await place.runtime({ config: { tools, audit: { path: join(place.state, "audit.jsonl") } }, ...options } as never);
  closing.push(zeph.close);
  const logged = () =>
    readFileSync(join(place.state, "audit.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { tool?: string; args?: object });
  return { place, zeph, logged };
}
const textOf = (outcome: Awaited<ReturnType<Zeph["callAny"]>>) => (outcome.ok ? outcome.output.text : outcome.error.message);

describe("arguments under the names of other agents", () => {
  it.each<[string, object, RegExp]>([
    ["read", { file_path: "src/a.txt" }, /one/],
    ["read", { filePath: "src/a.txt", start_line: 2 }, /TWO/],
    ["read", { _tafc_think_why: "to see", absolute_path: "src/a.txt" }, /one/],
    ["edit", { file_path: "src/a.txt", old_str: "one", new_str: "two" }, /^Edited/],
    ["edit", { target_file: "src/a.txt", oldString: "one", newString: "two", replaceAll: true }, /^Edited/],
    ["write", { file_path: "src/b.txt", file_text: "new" }, /^Created/],
    ["bash", { cmd: "echo hello", run_in_background: false, timeout_ms: 5000 }, /^hello$/],
    ["grep", { query: "two", "-i": true, include: "*.txt", head_limit: 3 }, /TWO/],
    ["find_path", { pattern: "*.txt" }, /a\.txt/],
    ["glob", { pattern: "*.txt", directory: "src" }, /a\.txt/],
    ["list_directory", { dir_path: "src" }, /a\.txt/],
    ["list_directory", {}, /\[dir\] src/],
    ["read", { file_path: "src/a.txt", start_line: 2, end_line: 2 }, /^2\tTWO$/],
    ["read", { filePath: "src/a.txt", endLine: 1 }, /^1\tone\n\(1 more line/],
    ["read", { path: "src/a.txt", view_range: [2, -1] }, /^2\tTWO$/],
    ["read", { path: "src/a.txt", offset: 0, limit: null }, /^1\tone\n2\tTWO$/],
    ["read", { absolute_path: "src/a.txt", offset: 1, limit: 5, end_line: 1 }, /^1\tone\n\(1 more line/],
    ["edit", { file_path: "src/a.txt", old_string: "one", new_string: "two", expected_replacements: 1 }, /^Edited[^[]*$/],
    ["edit", { filePath: "src/a.txt", oldText: "one", newText: "two", allow_multiple: false }, /^Edited/],
    ["bash", { command: ["bash", "-lc", "echo a b | wc -w"], timeout_ms: 5000 }, /^\s*2$/],
    ["bash", { command: ["printf", "%s\n", "a  b"] }, /^a {2}b$/],
    ["bash", { command: "cat a.txt # all", workdir: "src" }, /^one\nTWO$/],
    ["bash", { command: ["cat", "src/a.txt"], workdir: "." }, /^one\nTWO$/],
    ["bash", { cmd: "false", directory: "src" }, /^\[exit code 1\]$/],
    ["bash", { command: "echo ran", workdir: "nowhere" }, /nowhere: no such file/],
    ["bash", { command: "echo hello", timeout: null, dangerouslyDisableSandbox: false }, /^hello$/],
    [
      "grep",
      { pattern: "two", "-i": true, "-n": true, "-A": 1, "-B": 2, output_mode: "content", multiline: false, head_limit: 0, offset: 0 },
      /^src\/a.txt\n1-one\n2:TWO$/,
    ],
    ["grep", { pattern: "T.O", literal: true }, /^No matches for T\\\.O/],
    ["grep", { query: "T.O", isRegexp: true, includePattern: "*.txt", maxResults: 4 }, /2:TWO$/],
    ["find_path", { pattern: "*.txt", dir_path: "src", respect_git_ignore: true }, /a\.txt\n\[ignored: "respect_git_ignore"/],
  ])("%s %j is a call like any other", async (tool, args, expected) => {
    const { zeph } = await open();
    expect(textOf(await zeph.callAny(tool, args))).toMatch(expected);
  });

  it("are judged and logged under the tool's own, and a rule about the path counts", async () => {
    const { zeph, logged } = await open({ file: { deny_read: ["src/a.txt"] }, permissions: ALLOW });
    const outcome = await zeph.callAny("read", { file_path: "src/a.txt" });
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked" } });
    expect(logged().findLast(({ tool }) => tool === "read")!.args).toEqual({ path: "src/a.txt" });
    await expect(zeph.judge("read", { filePath: "src/a.txt" })).resolves.toMatchObject({ verdict: "deny" });
  });

  it("are judged where the command would run", async () => {
    const { zeph } = await open();
    const { touches } = await zeph.judge("bash", { command: "rm b.txt", workdir: "src" });
    expect(touches).toContainEqual(expect.objectContaining({ kind: "path", access: "delete", path: "src/b.txt" }));
    await zeph.turn(async () => {
      await zeph.callAny("bash", { command: "cd ..; pwd", workdir: "src" });
      expect(textOf(await zeph.callAny("bash", { command: "ls" }))).toBe("src");
    });
  });

  it("are the same call to the cache", async () => {
    const { zeph } = await open();
    await zeph.callAny("read", { path: "src/a.txt" });
    expect(await zeph.callAny("read", { file_path: "src/a.txt" })).toMatchObject({ ok: true, cached: true });
  });

  it.each([
    { path: "src/a.txt", file_path: "src/b.txt" },
    { file_path: "src/a.txt", filePath: "src/a.txt" },
  ])("are refused where one is there twice: %j", async (args) => {
    const { zeph } = await open();
    expect(textOf(await zeph.callAny("read", args))).toMatch(/are the same argument of read\. Give it once\./);
  });

  it("stay what they are for tools of programs", async () => {
    const notes = defineTool({
      name: "notes",
      description: "Read a note.",
      effect: "reads",
      input: z.strictObject({ path: z.string() }),
      touches: () => [],
      run: async () => ({ text: "noted" }),
    });
    const { zeph } = await open(undefined, { toolsets: [{ id: "mine", list: () => [notes] }] });
    expect(textOf(await zeph.callAny("notes", { file_path: "a" }))).toMatch(/"path" is missing/);
    expect(textOf(await zeph.callAny("notes", { path: "a", why: "b" }))).toMatch(/"why" is not an argument/);
  });
});

describe("arguments that a tool does not have", () => {
  it("are left out with a word about it, which is no part of what is kept", async () => {
    const { zeph } = await open();
    expect(textOf(await zeph.callAny("bash", { command: "echo hello", description: "Say hello" }))).toBe(
      'hello\n[ignored: "description"; no argument of bash]',
    );
    expect(textOf(await zeph.callAny("grep", { pattern: "TWO", output_mode: "count", multiline: true }))).toMatch(
      /TWO[\s\S]*\n\[ignored: "output_mode", "multiline"; no argument of grep\]$/,
    );
    const again = await zeph.callAny("grep", { pattern: "TWO" });
    expect(again).toMatchObject({ ok: true, cached: true });
    expect(textOf(again)).not.toContain("ignored");
  });

  it.each<[string, object]>([
    ["bash", { command: "rm -rf build", chdir: "/elsewhere" }],
    ["bash", { command: "rm -rf build", workdir: ["a"] }],
    ["bash", { command: "ls", dangerouslyDisableSandbox: true }],
    ["read", { path: "src/a.txt", offset: 2, end_line: 1 }],
    ["grep", { pattern: "x", offset: 5 }],
    ["bash", { command: "rm -rf build", dry_run: true }],
    ["write", { path: "a", content: "b", mode: "append" }],
    ["edit", { path: "src/a.txt", old_string: "one", new_string: "x", replace_al: true }],
    ["read", { path: "src/a.txt", ofset: 3 }],
  ])("are refused where the call would do something else without them: %s %j", async (tool, args) => {
    const { zeph } = await open();
    expect(textOf(await zeph.callAny(tool, args))).toMatch(/is not an argument/);
  });

  it("are told of a call that fails, too", async () => {
    const { zeph } = await open();
    const note = /\n\[ignored: "explanation"; no argument of \w+\]$/;
    expect(answerText(await zeph.callAny("edit", { path: "src/a.txt", old_string: "none", new_string: "x", explanation: "why" }))).toMatch(
      note,
    );
    expect(answerText(await zeph.callAny("read", { path: "src/none.txt", explanation: "why" }))).toMatch(note);
    expect(answerText(await zeph.callAny("bash", { command: "cat none", explanation: "why" }))).toMatch(note);
  });

  it("are refused of a call that another agent makes: it would make it with all of them", async () => {
    const { zeph } = await open();
    await expect(zeph.decide("read", { path: "src/a.txt", more: ["b"] })).rejects.toThrow(/"more" is not an argument/);
    await expect(zeph.decide("read", { file_path: "src/a.txt" })).resolves.toMatchObject({ verdict: expect.any(String) });
  });
});

it("a conversation keeps a call under the tool's own names", async () => {
  const place = openPlace();
  const model = modelSaying([asks("read", { file_path: "src/a.txt", explanation: "why" })], [says("done")]);
  const agent = await agentIn(place, model);
  closing.push(agent.close);
  await all(agent.send("go"));
  const said = model.given[1]!.messages.find((message) => message.role === "assistant");
  expect(said).toMatchObject({ parts: [{ type: "request", name: "read", args: { path: "src/a.txt" } }] });
});
