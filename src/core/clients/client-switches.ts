/**
 * Ways to have another agent run without the hooks that make it ask Zeph, or with settings from elsewhere. One table for three readers: `zeph hook
 * status` looks for them in files and variables, the gate `self` keeps a governed model from using them, and docs/hooks-clients.md lists them.
 */
export interface ClientSwitch {
  readonly client: string;
  /** As lab/neighbours/switches.json calls it, where the real agent was asked. */
  readonly name: string;
  /** `off`: no hook of Zeph's is asked. `in force`: they are, all the same. */
  readonly effect: "off" | "in force";
  /** Whether the real agent did that, or its documents say so. */
  readonly basis: "tried" | "documents";
  readonly way: SwitchWay;
}

/** How it is done, and by that where it can be seen. */
export type SwitchWay =
  /** A variable that switches hooks off, or names another folder for the agent's own files; `holds` are those that count there. */
  | { readonly kind: "variable"; readonly variable: string; readonly holds?: readonly string[] }
  | { readonly kind: "setting"; readonly file: SwitchFile; readonly at: readonly string[]; readonly is: SwitchValue }
  /** Words behind the agent's program. One letter may have its value behind it without a blank. */
  | { readonly kind: "option"; readonly options: readonly string[] }
  /** Seen by nobody but the agent. */
  | { readonly kind: "elsewhere" };

/** A file of the agent's own folder, of the project, or of the machine. */
export interface SwitchFile {
  readonly in: "own" | "project" | "machine";
  readonly path: string;
  readonly form: "json" | "toml" | "variables";
}

/** The value that does it: that one, any that a program takes for yes, or a list with Zeph in it. */
export type SwitchValue = true | false | "set" | "names zeph" | "leaves zeph out";

const variable = (name: string, ...holds: readonly string[]): SwitchWay => ({
  kind: "variable",
  variable: name,
  ...(holds.length > 0 && { holds }),
});
const option = (...options: readonly string[]): SwitchWay => ({ kind: "option", options });
const json = (where: SwitchFile["in"], path: string, at: string, is: SwitchValue): SwitchWay => setting(where, path, "json", at, is);
const toml = (where: SwitchFile["in"], path: string, at: string, is: SwitchValue): SwitchWay => setting(where, path, "toml", at, is);
const setting = (where: SwitchFile["in"], path: string, form: SwitchFile["form"], at: string, is: SwitchValue): SwitchWay => ({
  kind: "setting",
  file: { in: where, path, form },
  at: at.split("."),
  is,
});
const ELSEWHERE: SwitchWay = { kind: "elsewhere" };

type Row = readonly [name: string, effect: ClientSwitch["effect"], way: SwitchWay, basis?: ClientSwitch["basis"]];

const TABLE: Readonly<Record<string, readonly Row[]>> = {
  claude: [
    ["disableAllHooks in the user's settings", "off", json("own", "settings.json", "disableAllHooks", true)],
    ["disableAllHooks in the project's settings", "off", json("project", ".claude/settings.json", "disableAllHooks", true)],
    ["disableAllHooks in the project's own settings", "off", json("project", ".claude/settings.local.json", "disableAllHooks", true)],
    ["CLAUDE_CODE_SIMPLE in env of the user's settings", "off", json("own", "settings.json", "env.CLAUDE_CODE_SIMPLE", "set")],
    ["CLAUDE_CODE_SAFE_MODE in env of the user's settings", "off", json("own", "settings.json", "env.CLAUDE_CODE_SAFE_MODE", "set")],
    ["CLAUDE_CODE_SIMPLE in env of the project's settings", "in force", ELSEWHERE],
    ["CLAUDE_CODE_SAFE_MODE in env of the project's settings", "in force", ELSEWHERE],
    [
      "allowManagedHooksOnly in managed settings",
      "off",
      json("machine", "/etc/claude-code/managed-settings.json", "allowManagedHooksOnly", true),
      "documents",
    ],
    ["CLAUDE_CODE_SIMPLE", "off", variable("CLAUDE_CODE_SIMPLE")],
    ["CLAUDE_CODE_SAFE_MODE", "off", variable("CLAUDE_CODE_SAFE_MODE")],
    ["CLAUDE_CONFIG_DIR", "off", variable("CLAUDE_CONFIG_DIR", "settings.json", "settings.local.json", ".claude.json")],
    ["CLAUDE_CODE_PERSONAL_HOOKS_OFF", "in force", ELSEWHERE],
    ["CLAUDE_CODE_MANAGED_SETTINGS_PATH", "in force", ELSEWHERE],
    ["--settings with disableAllHooks", "off", option("--settings")],
    ["--setting-sources without user", "off", option("--setting-sources")],
    ["--bare", "off", option("--bare")],
    ["--safe-mode", "off", option("--safe-mode")],
    ["--dangerously-skip-permissions", "in force", ELSEWHERE],
    ["--strict-mcp-config", "in force", ELSEWHERE],
  ],
  codex: [
    ["features.hooks in config.toml", "off", toml("own", "config.toml", "features.hooks", false)],
    ["features.codex_hooks in config.toml", "off", toml("own", "config.toml", "features.codex_hooks", false)],
    ["features.hooks in the project's config.toml", "off", toml("project", ".codex/config.toml", "features.hooks", false)],
    // Looked for beside the trust in a hook, which stands in the same place.
    ["hooks.state enabled in config.toml", "off", ELSEWHERE],
    [
      "allow_managed_hooks_only in requirements.toml",
      "off",
      toml("machine", "/etc/codex/requirements.toml", "allow_managed_hooks_only", true),
      "documents",
    ],
    ["CODEX_HOME", "off", variable("CODEX_HOME", "hooks.json", "config.toml", "rules")],
    ["--disable hooks", "off", option("--disable")],
    ["-c features.hooks=false", "off", option("-c", "--config")],
    ["--profile with features.hooks", "off", option("-p", "--profile")],
    ["--ignore-user-config", "off", option("--ignore-user-config")],
    ["--ignore-rules", "in force", ELSEWHERE],
    ["--dangerously-bypass-hook-trust", "in force", ELSEWHERE],
    ["--ephemeral", "in force", ELSEWHERE],
  ],
  gemini: [
    ["hooksConfig.enabled in the user's settings", "off", json("own", "settings.json", "hooksConfig.enabled", false)],
    ["hooksConfig.enabled in the project's settings", "off", json("project", ".gemini/settings.json", "hooksConfig.enabled", false)],
    ["hooksConfig.disabled in the user's settings", "off", json("own", "settings.json", "hooksConfig.disabled", "names zeph")],
    [
      "hooksConfig.disabled in the project's settings",
      "off",
      json("project", ".gemini/settings.json", "hooksConfig.disabled", "names zeph"),
    ],
    ["tools.enableHooks in the user's settings", "in force", ELSEWHERE],
    ["GEMINI_CLI_HOME", "off", variable("GEMINI_CLI_HOME", ".gemini/settings.json")],
    ["GEMINI_CLI_SYSTEM_SETTINGS_PATH", "in force", ELSEWHERE],
    ["GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "in force", ELSEWHERE],
    ["--extensions none", "in force", ELSEWHERE],
    ["--approval-mode yolo", "in force", ELSEWHERE],
  ],
  qwen: [
    ["disableAllHooks in the user's settings", "off", json("own", "settings.json", "disableAllHooks", true)],
    ["disableAllHooks in the project's settings", "off", json("project", ".qwen/settings.json", "disableAllHooks", true)],
    ["QWEN_CODE_SIMPLE in .env of the project", "off", setting("project", ".env", "variables", "QWEN_CODE_SIMPLE", "set")],
    ["QWEN_CODE_SAFE_MODE in .env of the project", "off", setting("project", ".env", "variables", "QWEN_CODE_SAFE_MODE", "set")],
    ["QWEN_CODE_SIMPLE in .qwen/.env of the project", "off", setting("project", ".qwen/.env", "variables", "QWEN_CODE_SIMPLE", "set")],
    [
      "QWEN_CODE_SAFE_MODE in .qwen/.env of the project",
      "off",
      setting("project", ".qwen/.env", "variables", "QWEN_CODE_SAFE_MODE", "set"),
    ],
    ["QWEN_CODE_SIMPLE in .env of the user", "off", setting("own", ".env", "variables", "QWEN_CODE_SIMPLE", "set")],
    ["QWEN_CODE_SIMPLE", "off", variable("QWEN_CODE_SIMPLE")],
    ["QWEN_CODE_SAFE_MODE", "off", variable("QWEN_CODE_SAFE_MODE")],
    ["QWEN_HOME", "off", variable("QWEN_HOME", "settings.json", ".env")],
    ["QWEN_CODE_SYSTEM_SETTINGS_PATH", "off", variable("QWEN_CODE_SYSTEM_SETTINGS_PATH")],
    ["--bare", "off", option("--bare")],
    ["--safe-mode", "off", option("--safe-mode")],
    ["hooksConfig.enabled in the user's settings", "in force", ELSEWHERE],
    ["hooksConfig.disabled in the user's settings", "in force", ELSEWHERE],
    ["--extensions none", "in force", ELSEWHERE],
    ["--yolo", "in force", ELSEWHERE],
  ],
  opencode: [
    ["--pure", "off", option("--pure")],
    ["OPENCODE_PURE", "off", variable("OPENCODE_PURE")],
    ["XDG_CONFIG_HOME", "off", variable("XDG_CONFIG_HOME", "opencode")],
    ["--attach to a server that runs elsewhere", "off", option("--attach"), "documents"],
    ["OPENCODE_CONFIG_DIR", "in force", ELSEWHERE],
    ["OPENCODE_CONFIG", "in force", ELSEWHERE],
    ["OPENCODE_CONFIG_CONTENT", "in force", ELSEWHERE],
    ["OPENCODE_DISABLE_PROJECT_CONFIG", "in force", ELSEWHERE],
    ["OPENCODE_DISABLE_DEFAULT_PLUGINS", "in force", ELSEWHERE],
    ["OPENCODE_TEST_HOME", "in force", ELSEWHERE],
    ["plugin in the user's opencode.json", "in force", ELSEWHERE],
    ["--auto", "in force", ELSEWHERE],
  ],
  pi: [
    ["extensions in the user's settings", "off", json("own", "settings.json", "extensions", "leaves zeph out")],
    ["extensions with ! in the user's settings", "off", json("own", "settings.json", "extensions", "leaves zeph out")],
    ["PI_CODING_AGENT_DIR", "off", variable("PI_CODING_AGENT_DIR", "extensions", "settings.json")],
    ["--no-extensions", "off", option("--no-extensions")],
    ["-ne", "off", option("-ne")],
    ["extensions in the project's settings", "in force", ELSEWHERE],
    ["--no-approve", "in force", ELSEWHERE],
  ],
  copilot: [
    ["disableAllHooks in zeph.json", "off", json("own", "hooks/zeph.json", "disableAllHooks", true)],
    ["disableAllHooks in the repository's settings", "off", json("project", ".github/copilot/settings.json", "disableAllHooks", true)],
    [
      "disableAllHooks in the repository's local settings",
      "off",
      json("project", ".github/copilot/settings.local.json", "disableAllHooks", true),
    ],
    ["COPILOT_HOME", "off", variable("COPILOT_HOME", "hooks", "settings.json", "config.json")],
    ["disableAllHooks in the user's settings.json", "in force", ELSEWHERE],
    ["disableAllHooks in the user's config.json", "in force", ELSEWHERE],
    ["disableAllHooks in another file of hooks", "in force", ELSEWHERE],
    ["disableAllHooks in a file of the repository's hooks", "in force", ELSEWHERE],
    ["XDG_CONFIG_HOME", "in force", ELSEWHERE],
    ["--no-custom-instructions", "in force", ELSEWHERE],
    ["--no-experimental", "in force", ELSEWHERE],
  ],
};

export const CLIENT_SWITCHES: readonly ClientSwitch[] = Object.entries(TABLE).flatMap(([client, rows]) =>
  rows.map(([name, effect, way, basis = "tried"]) => ({ client, name, effect, basis, way })),
);

const OFF = CLIENT_SWITCHES.filter(({ effect }) => effect === "off");

/** Variables by which an agent has no hooks, or others. */
export const SWITCH_VARIABLES: ReadonlySet<string> = new Set(OFF.flatMap(({ way }) => (way.kind === "variable" ? [way.variable] : [])));

/** Options by which one agent has no hooks, or others. */
export const switchOptions = (client: string): readonly string[] =>
  OFF.flatMap(({ client: whose, way }) => (whose === client && way.kind === "option" ? way.options : []));

/** Files in folders that such a variable names, as these variables say. */
export const movedFiles = (env: Readonly<Record<string, string | undefined>>): readonly string[] =>
  OFF.flatMap(({ way }) => {
    const folder = way.kind === "variable" ? env[way.variable] : undefined;
    if (way.kind !== "variable" || !folder?.startsWith("/")) return [];
    return (way.holds ?? []).map((name) => `${folder.replace(/\/+$/, "")}/${name}`);
  });
