import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Zeph } from "../../src/index.ts";
import { type ClaudeAgentTools, governClaudeAgent, toClaudeAgentTools } from "../../src/runtime/adapters/claude-agent-sdk.ts";
import { type Workspace, workspace } from "../workspace.ts";

const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
const RULES = {
  write: [{ pattern: "*", action: "ask" }],
  bash: [
    { pattern: "touch wiped", action: "deny" },
    { pattern: "touch *", action: "ask" },
    { pattern: "echo *", action: "allow" },
  ],
};

let place: Workspace;
let zeph: Zeph;
beforeEach(async () => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "Hello.\n" }]);
  zeph = await place.runtime({ config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { permissions: RULES } } });
});
afterEach(async () => {
  await zeph.close();
  place.remove();
});

/** What Claude sends with each event. */
const heard = (event: string, tool_name: string, tool_input: unknown, more: object = {}) => ({
  session_id: "s-1",
  transcript_path: "/dev/null",
  cwd: place.work,
  hook_event_name: event,
  tool_name,
  tool_input,
  tool_use_id: "toolu_1",
  ...more,
});
type Options = Pick<ClaudeAgentTools, "hooks">;
const beforeTool = async ({ hooks }: Options, tool: string, input: unknown, more?: object) =>
  (await hooks.PreToolUse[0]!.hooks[0]!(heard("PreToolUse", tool, input, more), "toolu_1", {})).hookSpecificOutput;
const afterTool = async ({ hooks }: Options, tool: string, input: unknown, tool_response: unknown) =>
  (await hooks.PostToolUse[0]!.hooks[0]!(heard("PostToolUse", tool, input, { tool_response }), "toolu_1", {})).hookSpecificOutput;
const lines = () =>
  place
    .audit()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("A tool of Claude's own", () => {
  it("is denied, asked about or left to Claude, as the rules say", async () => {
    const ours = governClaudeAgent(zeph);
    expect(await beforeTool(ours, "Bash", { command: "touch wiped" })).toMatchObject({
      permissionDecision: "deny",
      permissionDecisionReason: expect.stringContaining("forbids touch wiped"),
    });
    expect(await beforeTool(ours, "Bash", { command: "touch web" })).toMatchObject({ permissionDecision: "ask" });
    expect(await beforeTool(ours, "Bash", { command: "echo hello" })).toBeUndefined();
    expect(await beforeTool(ours, "Read", { file_path: "/etc/shadow" })).toMatchObject({ permissionDecision: "deny" });
    expect(lines().map(({ tool, verdict, toolset }) => [tool, verdict, toolset])).toEqual([
      ["bash", "deny", "client:claude"],
      ["bash", "ask", "client:claude"],
      ["bash", "allow", "client:claude"],
      ["read", "deny", "client:claude"],
    ]);
  });
  it("is judged where Claude's shell stands, and not where the runtime does", async () => {
    const ours = governClaudeAgent(zeph);
    const elsewhere = { cwd: "/etc" };
    expect(await beforeTool(ours, "Read", { file_path: "shadow" }, elsewhere)).toMatchObject({ permissionDecision: "deny" });
    expect(await beforeTool(ours, "Grep", { pattern: "root" }, elsewhere)).toMatchObject({ permissionDecision: "deny" });
    expect(await beforeTool(ours, "Bash", { command: "echo x > hosts" }, elsewhere)).toMatchObject({
      permissionDecision: expect.stringMatching(/ask|deny/),
    });
  });
  it("shows no secret, and is settled", async () => {
    const ours = governClaudeAgent(zeph);
    await beforeTool(ours, "Bash", { command: "echo hello" });
    const response = { stdout: `the token is ${SECRET}`, stderr: "", interrupted: false };
    const said = await afterTool(ours, "Bash", { command: "echo hello" }, response);
    expect(said.updatedToolOutput.stdout).toMatch(/^the token is \[redacted:/);
    expect(lines().at(-1)).toMatchObject({ kind: "settled", outcome: "ok" });
    await ours.hooks.PostToolUseFailure[0]!.hooks[0]!(
      heard("PostToolUseFailure", "Bash", { command: "echo hello" }, { error: "no" }),
      "toolu_1",
      {},
    );
    expect(lines().at(-1)).toMatchObject({ kind: "settled", outcome: "failed" });
  });
  it("is denied where what Claude sent cannot be read, and where the runtime is closed", async () => {
    const ours = governClaudeAgent(zeph);
    expect(await beforeTool(ours, "Bash", "rm -rf /")).toMatchObject({ permissionDecision: "deny" });
    expect(await beforeTool(ours, "Bash", { command: 7 })).toMatchObject({ permissionDecision: expect.stringMatching(/ask|deny/) });
    const [{ hooks }] = ours.hooks.PreToolUse as unknown as [{ hooks: ((input: unknown) => Promise<object>)[] }];
    expect(await hooks[0]!(null)).toMatchObject({ hookSpecificOutput: { permissionDecision: "deny" } });
    await zeph.close();
    expect(await beforeTool(ours, "Bash", { command: "echo hello" })).toMatchObject({ permissionDecision: "deny" });
    expect(ours.hooks.PreToolUse[0]!.onFailure).toBe("block");
  });
  it("is not run with other arguments than those that were approved, unless the rules allow them", async () => {
    let updatedInput: object = { command: "touch everything" };
    const { hooks, canUseTool } = governClaudeAgent(zeph, { canUseTool: async () => ({ behavior: "allow", updatedInput }) });
    await beforeTool({ hooks }, "Bash", { command: "touch web" });
    const asked = () => canUseTool!("Bash", { command: "touch web" }, { toolUseID: "toolu_1" });
    expect(await asked()).toMatchObject({ behavior: "deny", message: expect.stringContaining("not those that were approved") });
    updatedInput = { command: "touch wiped" };
    expect(await asked()).toMatchObject({ behavior: "deny" });
    updatedInput = { command: "echo hello" };
    expect(await asked()).toEqual({ behavior: "allow", updatedInput });
    updatedInput = { command: "touch web" };
    expect(await asked()).toEqual({ behavior: "allow", updatedInput });
    updatedInput = { command: "echo hello" };
    expect(await canUseTool!("Bash", { command: "touch web" }, { toolUseID: "toolu_9" })).toMatchObject({ behavior: "deny" });
  });
});

describe("Zeph's tool in the Claude Agent SDK", () => {
  const args = { path: "b.txt", content: "b\n" };
  const written = () => existsSync(join(place.work, "b.txt"));
  const yes = async (_tool: string, updatedInput: object) => ({ behavior: "allow", updatedInput });

  it("is asked about, and runs once after the yes with the arguments that were shown", async () => {
    const ours = toClaudeAgentTools(zeph, { canUseTool: yes });
    const call = await connect(ours);
    expect(await beforeTool(ours, "mcp__zeph__write", args)).toMatchObject({ permissionDecision: "ask" });
    expect(await call("write", args)).toMatchObject({ isError: true });
    expect(await ours.canUseTool!("mcp__zeph__write", args, { toolUseID: "toolu_1" })).toMatchObject({ behavior: "allow" });
    expect(await call("write", { ...args, path: "c.txt" })).toMatchObject({ isError: true });
    expect(written()).toBe(false);
    expect(existsSync(join(place.work, "c.txt"))).toBe(false);
  });
  it("runs after the yes, and a second time only after another", async () => {
    const ours = toClaudeAgentTools(zeph, { canUseTool: yes });
    const call = await connect(ours);
    await beforeTool(ours, "mcp__zeph__write", args);
    await ours.canUseTool!("mcp__zeph__write", args, { toolUseID: "toolu_1" });
    expect(await call("write", args)).toMatchObject({ content: [{ text: expect.stringContaining("b.txt") }] });
    expect(written()).toBe(true);
    expect(await call("write", args)).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("used already") }] });
  });
  it("needs no question where the rules allow it, and none helps where they deny it", async () => {
    const ours = toClaudeAgentTools(zeph, { only: ["read"] });
    expect(ours.canUseTool).toBeUndefined();
    const call = await connect(ours);
    expect(await beforeTool(ours, "mcp__zeph__read", { path: "a.txt" })).toMatchObject({ permissionDecision: "allow" });
    expect(await call("read", { path: "a.txt" })).toMatchObject({ content: [{ text: expect.stringContaining("Hello.") }] });
    expect(await call("read", { path: "/etc/shadow" })).toMatchObject({ isError: true });
  });
  it("takes no yes with other arguments, and none for a server of the same name from elsewhere", async () => {
    const changing = toClaudeAgentTools(zeph, { canUseTool: async () => ({ behavior: "allow", updatedInput: { path: "x" } }) });
    expect(await changing.canUseTool!("mcp__zeph__write", args, { toolUseID: "toolu_1" })).toMatchObject({ behavior: "deny" });
    const ours = toClaudeAgentTools(zeph, { canUseTool: yes });
    expect(await beforeTool(ours, "mcp__zeph__write", args, { mcp_server: { name: "zeph", source: "project" } })).toBeUndefined();
  });
});

/** A connection to the server inside of the process, as the SDK makes it. */
async function connect({ mcpServers }: ClaudeAgentTools) {
  const answers = new Map<number, (message: any) => void>();
  const transport: any = {
    start: async () => {},
    close: async () => {},
    send: async (message: any) => answers.get(message.id)?.(message),
  };
  await mcpServers.zeph!.instance.connect(transport);
  let id = 0;
  const ask = (method: string, params: object): Promise<any> => {
    id += 1;
    const answer = new Promise((done) => answers.set(id, done));
    transport.onmessage({ jsonrpc: "2.0", id, method, params });
    return answer;
  };
  await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "claude", version: "1" } });
  transport.onmessage({ jsonrpc: "2.0", method: "notifications/initialized" });
  return async (name: string, given: object) =>
    (await ask("tools/call", { name, arguments: given, _meta: { "claudecode/toolUseId": "toolu_1" } })).result;
}
