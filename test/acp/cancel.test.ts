import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { ToolRequest } from "../../src/core/request.ts";
import type { EditorAgents, EditorSession } from "../../src/front/acp/editor-agents.ts";
import { serveEditor } from "../../src/front/acp/serve.ts";
import type { Model } from "../../src/index.ts";
import { asks, modelSaying, says } from "../talking.ts";
import { editorOn, pair, room, until } from "./editor.ts";

const { session: on } = methods.agent;
const FULL = { autonomy: "full" };

/** A model that begins to speak and then listens to nobody. */
const hanging = (): Model => {
  let turn = 0;
  return {
    id: "test/hanging",
    async *stream() {
      yield says(turn === 0 ? "Well" : "Here I am");
      if (turn++ === 0) await new Promise(() => {});
    },
  };
};

describe("cancel", () => {
  test("ends a model that hangs, and the next prompt works", async () => {
    const { editor, place } = await room({ model: hanging() });
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "go");
    await until("it speaks", () => editor.text() === "Well");
    const began = performance.now();
    await editor.agent.notify(on.cancel, { sessionId });
    expect(await turn).toBe("cancelled");
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await editor.prompt(sessionId, "again")).toBe("end_turn");
    expect(editor.text()).toMatch(/Here I am$/);
  });

  test("ends a command, which is then over", async () => {
    const { editor, place } = await room({ model: modelSaying([asks("bash", { command: "sleep 60" })], [says("x")]), config: FULL });
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "go");
    await until("it runs", () => editor.of("tool_call").length === 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const began = performance.now();
    await editor.agent.notify(on.cancel, { sessionId });
    expect(await turn).toBe("cancelled");
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
    const told = editor.told.length;
    expect(await editor.prompt(sessionId, "again")).toBe("end_turn");
    // Of the call that was cancelled nothing more is told.
    expect(editor.told.slice(told).filter(({ update }) => update.sessionUpdate === "tool_call_update")).toEqual([]);
  });

  test("is answered at once where the tool itself hangs", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("bash", { command: "echo hi" })], [says("x")]),
      config: FULL,
      can: { terminal: true },
      opening: () => new Promise(() => {}),
    });
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "go");
    await until("a terminal is asked for", () => editor.order.includes("terminal/create"));
    const began = performance.now();
    await editor.agent.notify(on.cancel, { sessionId });
    expect(await turn).toBe("cancelled");
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  test("is answered where nothing listens to it, and what was running is told as failed", async () => {
    const deaf: EditorSession = {
      cwd: "/",
      warnings: [],
      async *send() {
        yield { type: "tool_start", request: ToolRequest.from({ id: "c1", name: "read", args: { path: "a" } })! };
        await new Promise(() => {});
      },
      commands: () => [],
      openQuestions: async () => [],
      async *history() {},
      models: () => ({ current: "m", options: [] }),
      useModel: async () => {},
      redact: (text) => text,
      autonomy: () => "full",
      chooseAutonomy() {},
      close: async () => {},
    };
    const desk: EditorAgents = {
      begin: async () => deaf,
      refusal: () => null,
      resume: async () => null,
      list: async () => [],
      delete: async () => false,
    };
    const [ours, theirs] = pair();
    serveEditor(ours, desk, { version: "1" });
    const editor = editorOn(theirs);
    await editor.initialize();
    const sessionId = await editor.begin("/");
    const turn = editor.prompt(sessionId, "go");
    await until("it runs", () => editor.of("tool_call").length === 1);
    const began = performance.now();
    await editor.agent.notify(on.cancel, { sessionId });
    expect(await turn).toBe("cancelled");
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(editor.of("tool_call_update")).toMatchObject([{ toolCallId: "c1", status: "failed" }]);
  });

  test("of the request itself counts, too", async () => {
    const { editor, place } = await room({ model: hanging() });
    const sessionId = await editor.begin(place.work);
    const stop = new AbortController();
    const turn = editor.agent.request(
      on.prompt,
      { sessionId, prompt: [{ type: "text", text: "go" }] },
      { cancellationSignal: stop.signal },
    );
    await until("it speaks", () => editor.text() === "Well");
    stop.abort();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
  });

  test("of nothing, and of nobody, is nothing", async () => {
    const { editor, place } = await room({ model: modelSaying([says("a")]) });
    const sessionId = await editor.begin(place.work);
    await editor.agent.notify(on.cancel, { sessionId });
    await editor.agent.notify(on.cancel, { sessionId: "nobody" });
    expect(await editor.prompt(sessionId, "hello")).toBe("end_turn");
  });

  test("and a prompt right behind it: the second waits for the end of the first", async () => {
    const { editor, place } = await room({ model: hanging() });
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "go");
    await until("it speaks", () => editor.text() === "Well");
    void editor.agent.notify(on.cancel, { sessionId });
    const next = editor.prompt(sessionId, "again");
    expect(await turn).toBe("cancelled");
    expect(await next).toBe("end_turn");
  });

  test("a second prompt beside the first is refused and harms nobody", async () => {
    const { editor, place } = await room({ model: hanging() });
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "go");
    await until("it speaks", () => editor.text() === "Well");
    await expect(editor.prompt(sessionId, "and this")).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining("middle of a turn"),
    });
    await editor.agent.notify(on.cancel, { sessionId });
    expect(await turn).toBe("cancelled");
  });

  test("closing a session ends what runs in it", async () => {
    const { editor, place } = await room({ model: hanging() });
    const sessionId = await editor.begin(place.work);
    const turn = editor.prompt(sessionId, "go");
    await until("it speaks", () => editor.text() === "Well");
    await editor.agent.request(on.close, { sessionId });
    expect(await turn).toBe("cancelled");
  });
});
