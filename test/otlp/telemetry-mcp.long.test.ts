import { resolve } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, onTestFinished } from "vitest";
import { BIN, box, jsonLines } from "../e2e/zeph.ts";
import { CLIENTS, claudeBash, openHookdBox, untilGone } from "../hook/hookd-box.ts";
import { receiver } from "./receiver.ts";

const TRACE = "ab".repeat(16);
const TRACEPARENT = `00-${TRACE}-${"cd".repeat(8)}-01`;
const MODULES = resolve("node_modules");

/** Answers with the trace context that came with the call. */
const SERVER = `import { McpServer } from "${MODULES}/@modelcontextprotocol/server/dist/index.mjs";
import { serveStdio } from "${MODULES}/@modelcontextprotocol/server/dist/stdio.mjs";
import * as z from "${MODULES}/zod/index.js";
serveStdio(() => {
  const server = new McpServer({ name: "echo", version: "1" }, { capabilities: { tools: {} } });
  server.registerTool("context", { description: "Says what came.", inputSchema: z.object({}) }, (_args, ctx) => ({
    content: [{ type: "text", text: String(ctx.mcpReq._meta?.traceparent) + " " + JSON.stringify(process.env) }],
  }));
  server.registerTool("fails", { description: "Fails.", inputSchema: z.object({}) }, () => ({ isError: true, content: [] }));
  return server;
}, { legacy: process.argv[2] === "modern" ? "reject" : "serve" });
`;

describe("A call to an MCP server", () => {
  it.each(["modern", "either"])("carries the trace to the server, which speaks %s revisions", async (era) => {
    const collector = await receiver();
    const here = box();
    here.write("server.mjs", SERVER);
    here.config(
      `[[mcp.servers]]\nname = "echo"\ncommand = "${process.execPath}"\nargs = ["\${WORKSPACE}/server.mjs", "${era}"]\nallow_read = ["${MODULES}"]\n`,
    );
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_HEADERS: "authorization=hidden-token", TRACEPARENT };
    const { stdout, stderr } = await here.runProcess(["call", "mcp__echo__context", "{}", "--yes"], { env });
    const sent = collector.spans().find(({ name }) => name === "tools/call context");
    expect(sent, stderr).toMatchObject({
      traceId: TRACE,
      kind: 3,
      failed: false,
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "context",
        "mcp.protocol.version": expect.stringMatching(/^202\d-/),
        "network.transport": "pipe",
        "zeph.mcp.server": "echo",
      },
    });
    expect(stdout).toContain(`00-${TRACE}-${sent!.spanId}-01`);
    expect(stdout).not.toMatch(/OTEL_|hidden-token/);
    const above = collector.spans().find(({ spanId }) => spanId === sent!.parentSpanId);
    expect(above!.name).toBe("run");
    await here.runProcess(["call", "mcp__echo__fails", "{}", "--yes"], { env });
    expect(collector.spans().find(({ name }) => name === "tools/call fails")).toMatchObject({
      failed: true,
      attributes: { "error.type": "tool_error" },
    });
  });

  it("carries nothing where nobody watches", async () => {
    const here = box();
    here.write("server.mjs", SERVER);
    here.config(
      `[[mcp.servers]]\nname = "echo"\ncommand = "${process.execPath}"\nargs = ["\${WORKSPACE}/server.mjs"]\nallow_read = ["${MODULES}"]\n`,
    );
    expect((await here.runProcess(["call", "mcp__echo__context", "{}", "--yes"])).stdout).toMatch(/^undefined /);
  });
});

describe("The MCP server", () => {
  it.each(["2025-11-25", "2026-07-28"])("goes on with the trace of a client that speaks %s", async (revision) => {
    const collector = await receiver();
    const here = box();
    here.write("a.txt", "a\n");
    const pin = revision === "2026-07-28" ? { versionNegotiation: { mode: { pin: revision } } } : {};
    const client = new Client({ name: "test", version: "1" }, { capabilities: {}, ...pin });
    const env = { ...here.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    await client.connect(new StdioClientTransport({ command: process.execPath, args: [BIN, "mcp"], cwd: here.cwd, env, stderr: "ignore" }));
    onTestFinished(() => client.close());
    await client.callTool({ name: "read", arguments: { path: "a.txt" }, _meta: { traceparent: TRACEPARENT } });
    await client.callTool({ name: "read", arguments: { path: "/etc/shadow" }, _meta: { traceparent: "nonsense" } });
    await client.callTool({ name: "a private name", arguments: {} }).catch(() => {});
    await client.close();
    await expect.poll(() => collector.spans().some(({ name }) => name === "tools/call (unknown)")).toBe(true);
    const spans = collector.spans();
    const [first, second] = spans.filter(({ name }) => name === "tools/call read");
    expect(first).toMatchObject({
      traceId: TRACE,
      parentSpanId: "cd".repeat(8),
      kind: 2,
      attributes: {
        "mcp.method.name": "tools/call",
        "gen_ai.tool.name": "read",
        "mcp.protocol.version": revision,
        "network.transport": "pipe",
        "jsonrpc.request.id": expect.any(String),
      },
    });
    expect(spans.filter(({ name, traceId }) => name === "execute_tool read" && traceId === TRACE)).toMatchObject([
      { parentSpanId: first!.spanId },
    ]);
    expect(second).toMatchObject({ failed: true, parentSpanId: undefined, attributes: { "error.type": "tool_error" } });
    expect(JSON.stringify(spans)).not.toMatch(/private|shadow|a\.txt/);
  });
});

describe("A hook of another agent", () => {
  it("is a span with the name of that agent and of its tool", async () => {
    const collector = await receiver();
    const here = box();
    const asked = {
      session_id: "s-1",
      cwd: here.cwd,
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      tool_input: { command: "sudo a-private-thing" },
      tool_use_id: "toolu_1",
    };
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const run = await here.runProcess(["hook", "run", "claude", "pre"], { input: JSON.stringify(asked), env });
    expect(jsonLines(run.stdout)).toMatchObject([{ hookSpecificOutput: { permissionDecision: "deny" } }]);
    expect(collector.spans()).toMatchObject([
      {
        name: "execute_tool Bash",
        failed: true,
        attributes: {
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": "Bash",
          "gen_ai.tool.call.id": "toolu_1",
          "gen_ai.agent.name": "claude",
          "gen_ai.conversation.id": "s-1",
          "zeph.decision": "deny",
          "zeph.gate": expect.any(String),
          "error.type": "policy_blocked",
        },
      },
    ]);
    expect(JSON.stringify(collector.spans())).not.toContain("private");
  });

  it("and a command of zeph exec are told of by the resident process, the last of them when it ends", async () => {
    const collector = await receiver();
    const here = openHookdBox();
    onTestFinished(here.remove);
    Object.assign(here.env, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "600000" });
    await here.warm();
    const [, client] = CLIENTS[0]!;
    await here.run([...client, "claude", "pre"], { stdin: claudeBash("sudo ls", here.work) });
    await here.run([process.execPath, BIN, "exec", "--", "ls"]);
    const pid = (await here.hello())!.pid;
    process.kill(pid, "SIGTERM");
    await untilGone(pid);
    const told = collector.spans().map(({ name, attributes }) => `${name} ${attributes["gen_ai.agent.name"] ?? ""}`);
    expect(told).toEqual(expect.arrayContaining(["execute_tool Bash claude", "execute_tool bash "]));
  });
});
