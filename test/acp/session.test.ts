import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { asks, modelSaying, says } from "../talking.ts";
import type { Workspace } from "../workspace.ts";
import { chunkText, contentText, room, until } from "./editor.ts";

const { session: on } = methods.agent;

describe("initialize", () => {
  test("what is offered", async () => {
    const { editor } = await room({ model: modelSaying() });
    expect(await editor.initialize()).toEqual({
      protocolVersion: 1,
      agentInfo: { name: "zeph", title: "Zeph", version: "0.0.0" },
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
    });
  });

  test("a newer version is answered with ours, an older one with an error", async () => {
    const { editor } = await room({ model: modelSaying() });
    const at = (protocolVersion: number) => editor.agent.request(methods.agent.initialize, { protocolVersion });
    expect((await at(7)).protocolVersion).toBe(1);
    await expect(at(0)).rejects.toThrow(/version/i);
  });
});

describe("a new session", () => {
  test("has modes and options, and its commands come after the answer", async () => {
    const { editor, place } = await room({ model: modelSaying(), config: { autonomy: "readonly" } });
    const answer = await editor.agent.request(on.new, { cwd: place.work, mcpServers: [] });
    expect(editor.of("available_commands_update")).toEqual([]);
    expect(answer.modes?.currentModeId).toBe("readonly");
    expect(answer.modes?.availableModes.map(({ id }) => id)).toEqual(["readonly", "supervised", "edits", "full"]);
    expect(answer.configOptions).toMatchObject([
      { id: "autonomy", category: "mode", type: "select", currentValue: "readonly" },
      { id: "model", category: "model", type: "select", currentValue: "test/model", options: [{ value: "test/model" }] },
    ]);
    await until("commands are announced", () => editor.of("available_commands_update").length === 1);
    const names = editor.of("available_commands_update")[0]!.availableCommands.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["help", "status", "compact", "policy", "plan"]));
  });

  test.each([
    ["relative", "work", /absolute/],
    ["not there", "/nowhere/at/all", /not there/],
    ["a file", "/etc/hostname", /not a folder/],
  ])("a cwd that is %s is refused", async (_name, cwd, why) => {
    const { editor } = await room({ model: modelSaying() });
    await expect(editor.begin(cwd)).rejects.toMatchObject({ code: -32602, message: expect.stringMatching(why) });
  });

  test("many at once are all opened, and do not mix", async () => {
    const { editor, place } = await room({ model: modelSaying([says("one")], [says("two")], [says("three")]) });
    const ids = await Promise.all([1, 2, 3].map(() => editor.begin(place.work)));
    expect(new Set(ids).size).toBe(3);
    await Promise.all(ids.map((id) => editor.prompt(id, "hello")));
    for (const id of ids)
      expect(editor.told.filter((t) => t.sessionId === id && t.update.sessionUpdate === "agent_message_chunk")).toHaveLength(1);
  });

  test("without a model it opens, and a prompt says what is missing", async () => {
    const { editor, place } = await room({
      config: { llm: { providers: [{ name: "a", type: "anthropic", model: "m", api_key_env: "ZEPH_NO_SUCH_KEY" }] } },
    });
    const id = await editor.begin(place.work);
    expect(await editor.prompt(id, "hello")).toBe("end_turn");
    expect(editor.text()).toMatch(/ZEPH_NO_SUCH_KEY.*keys\.toml/);
  });
});

describe("a prompt", () => {
  test("is in the audit log by its session, and what a call found is told by whole paths", async () => {
    const model = modelSaying([asks("grep", { pattern: "needle" }), asks("list_directory", { path: "." })], [says("done")]);
    const { editor, place } = await room({ model });
    writeFileSync(join(place.work, "a.txt"), "a needle\n");
    const id = await editor.begin(place.work);
    await editor.prompt(id, "look");
    const locations = editor.of("tool_call_update").flatMap(({ locations }) => locations ?? []);
    expect(locations.length).toBeGreaterThan(0);
    for (const { path } of locations) expect(path.startsWith(place.work)).toBe(true);
    const lines = place
      .audit()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const calls = lines.filter(({ kind }) => kind === "call");
    expect(calls.map(({ caller_id }) => caller_id)).toEqual([id, id]);
  });

  test("text, thinking and a call are told, and where things are", async () => {
    const model = modelSaying(
      [{ type: "thinking", text: "hm" }, says("I look. "), asks("read", { path: "a.txt", offset: 2 })],
      [says("It says two.")],
    );
    const { editor, place } = await room({ model });
    writeFileSync(join(place.work, "a.txt"), "one\ntwo\n");
    const id = await editor.begin(place.work);
    expect(await editor.prompt(id, "what is in a.txt?")).toBe("end_turn");
    expect(editor.of("agent_thought_chunk").map(chunkText)).toEqual(["hm"]);
    expect(editor.text()).toBe("I look. It says two.");
    const [call] = editor.of("tool_call");
    expect(call).toMatchObject({
      toolCallId: expect.stringMatching(/^[0-9a-f]{8}-/),
      title: "Read a.txt",
      name: "read",
      kind: "read",
      status: "in_progress",
      rawInput: { path: "a.txt", offset: 2 },
      locations: [{ path: join(place.work, "a.txt"), line: 2 }],
    });
    const [update] = editor.of("tool_call_update");
    expect(update).toMatchObject({ toolCallId: call!.toolCallId, status: "completed", rawOutput: { ok: true } });
    expect(contentText(update!.content)).toBe("```\n2\ttwo\n```");
  });

  test("links, files and pictures become one text", async () => {
    const model = modelSaying([says("ok")]);
    const { editor, place } = await room({ model });
    const sessionId = await editor.begin(place.work);
    await editor.agent.request(on.prompt, {
      sessionId,
      prompt: [
        { type: "text", text: "Look at " },
        { type: "resource_link", name: "a.ts", uri: "file:///w/a.ts" },
        { type: "text", text: " please." },
        { type: "resource", resource: { uri: "file:///w/b.md", text: "# b\n```\nx\n```\n" } },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ],
    });
    expect(model.given[0]!.messages[0]).toMatchObject({
      text: "Look at [a.ts](file:///w/a.ts) please.\n\nfile:///w/b.md\n````\n# b\n```\nx\n```\n````\n\n[image: left out]",
    });
    expect(editor.text()).toMatch(/Images are not sent/);
  });

  test.each([
    ["nothing", "   ", /empty/],
    ["more than anybody writes", "x".repeat(1_000_001), /longer than/],
  ])("%s is refused", async (_name, text, why) => {
    const { editor, place } = await room({ model: modelSaying() });
    await expect(editor.prompt(await editor.begin(place.work), text)).rejects.toThrow(why);
  });

  test("only what the person typed is a command: the name of a file is none", async () => {
    const model = modelSaying([says("heard")], [says("heard")]);
    const { editor, place } = await room({ model });
    const sessionId = await editor.begin(place.work);
    const named = { type: "resource", resource: { uri: "/status", text: "x" } } as const;
    for (const first of [" ", ""]) await editor.agent.request(on.prompt, { sessionId, prompt: [{ type: "text", text: first }, named] });
    expect(editor.text()).toBe("heardheard");
    expect(model.given).toHaveLength(2);
    expect(await editor.prompt(sessionId, " /help")).toBe("end_turn");
    expect(editor.text()).toContain("/status");
  });

  test("is opened neither in / nor in the home nor where Zeph's own files are, under whatever name", async () => {
    const { editor, place } = await room({ model: modelSaying() });
    symlinkSync(place.state, join(place.work, "link"));
    mkdirSync(join(place.state), { recursive: true });
    const folders = ["/", homedir(), dirname(homedir()), place.state, dirname(place.state), join(place.work, "link")];
    for (const cwd of folders) {
      expect([cwd, await editor.begin(cwd).catch((error: Error) => error)]).toMatchObject([cwd, { code: -32602 }]);
      const loaded = editor.agent.request(on.load, { cwd, sessionId: "1", mcpServers: [] });
      await expect(loaded).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(/no session may work .*Open a folder of a project/),
      });
    }
    expect(await editor.begin(place.work)).toEqual(expect.any(String));
  });

  test("a change is shown as a diff with whole paths", async () => {
    const model = modelSaying(
      [asks("edit", { path: "a.txt", old_string: "two", new_string: "2" }), asks("write", { path: "n/b.txt", content: "new\n" })],
      [says("done")],
    );
    const { editor, place } = await room({ model, config: { autonomy: "full" } });
    writeFileSync(join(place.work, "a.txt"), "one\ntwo\nthree");
    const id = await editor.begin(place.work);
    await editor.prompt(id, "change it");
    const diffs = editor.of("tool_call_update").flatMap(({ content }) => (content ?? []).filter((part) => part.type === "diff"));
    // Both run at once, and whichever ends first is told first.
    expect(diffs.sort((a, b) => a.path.localeCompare(b.path))).toEqual([
      { type: "diff", path: join(place.work, "a.txt"), oldText: "one\ntwo\nthree", newText: "one\n2\nthree" },
      { type: "diff", path: join(place.work, "n/b.txt"), oldText: null, newText: "new\n" },
    ]);
    expect(editor.of("tool_call").map(({ kind }) => kind)).toEqual(["edit", "edit"]);
  });

  test("usage and the plan are told", async () => {
    const plan = JSON.stringify({
      tasks: [
        { title: "look", needs: [] },
        { title: "act", needs: [1] },
      ],
    });
    const model = modelSaying(
      [says(plan)],
      [says("x"), { type: "end", finish: "stop", usage: { input: 50, cacheRead: 0, cacheWrite: 0, output: 5 } }],
    );
    const { editor, place } = await room({ model });
    const id = await editor.begin(place.work);
    await editor.prompt(id, "/plan tidy up the shop");
    expect(editor.of("plan").at(-1)?.entries).toEqual([
      { content: "look", priority: "medium", status: "pending" },
      { content: "act", priority: "medium", status: "pending" },
    ]);
    await editor.prompt(id, "/plan task 1 done");
    expect(editor.of("plan").at(-1)?.entries[0]).toMatchObject({ status: "completed" });
    await editor.prompt(id, "hello");
    expect(editor.of("usage_update").at(-1)).toMatchObject({ used: expect.any(Number), size: 100_000 });
  });

  test("a failing model is said in words, and the next prompt works", async () => {
    const model = modelSaying(
      async function* () {
        yield says("");
        throw new Error("boom");
      },
      [says("back")],
    );
    const { editor, place } = await room({ model });
    const id = await editor.begin(place.work);
    expect(await editor.prompt(id, "hello")).toBe("end_turn");
    expect(editor.text()).toMatch(/boom/);
    expect(await editor.prompt(id, "again")).toBe("end_turn");
    expect(editor.text()).toMatch(/back$/);
  });

  test("a limit is the reason to stop", async () => {
    const turns = Array.from({ length: 30 }, (_, n) => [asks("read", { path: `${n}.txt` })]);
    const { editor, place } = await room({ model: modelSaying(...turns), config: { agent: { max_tool_iterations: 3 } } });
    expect(await editor.prompt(await editor.begin(place.work), "go")).toBe("max_turn_requests");
    const long = await room({ model: modelSaying([says("cut"), { type: "end", finish: "length" }]) });
    expect(await long.editor.prompt(await long.editor.begin(long.place.work), "go")).toBe("max_tokens");
  });
});

describe("slash commands", () => {
  test("are run, and their text is the answer", async () => {
    const model = modelSaying();
    const { editor, place } = await room({ model });
    const id = await editor.begin(place.work);
    expect(await editor.prompt(id, "/status")).toBe("end_turn");
    expect(editor.text()).toMatch(/autonomy +supervised/);
    expect(await editor.prompt(id, "/policy nonsense")).toBe("end_turn");
    expect(editor.text()).toMatch(/nonsense/);
    expect(model.given).toEqual([]);
  });

  test("a path and an unknown name go to the model", async () => {
    const model = modelSaying([says("a")], [says("b")]);
    const { editor, place } = await room({ model });
    const id = await editor.begin(place.work);
    await editor.prompt(id, "/etc/hosts is what?");
    await editor.prompt(id, "/nosuch thing");
    expect(model.given).toHaveLength(2);
  });

  test("a file that begins with a slash is no command", async () => {
    const model = modelSaying([says("a")]);
    const { editor, place } = await room({ model });
    const sessionId = await editor.begin(place.work);
    await editor.agent.request(on.prompt, { sessionId, prompt: [{ type: "resource", resource: { uri: "/status", text: "x" } }] });
    expect(model.given).toHaveLength(1);
  });
});

describe("modes and options", () => {
  test("a mode counts at once, and both views are told", async () => {
    const model = modelSaying([asks("write", { path: "x", content: "" })], [says("no")]);
    const { editor, place } = await room({ model });
    const sessionId = await editor.begin(place.work);
    await editor.agent.request(on.setMode, { sessionId, modeId: "readonly" });
    expect(editor.of("config_option_update")[0]!.configOptions[0]).toMatchObject({ id: "autonomy", currentValue: "readonly" });
    await editor.prompt(sessionId, "write it");
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
    const answer = await editor.agent.request(on.setConfigOption, { sessionId, configId: "autonomy", value: "full" });
    expect(answer.configOptions[0]).toMatchObject({ currentValue: "full" });
    expect(editor.of("current_mode_update").at(-1)).toMatchObject({ currentModeId: "full" });
  });

  test("what is not there is refused", async () => {
    const { editor, place } = await room({ model: modelSaying() });
    const sessionId = await editor.begin(place.work);
    const set = (configId: string, value: string) => editor.agent.request(on.setConfigOption, { sessionId, configId, value });
    await expect(editor.agent.request(on.setMode, { sessionId, modeId: "god" })).rejects.toMatchObject({ code: -32602 });
    await expect(set("model", "nobody")).rejects.toMatchObject({ code: -32602 });
    await expect(set("colour", "red")).rejects.toMatchObject({ code: -32602 });
  });

  test("another model answers from the next prompt on, also when it is chosen in the middle of a turn", async () => {
    const script = (place: Workspace, name: string) => {
      writeFileSync(
        join(place.T, name),
        JSON.stringify([[{ type: "text", text: `I am ${name}. ` }], [{ type: "text", text: `Still ${name}. ` }]]),
      );
      return { name, type: "script", model: join(place.T, name) };
    };
    const { editor, place } = await room({
      config: (place) => ({ llm: { providers: ["one", "two"].map((name) => script(place, name)) } }),
    });
    const sessionId = await editor.begin(place.work);
    const use = (value: string) => editor.agent.request(on.setConfigOption, { sessionId, configId: "model", value });
    const first = editor.prompt(sessionId, "who are you?");
    expect((await use("two")).configOptions[1]).toMatchObject({ currentValue: "two" });
    await first;
    await editor.prompt(sessionId, "and now?");
    expect((await use("one")).configOptions[1]).toMatchObject({ currentValue: "one" });
    await editor.prompt(sessionId, "and now?");
    expect(editor.text()).toBe("I am one. I am two. I am one. ");
  });
});

describe("what is told besides", () => {
  const odd = { tools: { sandbox: { enabled: false } } };

  test("waits for the first prompt, where the editor knows no notices", async () => {
    const { editor, place } = await room({ model: modelSaying([says("hello")]), config: odd });
    const id = await editor.begin(place.work);
    expect(editor.of("agent_message_chunk")).toEqual([]);
    await editor.prompt(id, "hi");
    expect(editor.text()).toMatch(/^Warning: tools\.sandbox\.enabled is false.*hello$/s);
  });

  test("is a notice where the editor shows those", async () => {
    const { editor, place } = await room({ model: modelSaying([says("hello")]), config: odd, can: { session: { notices: {} } } });
    const id = await editor.begin(place.work);
    await editor.prompt(id, "hi");
    expect(editor.of("notice")).toMatchObject([{ severity: "warning", title: expect.stringContaining("tools.sandbox.enabled is false") }]);
    expect(editor.text()).toBe("hello");
  });
});
