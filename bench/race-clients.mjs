// The clients of the race: which version, how each is started against a model on loopback, with nothing reported and nothing updated.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** What all others are held against. */
export const BARE = "a bare loop of 25 lines";

/** A client's folder is made by bench/race-install.mjs. `wants` is the least Node it runs on; where ours is older it is given a newer one. */
export const RIVALS = {
  pi: { package: "@earendil-works/pi-coding-agent", version: "0.87.1", bin: "pi", wants: 22 },
  "gemini-cli": { package: "@google/gemini-cli", version: "0.61.0", bin: "gemini", wants: 20 },
  opencode: { package: "opencode-ai", version: "1.18.33", bin: "opencode", wants: null },
  codex: { package: "@openai/codex", version: "0.166.0", bin: "codex", wants: 16 },
  "claude-code": { package: "@anthropic-ai/claude-code", version: "2.1.325", bin: "claude", wants: null },
};
export const NEWER_NODE = { package: `node-${process.platform}-${process.arch}`, version: "24.21.0" };

const PROVIDER = (url) => JSON.stringify([{ name: "fake", type: "anthropic", model: "m", base_url: `${url}/v1` }]);
const zeph = (...settings) => ({
  argv: ({ url }) => [
    process.execPath,
    join(root, "bin/zeph.cjs"),
    ...["--set", `llm.providers=${PROVIDER(url)}`, "--set", 'tools.permissions={"bash":[{"pattern":"*","action":"allow"}]}'],
    ...settings.flatMap((setting) => ["--set", setting]),
    ...["run", "go", "--max-turns", "100"],
  ],
  env: () => ({ ANTHROPIC_API_KEY: "none" }),
});
/** For those that ask their makers' servers for more than a setting can stop: https leads to a port where nobody listens, and fails at once. */
const CLOSED = { HTTPS_PROXY: "http://127.0.0.1:9", https_proxy: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };
const PI_TOOLS = '["read","bash","edit","write","grep"]';

/** Rows of the table. `argv` and `env` take the model's address and the home of this run; `furnish` writes the settings into that home. */
export const WAYS = {
  [BARE]: { argv: ({ url }) => [process.execPath, join(root, "bench/loop-bare.mjs"), url], env: () => ({}) },
  "Zeph, with walls": zeph("tools.sandbox.enabled=true"),
  "Zeph, without walls": zeph("tools.sandbox.enabled=false"),
  "Zeph, without walls, pi's tools": zeph(
    "tools.sandbox.enabled=false",
    "tools.scoped.enabled=true",
    `tools.scoped.allowed_tools=${PI_TOOLS}`,
  ),
  pi: {
    rival: "pi",
    furnish(home, url) {
      const models = [{ id: "m", name: "m", reasoning: false, input: ["text"], contextWindow: 200_000, maxTokens: 8000, cost: FREE }];
      put(home, ".pi/agent/models.json", { providers: { fake: { baseUrl: url, api: "anthropic-messages", apiKey: "x", models } } });
      put(home, ".pi/agent/settings.json", { enableInstallTelemetry: false, quietStartup: true });
    },
    // Its grep is there and not among the default tools.
    argv: ({ bin, kind }) => [
      ...bin,
      "-p",
      "go",
      "--provider",
      "fake",
      "--model",
      "m",
      ...(kind === "grep" ? ["--tools", "read,bash,edit,write,grep"] : []),
    ],
    env: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" }),
  },
  "gemini-cli": {
    rival: "gemini-cli",
    furnish(home) {
      const general = { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false };
      const settings = {
        general,
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      };
      put(home, ".gemini/settings.json", settings);
    },
    argv: ({ bin }) => [...bin, "-p", "go", "-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
    env: (url) => ({
      GEMINI_API_KEY: "x",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_SANDBOX: "false",
      // It would start itself again to get a larger heap.
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
  },
  opencode: {
    rival: "opencode",
    furnish(home, url) {
      const models = { m: { name: "m", tool_call: true, limit: { context: 200_000, output: 8000 } } };
      const provider = { fake: { npm: "@ai-sdk/openai-compatible", name: "fake", options: { baseURL: `${url}/v1`, apiKey: "x" }, models } };
      put(home, ".config/opencode/opencode.json", {
        provider,
        model: "fake/m",
        small_model: "fake/m",
        autoupdate: false,
        share: "disabled",
        permission: { "*": "allow" },
      });
    },
    argv: ({ bin }) => [...bin, "run", "go", "--model", "fake/m"],
    env: () => ({
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      ...CLOSED,
    }),
  },
  codex: {
    rival: "codex",
    furnish(home, url) {
      const provider = `[model_providers.fake]\nname = "fake"\nbase_url = "${url}/v1"\nwire_api = "responses"\nenv_key = "FAKE_KEY"\nrequires_openai_auth = false\n`;
      const quiet = 'check_for_update_on_startup = false\n[analytics]\nenabled = false\n[otel]\nexporter = "none"\n';
      put(home, ".codex/config.toml", `model = "m"\nmodel_provider = "fake"\nmodel_context_window = 200000\n${quiet}${provider}`);
    },
    argv: ({ bin }) => [...bin, "exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", "go"],
    env: () => ({ FAKE_KEY: "x", ...CLOSED }),
  },
  "claude-code": {
    rival: "claude-code",
    furnish: (home) => put(home, ".claude.json", { hasCompletedOnboarding: true, bypassPermissionsModeAccepted: true, autoUpdates: false }),
    argv: ({ bin }) => [...bin, "-p", "go", "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"],
    // It refuses to act without questions as root anywhere but in a sandbox.
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "x",
      IS_SANDBOX: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
  },
};

const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function put(home, path, content) {
  const file = join(home, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
}
