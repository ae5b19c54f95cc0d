// Ways to have a client run without its hooks, or with settings from elsewhere: what each is, and how it is done to a place where Zeph's hooks are
// installed and in force. The names are those of src/core/clients/client-switches.ts.
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { put } from "./clients.mjs";

/** Changes a file of settings that is JSON; one that is not there is made. */
const merge = (folder, path, more) => {
  let now = {};
  try {
    now = JSON.parse(readFileSync(join(folder, path), "utf8"));
  } catch {}
  put(folder, path, JSON.stringify({ ...now, ...more }));
};
const user = (path, more) => ({ after: ({ home }) => merge(home, path, more) });
const project = (path, more) => ({ after: ({ work }) => merge(work, path, more) });
const flag = (...words) => ({ words: () => words });
const variable = (name, value) => ({ env: () => ({ [name]: value }) });
/** A copy of the client's folder without what Zeph put there, and the variable that leads to it. */
const moved = (name, from, drop, below = "") => ({
  after({ home, outside }) {
    cpSync(join(home, from), join(outside, "moved", below), { recursive: true });
    for (const path of drop) rmSync(join(outside, "moved", below, path), { force: true });
  },
  env: ({ outside }) => ({ [name]: join(outside, "moved") }),
});
/** The same for a file in which Zeph's hooks stand beside the rest. */
const movedFile = (name, from, file, below = "") => ({
  ...moved(name, from, [], below),
  after(place) {
    moved(name, from, [], below).after(place);
    const path = join(place.outside, "moved", below, file);
    const { hooks: _hooks, ...rest } = JSON.parse(readFileSync(path, "utf8"));
    writeFileSync(path, JSON.stringify(rest));
  },
});
/** A file of settings that a variable names. */
const named = (name, content) => ({
  after: ({ outside }) => put(outside, "named.json", content),
  env: ({ outside }) => ({ [name]: join(outside, "named.json") }),
});
const toml = (more) => ({
  after: ({ home }) => {
    const path = join(home, ".codex/config.toml");
    writeFileSync(path, `${readFileSync(path, "utf8")}\n${more}`);
  },
});
const OFF = { disableAllHooks: true };

export const SWITCHES = {
  claude: {
    "disableAllHooks in the user's settings": user(".claude/settings.json", OFF),
    "disableAllHooks in the project's settings": project(".claude/settings.json", OFF),
    "disableAllHooks in the project's own settings": project(".claude/settings.local.json", OFF),
    "CLAUDE_CODE_SIMPLE in env of the user's settings": user(".claude/settings.json", { env: { CLAUDE_CODE_SIMPLE: "1" } }),
    "CLAUDE_CODE_SIMPLE in env of the project's settings": project(".claude/settings.json", { env: { CLAUDE_CODE_SIMPLE: "1" } }),
    "CLAUDE_CODE_SAFE_MODE in env of the user's settings": user(".claude/settings.json", { env: { CLAUDE_CODE_SAFE_MODE: "1" } }),
    "CLAUDE_CODE_SAFE_MODE in env of the project's settings": project(".claude/settings.json", { env: { CLAUDE_CODE_SAFE_MODE: "1" } }),
    "--settings with disableAllHooks": flag("--settings", '{"disableAllHooks":true}'),
    "--setting-sources without user": flag("--setting-sources", "project,local"),
    "--bare": flag("--bare"),
    "--safe-mode": flag("--safe-mode"),
    CLAUDE_CODE_SIMPLE: variable("CLAUDE_CODE_SIMPLE", "1"),
    CLAUDE_CODE_SAFE_MODE: variable("CLAUDE_CODE_SAFE_MODE", "1"),
    CLAUDE_CODE_PERSONAL_HOOKS_OFF: variable("CLAUDE_CODE_PERSONAL_HOOKS_OFF", "1"),
    CLAUDE_CODE_MANAGED_SETTINGS_PATH: named("CLAUDE_CODE_MANAGED_SETTINGS_PATH", { allowManagedHooksOnly: true }),
    CLAUDE_CONFIG_DIR: movedFile("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
    "--dangerously-skip-permissions": flag(),
    "--strict-mcp-config": flag("--strict-mcp-config"),
  },
  codex: {
    "features.hooks in config.toml": toml("[features]\nhooks = false\n"),
    "features.codex_hooks in config.toml": toml("[features]\ncodex_hooks = false\n"),
    "features.hooks in the project's config.toml": { after: ({ work }) => put(work, ".codex/config.toml", "[features]\nhooks = false\n") },
    "hooks.state enabled in config.toml": {
      after: ({ home }) => {
        const path = join(home, ".codex/config.toml");
        writeFileSync(path, readFileSync(path, "utf8").replaceAll(/^trusted_hash = /gm, "enabled = false\ntrusted_hash = "));
      },
    },
    "--disable hooks": flag("--disable", "hooks"),
    "-c features.hooks=false": flag("-c", "features.hooks=false"),
    "--profile with features.hooks": {
      after: ({ home }) => put(home, ".codex/quiet.config.toml", "[features]\nhooks = false\n"),
      words: () => ["--profile", "quiet"],
    },
    "--ignore-user-config": {
      words: ({ url }) => [
        "--ignore-user-config",
        ..."model_provider=fake model=m model_providers.fake.name=fake model_providers.fake.wire_api=responses model_providers.fake.env_key=FAKE_KEY"
          .split(" ")
          .flatMap((word) => ["-c", word]),
        "-c",
        `model_providers.fake.base_url="${url}/v1"`,
      ],
    },
    "--ignore-rules": flag("--ignore-rules"),
    "--dangerously-bypass-hook-trust": flag("--dangerously-bypass-hook-trust"),
    "--ephemeral": flag("--ephemeral"),
    CODEX_HOME: moved("CODEX_HOME", ".codex", ["hooks.json"]),
  },
  gemini: {
    "hooksConfig.enabled in the user's settings": user(".gemini/settings.json", { hooksConfig: { enabled: false } }),
    "hooksConfig.enabled in the project's settings": project(".gemini/settings.json", { hooksConfig: { enabled: false } }),
    "hooksConfig.disabled in the user's settings": user(".gemini/settings.json", { hooksConfig: { disabled: ["zeph"] } }),
    "hooksConfig.disabled in the project's settings": project(".gemini/settings.json", { hooksConfig: { disabled: ["zeph"] } }),
    "tools.enableHooks in the user's settings": user(".gemini/settings.json", { tools: { enableHooks: false } }),
    GEMINI_CLI_HOME: movedFile("GEMINI_CLI_HOME", ".gemini", "settings.json", ".gemini"),
    GEMINI_CLI_SYSTEM_SETTINGS_PATH: named("GEMINI_CLI_SYSTEM_SETTINGS_PATH", { hooksConfig: { enabled: false } }),
    GEMINI_CLI_SYSTEM_DEFAULTS_PATH: named("GEMINI_CLI_SYSTEM_DEFAULTS_PATH", { hooksConfig: { enabled: false } }),
    "--extensions none": flag("--extensions", "none"),
    "--approval-mode yolo": flag(),
  },
  qwen: {
    "disableAllHooks in the user's settings": user(".qwen/settings.json", OFF),
    "disableAllHooks in the project's settings": project(".qwen/settings.json", OFF),
    "hooksConfig.enabled in the user's settings": user(".qwen/settings.json", { hooksConfig: { enabled: false } }),
    "hooksConfig.disabled in the user's settings": user(".qwen/settings.json", { hooksConfig: { disabled: ["zeph"] } }),
    "--bare": flag("--bare"),
    "--safe-mode": flag("--safe-mode"),
    QWEN_CODE_SIMPLE: variable("QWEN_CODE_SIMPLE", "1"),
    QWEN_CODE_SAFE_MODE: variable("QWEN_CODE_SAFE_MODE", "1"),
    "QWEN_CODE_SIMPLE in .env of the project": { after: ({ work }) => put(work, ".env", "QWEN_CODE_SIMPLE=1\n") },
    "QWEN_CODE_SAFE_MODE in .env of the project": { after: ({ work }) => put(work, ".env", "QWEN_CODE_SAFE_MODE=1\n") },
    "QWEN_CODE_SIMPLE in .qwen/.env of the project": { after: ({ work }) => put(work, ".qwen/.env", "QWEN_CODE_SIMPLE=1\n") },
    "QWEN_CODE_SAFE_MODE in .qwen/.env of the project": { after: ({ work }) => put(work, ".qwen/.env", "QWEN_CODE_SAFE_MODE=1\n") },
    "QWEN_CODE_SIMPLE in .env of the user": { after: ({ home }) => put(home, ".qwen/.env", "QWEN_CODE_SIMPLE=1\n") },
    QWEN_HOME: movedFile("QWEN_HOME", ".qwen", "settings.json"),
    QWEN_CODE_SYSTEM_SETTINGS_PATH: named("QWEN_CODE_SYSTEM_SETTINGS_PATH", OFF),
    "--extensions none": flag("--extensions", "none"),
    "--yolo": flag(),
  },
  opencode: {
    "--pure": flag("--pure"),
    OPENCODE_PURE: variable("OPENCODE_PURE", "1"),
    OPENCODE_CONFIG_DIR: moved("OPENCODE_CONFIG_DIR", ".config/opencode", ["plugins/zeph.js"]),
    XDG_CONFIG_HOME: moved("XDG_CONFIG_HOME", ".config/opencode", ["plugins/zeph.js"], "opencode"),
    OPENCODE_CONFIG: named("OPENCODE_CONFIG", { plugin: [] }),
    OPENCODE_CONFIG_CONTENT: variable("OPENCODE_CONFIG_CONTENT", '{"plugin":[]}'),
    OPENCODE_DISABLE_PROJECT_CONFIG: variable("OPENCODE_DISABLE_PROJECT_CONFIG", "1"),
    OPENCODE_DISABLE_DEFAULT_PLUGINS: variable("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    OPENCODE_TEST_HOME: moved("OPENCODE_TEST_HOME", ".config/opencode", ["plugins/zeph.js"], ".config/opencode"),
    "plugin in the user's opencode.json": user(".config/opencode/opencode.json", { plugin: [] }),
    "--auto": flag("--auto"),
  },
  pi: {
    "--no-extensions": flag("--no-extensions"),
    "-ne": flag("-ne"),
    "extensions in the user's settings": user(".pi/agent/settings.json", { extensions: ["-extensions/zeph.ts"] }),
    "extensions with ! in the user's settings": user(".pi/agent/settings.json", { extensions: ["!extensions/zeph.ts"] }),
    "extensions in the project's settings": {
      ...project(".pi/settings.json", { extensions: ["-../../home/.pi/agent/extensions/zeph.ts", "!**/zeph.ts"] }),
      words: () => ["--approve"],
    },
    PI_CODING_AGENT_DIR: moved("PI_CODING_AGENT_DIR", ".pi/agent", ["extensions/zeph.ts"]),
    "--no-approve": flag("--no-approve"),
  },
  copilot: {
    "disableAllHooks in the user's settings.json": user(".copilot/settings.json", OFF),
    "disableAllHooks in the user's config.json": user(".copilot/config.json", OFF),
    "disableAllHooks in the repository's settings": project(".github/copilot/settings.json", OFF),
    "disableAllHooks in the repository's local settings": project(".github/copilot/settings.local.json", OFF),
    "disableAllHooks in zeph.json": user(".copilot/hooks/zeph.json", OFF),
    "disableAllHooks in another file of hooks": user(".copilot/hooks/other.json", { version: 1, hooks: {}, ...OFF }),
    "disableAllHooks in a file of the repository's hooks": project(".github/hooks/other.json", { version: 1, hooks: {}, ...OFF }),
    COPILOT_HOME: moved("COPILOT_HOME", ".copilot", ["hooks/zeph.json"]),
    XDG_CONFIG_HOME: moved("XDG_CONFIG_HOME", ".copilot", ["hooks/zeph.json"], ".copilot"),
    "--no-custom-instructions": flag("--no-custom-instructions"),
    "--no-experimental": flag("--no-experimental"),
  },
};
