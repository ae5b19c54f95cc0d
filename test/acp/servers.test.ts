import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, test } from "vitest";
import { asks, modelSaying, says } from "../talking.ts";
import { contentText, room } from "./editor.ts";

const { session: on } = methods.agent;

/** The least a server can be: one tool that says what it was given. */
const SERVER = `
process.stdin.setEncoding("utf8");
let rest = "";
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines.filter(Boolean)) {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize") answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
    else if (method === "tools/list") answer(id, { tools: [{ name: "shout", description: "Shout", inputSchema: { type: "object", properties: { text: { type: "string" } } } }] });
    else if (method === "tools/call") answer(id, { content: [{ type: "text", text: params.arguments.text.toUpperCase() + process.env.MARK }] });
    else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }) + "\\n");
  }
});
`;

describe("MCP servers of the editor", () => {
  test("their tools are called like any other; those that fail are told and stop nobody", async () => {
    const { editor, place } = await room({
      model: modelSaying([asks("mcp__my-shop__shout", { text: "hello" })], [says("ok")]),
      permit: () => ({ outcome: { outcome: "selected", optionId: "once" } }),
    });
    mkdirSync(join(place.work, "bin"));
    const file = join(place.work, "bin", "server.mjs");
    writeFileSync(file, SERVER);
    const { sessionId } = await editor.agent.request(on.new, {
      cwd: place.work,
      mcpServers: [
        { name: "my shop", command: process.execPath, args: [file], env: [{ name: "MARK", value: "!" }] },
        { name: "gone", command: "/nowhere/at/all", args: [], env: [] },
        { type: "sse", name: "old", url: "http://127.0.0.1:1/", headers: [] },
      ],
    });
    expect(await editor.prompt(sessionId, "shout")).toBe("end_turn");
    expect(editor.text()).toMatch(/"gone" of the editor failed/);
    expect(editor.text()).toMatch(/"old" of the editor is not used: it speaks the old SSE transport/);
    expect(editor.of("tool_call")[0]).toMatchObject({ name: "mcp__my-shop__shout", kind: "other", title: "mcp__my-shop__shout hello" });
    expect(editor.asked).toHaveLength(1);
    expect(contentText(editor.of("tool_call_update").at(-1)!.content)).toContain("HELLO!");
  });
});
