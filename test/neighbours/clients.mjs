// The clients: which version, how each is told of a model on loopback with nothing reported and nothing updated, and how it is started.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

/** For those that ask their makers' servers for more than a setting can stop: https leads to a port where nobody listens, and fails at once. */
const CLOSED = { HTTPS_PROXY: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * `furnish` writes the client's own settings before Zeph's hooks are installed; `mcp` is the command of a server with one tool.
 * `alone` starts it without a person and without questions of its own, so that what holds a call back is Zeph; `seated` starts it for a terminal.
 */
export const CLIENTS = {
  claude: {
    furnish({ home, work }, { mcp, rules }) {
      const projects = { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
      const known = { hasCompletedOnboarding: true, bypassPermissionsModeAccepted: true, autoUpdates: false, theme: "dark" };
      put(home, ".claude.json", {
        ...known,
        projects,
        customApiKeyResponses: { approved: ["x"], rejected: [] },
        ...(mcp && { mcpServers: { near: mcp } }),
      });
      if (rules) put(home, ".claude/settings.json", { permissions: { deny: ["Bash(touch ran:*)"] } });
    },
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "x",
      IS_SANDBOX: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    alone: ["-p", PROMPT, "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"],
    strict: ["-p", PROMPT, "--model", "claude-sonnet-4-5"],
    seated: ["--model", "claude-sonnet-4-5"],
    ready: /❯/,
    yes: ["1"],
    no: ["Escape"],
    agent: (prompt) => ({ tool: "Agent", args: { description: "x", prompt, subagent_type: "general-purpose" } }),
    mcpTool: { tool: "mcp__near__mark" },
  },
  codex: {
    furnish({ home, work, url }, { mcp, rules }) {
      if (rules) put(home, ".codex/rules/default.rules", 'prefix_rule(pattern=["touch", "ran"], decision="forbidden")\n');
      const provider = `[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\nrequires_openai_auth = false\n`;
      const quiet = 'check_for_update_on_startup = false\n[analytics]\nenabled = false\n[otel]\nexporter = "none"\n';
      const server = mcp ? `[mcp_servers.near]\ncommand = ${JSON.stringify(mcp.command)}\nargs = ${JSON.stringify(mcp.args)}\n` : "";
      const trust = `[projects.${JSON.stringify(work)}]\ntrust_level = "trusted"\n`;
      put(
        home,
        ".codex/config.toml",
        `model = "m"\nmodel_provider = "fake"\nmodel_context_window = 200000\n${quiet}${provider}${server}${trust}`,
      );
    },
    env: () => ({ FAKE_KEY: "x", ...CLOSED }),
    alone: ["exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", PROMPT],
    seated: ["--dangerously-bypass-approvals-and-sandbox"],
    ready: /›/,
    agent: (message) => ({ tool: "spawn_agent", namespace: "multi_agent_v1", args: { message } }),
    mcpTool: { tool: "mark", namespace: "mcp__near" },
  },
  gemini: {
    furnish({ home }, { mcp, rules }) {
      put(home, ".gemini/settings.json", {
        ...(rules && { tools: { exclude: ["run_shell_command(touch ran)"] } }),
        general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        ...(mcp && { mcpServers: { near: { ...mcp, trust: true } } }),
      });
    },
    env: (url) => ({
      GEMINI_API_KEY: "x",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_SANDBOX: "false",
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
    alone: ["-p", PROMPT, "-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
    seated: ["-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
    ready: /Type your message/,
    yes: ["Enter"],
    no: ["Escape"],
    agent: (prompt) => ({ tool: "invoke_agent", args: { agent_name: "generalist", prompt } }),
    mcpTool: { tool: "mcp_near_mark" },
  },
  qwen: {
    furnish({ home }, { mcp }) {
      put(home, ".qwen/settings.json", {
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        model: { name: "m" },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        ...(mcp && { mcpServers: { near: { ...mcp, trust: true } } }),
      });
    },
    env: (url) => ({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "m", ...CLOSED }),
    alone: ["-p", PROMPT, "--yolo"],
    seated: ["--yolo"],
    ready: /Type your message/,
    yes: ["Enter"],
    no: ["Escape"],
    agent: (prompt) => ({ tool: "agent", args: { description: "x", prompt, subagent_type: "general-purpose" } }),
    mcpTool: { tool: "mcp__near__mark" },
  },
  opencode: {
    furnish({ home, url }, { mcp, rules }) {
      // It would fetch a package of types for plugins, and try for more than a minute.
      put(home, ".npmrc", "fetch-retries=0\nregistry=http://127.0.0.1:9/\n");
      const models = { m: { name: "m", tool_call: true, limit: { context: 200_000, output: 8000 } } };
      const provider = { fake: { npm: "@ai-sdk/openai-compatible", name: "fake", options: { baseURL: `${url}/v1`, apiKey: "x" }, models } };
      put(home, ".config/opencode/opencode.json", {
        provider,
        model: "fake/m",
        small_model: "fake/m",
        autoupdate: false,
        share: "disabled",
        permission: { "*": "allow", ...(rules && { bash: { "*": "allow", "touch ran*": "deny" } }) },
        ...(mcp && { mcp: { near: { type: "local", command: [mcp.command, ...mcp.args], enabled: true } } }),
      });
    },
    env: () => ({
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      ...CLOSED,
    }),
    alone: ["run", PROMPT, "--model", "fake/m"],
    seated: ["--model", "fake/m"],
    ready: /Ask anything/,
    yes: ["Enter"],
    no: ["Escape"],
    agent: (prompt) => ({ tool: "task", args: { description: "x", prompt, subagent_type: "general" } }),
    mcpTool: { tool: "near_mark" },
  },
  pi: {
    furnish({ home, url }) {
      const models = [{ id: "m", name: "m", reasoning: false, input: ["text"], contextWindow: 200_000, maxTokens: 8000, cost: FREE }];
      put(home, ".pi/agent/models.json", { providers: { fake: { baseUrl: url, api: "anthropic-messages", apiKey: "x", models } } });
      put(home, ".pi/agent/settings.json", { enableInstallTelemetry: false, quietStartup: true });
    },
    env: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" }),
    alone: ["-p", PROMPT, "--provider", "fake", "--model", "m"],
    seated: ["--provider", "fake", "--model", "m"],
    ready: /0\.0%\//,
    yes: ["Enter"],
    no: ["Escape"],
    mcpTool: null,
  },
  copilot: {
    furnish({ home, work }, { mcp }) {
      put(home, ".copilot/config.json", { trusted_folders: [work], banner: "never" });
      if (mcp) put(home, ".copilot/mcp-config.json", { mcpServers: { near: { type: "local", ...mcp, tools: ["*"] } } });
    },
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "x",
      COPILOT_MODEL: "m",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      ...CLOSED,
    }),
    alone: ["-p", PROMPT, "--allow-all-tools", "--allow-all-paths"],
    ruled: ["--deny-tool", "shell(touch)"],
    seated: ["--allow-all-tools", "--allow-all-paths"],
    ready: /❯/,
    yes: ["Enter"],
    no: ["Escape"],
    agent: (prompt) => ({ tool: "task", args: { description: "x", prompt, agent_type: "general-purpose", name: "below" } }),
    mcpTool: { tool: "near-mark" },
  },
};

export function put(home, path, content) {
  const file = join(home, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}
