import type { ClientName } from "../client.ts";

/** How a client is started with a model on loopback, with nothing reported, nothing updated and no question of its own. */
export interface LiveClient {
  /** Settings of its own, below its home: the path, and a text or what becomes JSON. */
  files(at: { readonly work: string; readonly url: string }): Readonly<Record<string, string | object>>;
  env(url: string): Readonly<Record<string, string>>;
  /** Behind the program: without a person and without its own questions, so that what holds a call back is Zeph. */
  words(prompt: string): readonly string[];
}

/** For whatever a client asks its makers' servers all the same: https leads to a port where nobody listens, and fails at once. */
export const CLOSED_WAYS = {
  HTTPS_PROXY: "http://127.0.0.1:9",
  https_proxy: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1",
  no_proxy: "127.0.0.1",
} as const;
const FREE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Null where nobody has tried it with a scripted model. */
export const LIVE_CLIENTS: Readonly<Record<ClientName, LiveClient | null>> = {
  claude: {
    files: ({ work }) => ({
      ".claude.json": {
        hasCompletedOnboarding: true,
        bypassPermissionsModeAccepted: true,
        autoUpdates: false,
        theme: "dark",
        projects: { [work]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
        customApiKeyResponses: { approved: ["x"], rejected: [] },
      },
    }),
    env: (url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "x",
      // Otherwise it refuses to work unasked for the user root.
      IS_SANDBOX: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    words: (prompt) => ["-p", prompt, "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"],
  },
  codex: {
    files: ({ work, url }) => ({
      ".codex/config.toml": `model = "m"
model_provider = "fake"
model_context_window = 200000
check_for_update_on_startup = false
[analytics]
enabled = false
[otel]
exporter = "none"
[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
requires_openai_auth = false
[projects.${JSON.stringify(work)}]
trust_level = "trusted"
`,
    }),
    env: () => ({ FAKE_KEY: "x" }),
    words: (prompt) => ["exec", "--dangerously-bypass-approvals-and-sandbox", "--skip-git-repo-check", prompt],
  },
  gemini: {
    files: () => ({
      ".gemini/settings.json": {
        general: { disableAutoUpdate: true, disableUpdateNag: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
      },
    }),
    env: (url) => ({
      GEMINI_API_KEY: "x",
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
      GEMINI_SANDBOX: "false",
      GEMINI_CLI_NO_RELAUNCH: "true",
    }),
    words: (prompt) => ["-p", prompt, "-m", "gemini-2.5-flash", "--approval-mode", "yolo"],
  },
  qwen: {
    files: () => ({
      ".qwen/settings.json": {
        security: { auth: { selectedType: "openai" }, folderTrust: { enabled: false } },
        model: { name: "m" },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
      },
    }),
    env: (url) => ({ OPENAI_API_KEY: "x", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "m" }),
    words: (prompt) => ["-p", prompt, "--yolo"],
  },
  opencode: {
    files: ({ url }) => ({
      // It would fetch a package of types for plugins, and try for more than a minute.
      ".npmrc": "fetch-retries=0\nregistry=http://127.0.0.1:9/\n",
      ".config/opencode/opencode.json": {
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            name: "fake",
            options: { baseURL: `${url}/v1`, apiKey: "x" },
            models: { m: { name: "m", tool_call: true, limit: { context: 200_000, output: 8000 } } },
          },
        },
        model: "fake/m",
        small_model: "fake/m",
        autoupdate: false,
        share: "disabled",
        permission: { "*": "allow" },
      },
    }),
    env: () => ({
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    }),
    words: (prompt) => ["run", prompt, "--model", "fake/m"],
  },
  pi: {
    files: ({ url }) => ({
      ".pi/agent/models.json": {
        providers: {
          fake: {
            baseUrl: url,
            api: "anthropic-messages",
            apiKey: "x",
            models: [{ id: "m", name: "m", reasoning: false, input: ["text"], contextWindow: 200_000, maxTokens: 8000, cost: FREE }],
          },
        },
      },
      ".pi/agent/settings.json": { enableInstallTelemetry: false, quietStartup: true },
    }),
    env: () => ({ PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0" }),
    words: (prompt) => ["-p", prompt, "--provider", "fake", "--model", "m"],
  },
  copilot: {
    files: ({ work }) => ({ ".copilot/config.json": { trusted_folders: [work], banner: "never" } }),
    env: (url) => ({
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "x",
      COPILOT_MODEL: "m",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
    }),
    words: (prompt) => ["-p", prompt, "--allow-all-tools", "--allow-all-paths"],
  },
  cursor: null,
};
