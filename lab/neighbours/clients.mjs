// The clients: which version, and how each is started for a cell.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLOSED_WAYS, LIVE_CLIENTS } from "../../dist/modules/hook/live/live-clients.js";
import { PROMPT } from "./model.mjs";

/** `wants`: the least Node it runs on; null for a program of its own. */
export const VERSIONS = {
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.325", wants: null },
  codex: { package: "@openai/codex", version: "0.166.0", wants: 16 },
  gemini: { package: "@google/gemini-cli", version: "0.61.0", wants: 20 },
  qwen: { package: "@qwen-code/qwen-code", version: "0.24.4", wants: 22 },
  opencode: { package: "opencode-ai", version: "1.18.33", wants: null },
  pi: { package: "@earendil-works/pi-coding-agent", version: "0.87.1", wants: 22 },
  copilot: { package: "@github/copilot", version: "1.0.102", wants: 22 },
};

/** A client of `zeph hook test --live`, with what only these cells need besides. `furnish` writes its own settings before Zeph's hooks are installed. */
const live = (name, more, adds = () => ({})) => ({
  furnish(place, { mcp, rules }) {
    const files = LIVE_CLIENTS[name].files(place);
    const added = adds({ mcp, rules });
    for (const [path, content] of Object.entries(files)) put(place.home, path, joined(content, added[path]));
    for (const [path, content] of Object.entries(added)) if (!(path in files)) put(place.home, path, content);
  },
  env: (url) => ({ ...CLOSED_WAYS, ...LIVE_CLIENTS[name].env(url) }),
  alone: LIVE_CLIENTS[name].words(PROMPT),
  ...more,
});

const joined = (content, more) => (more === undefined ? content : typeof content === "string" ? content + more : deep(content, more));
const isPlain = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const deep = (one, other) => {
  if (!isPlain(one) || !isPlain(other)) return other;
  return { ...one, ...Object.fromEntries(Object.entries(other).map(([key, value]) => [key, deep(one[key], value)])) };
};

/** `mcp` is the command of a server with one tool. `alone` starts a client without a person; `seated` starts it for a terminal. */
export const CLIENTS = {
  claude: live(
    "claude",
    {
      strict: ["-p", PROMPT, "--model", "claude-sonnet-4-5"],
      seated: ["--model", "claude-sonnet-4-5"],
      ready: /❯/,
      yes: ["1"],
      no: ["Escape"],
      agent: (prompt) => ({ tool: "Agent", args: { description: "x", prompt, subagent_type: "general-purpose" } }),
      mcpTool: { tool: "mcp__near__mark" },
    },
    ({ mcp, rules }) => ({
      ...(mcp && { ".claude.json": { mcpServers: { near: mcp } } }),
      ...(rules && { ".claude/settings.json": { permissions: { deny: ["Bash(touch ran:*)"] } } }),
    }),
  ),
  codex: live(
    "codex",
    {
      seated: ["--dangerously-bypass-approvals-and-sandbox"],
      ready: /›/,
      agent: (message) => ({ tool: "spawn_agent", namespace: "multi_agent_v1", args: { message } }),
      mcpTool: { tool: "mark", namespace: "mcp__near" },
    },
    ({ mcp, rules }) => ({
      ...(mcp && {
        ".codex/config.toml": `[mcp_servers.near]\ncommand = ${JSON.stringify(mcp.command)}\nargs = ${JSON.stringify(mcp.args)}\n`,
      }),
      ...(rules && { ".codex/rules/default.rules": 'prefix_rule(pattern=["touch", "ran"], decision="forbidden")\n' }),
    }),
  ),
  gemini: live(
    "gemini",
    {
      seated: ["-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
      ready: /Type your message/,
      yes: ["Enter"],
      no: ["Escape"],
      agent: (prompt) => ({ tool: "invoke_agent", args: { agent_name: "generalist", prompt } }),
      mcpTool: { tool: "mcp_near_mark" },
    },
    ({ mcp, rules }) => ({
      ".gemini/settings.json": {
        ...(rules && { tools: { exclude: ["run_shell_command(touch ran)"] } }),
        ...(mcp && { mcpServers: { near: { ...mcp, trust: true } } }),
      },
    }),
  ),
  qwen: live(
    "qwen",
    {
      seated: ["--yolo"],
      ready: /Type your message/,
      yes: ["Enter"],
      no: ["Escape"],
      agent: (prompt) => ({ tool: "agent", args: { description: "x", prompt, subagent_type: "general-purpose" } }),
      mcpTool: { tool: "mcp__near__mark" },
    },
    ({ mcp }) => (mcp ? { ".qwen/settings.json": { mcpServers: { near: { ...mcp, trust: true } } } } : {}),
  ),
  opencode: live(
    "opencode",
    {
      seated: ["--model", "fake/m"],
      ready: /Ask anything/,
      yes: ["Enter"],
      no: ["Escape"],
      agent: (prompt) => ({ tool: "task", args: { description: "x", prompt, subagent_type: "general" } }),
      mcpTool: { tool: "near_mark" },
    },
    ({ mcp, rules }) => ({
      ".config/opencode/opencode.json": {
        ...(rules && { permission: { bash: { "*": "allow", "touch ran*": "deny" } } }),
        ...(mcp && { mcp: { near: { type: "local", command: [mcp.command, ...mcp.args], enabled: true } } }),
      },
    }),
  ),
  pi: live("pi", {
    seated: ["--provider", "fake", "--model", "m"],
    ready: /0\.0%\//,
    yes: ["Enter"],
    no: ["Escape"],
    mcpTool: null,
  }),
  copilot: live(
    "copilot",
    {
      ruled: ["--deny-tool", "shell(touch)"],
      seated: ["--allow-all-tools", "--allow-all-paths"],
      ready: /❯/,
      yes: ["Enter"],
      no: ["Escape"],
      agent: (prompt) => ({ tool: "task", args: { description: "x", prompt, agent_type: "general-purpose", name: "below" } }),
      mcpTool: { tool: "near-mark" },
    },
    ({ mcp }) => (mcp ? { ".copilot/mcp-config.json": { mcpServers: { near: { type: "local", ...mcp, tools: ["*"] } } } } : {}),
  ),
};

export function put(home, path, content) {
  const file = join(home, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}
