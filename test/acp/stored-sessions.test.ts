import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { asks, modelSaying, says } from "../talking.ts";
import { chunkText, contentText, room, until } from "./editor.ts";

const { session: on } = methods.agent;
const talk = () =>
  modelSaying([{ type: "thinking", text: "hm" }, says("I look."), asks("read", { path: "a.txt" })], [says("It says one.")], [says("more")]);

describe("a session that was left", () => {
  test("is shown again by load, and goes on", async () => {
    const { editor, place, again } = await room({ model: talk() });
    writeFileSync(join(place.work, "a.txt"), "one\n");
    const sessionId = await editor.begin(place.work);
    await editor.prompt(sessionId, "what is in a.txt?");
    const callId = editor.of("tool_call")[0]!.toolCallId;

    const model = modelSaying([says("Again.")]);
    const other = await again({ model });
    const answer = await other.agent.request(on.load, { sessionId, cwd: place.work, mcpServers: [] });
    expect(answer.modes?.currentModeId).toBe("supervised");
    expect(answer.configOptions?.map(({ id }) => id)).toEqual(["autonomy", "model"]);
    expect(other.order).toEqual([
      "user_message_chunk",
      "agent_thought_chunk",
      "agent_message_chunk",
      "tool_call",
      "tool_call_update",
      "agent_message_chunk",
    ]);
    expect(other.of("user_message_chunk").map(chunkText)).toEqual(["what is in a.txt?"]);
    expect(other.of("tool_call")[0]).toMatchObject({ toolCallId: callId, title: "Read a.txt", kind: "read", rawInput: { path: "a.txt" } });
    expect(other.of("tool_call_update")[0]).toMatchObject({ toolCallId: callId, status: "completed" });
    expect(contentText(other.of("tool_call_update")[0]!.content)).toContain("1\tone");
    await until("commands are announced", () => other.order.at(-1) === "available_commands_update");
    await other.prompt(sessionId, "go on");
    expect(model.given[0]!.messages.length).toBeGreaterThan(4);
  });

  test("shows the pieces that were changed, as far as they were kept", async () => {
    const pieces = [
      asks("edit", { path: "a.txt", old_string: "two", new_string: "2" }),
      asks("edit", { path: "a.txt", old_string: "no", new_string: "x" }),
    ];
    const model = modelSaying([pieces[0]!], [pieces[1]!], [asks("write", { path: "b.txt", content: "new\n" })], [says("done")]);
    const { editor, place, again } = await room({ model, config: { autonomy: "full" } });
    writeFileSync(join(place.work, "a.txt"), "one\ntwo\n");
    const sessionId = await editor.begin(place.work);
    await editor.prompt(sessionId, "change it");
    const other = await again();
    await other.agent.request(on.load, { sessionId, cwd: place.work, mcpServers: [] });
    const shown = other.of("tool_call_update").map(({ content }) => (content ?? []).filter(({ type }) => type === "diff"));
    // What failed changed nothing, and what a whole file replaced is not kept.
    expect(shown).toEqual([[{ type: "diff", path: join(place.work, "a.txt"), oldText: "two", newText: "2" }], [], []]);
  });

  test("is resumed without being shown", async () => {
    const { editor, place, again } = await room({ model: talk() });
    const sessionId = await editor.begin(place.work);
    await editor.prompt(sessionId, "hello");
    const model = modelSaying([says("Again.")]);
    const other = await again({ model });
    const answer = await other.agent.request(on.resume, { sessionId, cwd: place.work });
    expect(other.told).toEqual([]);
    expect(answer.modes?.currentModeId).toBe("supervised");
    await other.prompt(sessionId, "go on");
    expect(model.given[0]!.messages[0]).toMatchObject({ text: "hello" });
  });

  test("belongs to its folder, and one that nobody knows is not found", async () => {
    const { editor, place, again } = await room({ model: talk() });
    const sessionId = await editor.begin(place.work);
    await editor.prompt(sessionId, "hello");
    const elsewhere = join(place.T, "elsewhere");
    mkdirSync(elsewhere);
    const other = await again();
    const load = (sessionId: string, cwd: string) => other.agent.request(on.load, { sessionId, cwd, mcpServers: [] });
    await expect(load(sessionId, elsewhere)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/belongs to .*work, .*Open it there/),
    });
    await expect(load("11111111-2222-3333-4444-555555555555", place.work)).rejects.toMatchObject({ code: -32002 });
    await expect(other.prompt("nobody", "hi")).rejects.toMatchObject({ code: -32002 });
    // It was opened by nobody meanwhile.
    await expect(other.prompt(sessionId, "hi")).rejects.toMatchObject({ code: -32002 });
    // The open one is asked about its folder, too.
    await expect(editor.agent.request(on.load, { sessionId, cwd: elsewhere, mcpServers: [] })).rejects.toMatchObject({ code: -32602 });
  });

  test("loaded twice at once it is one", async () => {
    const { editor, place, again } = await room({ model: talk() });
    const sessionId = await editor.begin(place.work);
    await editor.prompt(sessionId, "hello");
    const other = await again({ model: modelSaying([says("x")]) });
    const load = () => other.agent.request(on.load, { sessionId, cwd: place.work, mcpServers: [] });
    await Promise.all([load(), load()]);
    expect(await other.prompt(sessionId, "hi")).toBe("end_turn");
  });
});

describe("the list", () => {
  test("names them, newest first, of one folder or all, a page at a time", async () => {
    const turns = Array.from({ length: 60 }, () => [says("ok")]);
    const { editor, place } = await room({ model: modelSaying(...turns) });
    const ids: string[] = [];
    for (let n = 0; n < 53; n++) {
      const id = await editor.begin(place.work);
      await editor.prompt(id, `talk ${n}`);
      ids.unshift(id);
      await editor.agent.request(on.close, { sessionId: id });
    }
    const first = await editor.agent.request(on.list, { cwd: place.work });
    expect(first.sessions[0]).toEqual({
      sessionId: ids[0],
      cwd: place.work,
      title: "talk 52",
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(first.sessions).toHaveLength(50);
    const second = await editor.agent.request(on.list, { cwd: place.work, cursor: first.nextCursor! });
    expect([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)).toEqual(ids);
    expect(second.nextCursor).toBeUndefined();
    expect((await editor.agent.request(on.list, { cwd: place.T })).sessions).toEqual([]);
    expect((await editor.agent.request(on.list, {})).sessions).toHaveLength(50);
    await expect(editor.agent.request(on.list, { cursor: "what'); drop" })).rejects.toMatchObject({ code: -32602 });
  });

  test("what is closed is gone from here and can be loaded; what is deleted is gone", async () => {
    const { editor, place } = await room({ model: modelSaying([says("a")], [says("b")]) });
    const sessionId = await editor.begin(place.work);
    await editor.prompt(sessionId, "hello");
    await editor.agent.request(on.close, { sessionId });
    await expect(editor.prompt(sessionId, "hi")).rejects.toMatchObject({ code: -32002 });
    await editor.agent.request(on.load, { sessionId, cwd: place.work, mcpServers: [] });
    await editor.agent.request(on.delete, { sessionId });
    await expect(editor.prompt(sessionId, "hi")).rejects.toMatchObject({ code: -32002 });
    await expect(editor.agent.request(on.load, { sessionId, cwd: place.work, mcpServers: [] })).rejects.toMatchObject({ code: -32002 });
    expect(await editor.agent.request(on.delete, { sessionId })).toEqual({});
    expect((await editor.agent.request(on.list, {})).sessions).toEqual([]);
  });
});
