import { quoteShell } from "../../text/quote-shell.ts";
/** How a client is told about Zeph: over stdio, or over HTTP where the client can. */
export interface Snippet {
  readonly client: string;
  /** Where it goes. */
  readonly file: string;
  readonly stdio: string;
  readonly http: string | null;
}

/** The words a client is asked for by; each is also the heading in the manual. */
export const CLIENTS = [
  "claude-code",
  "codex",
  "gemini",
  "qwen",
  "opencode",
  "copilot",
  "claude-desktop",
  "cursor",
  "vscode",
  "zed",
  "goose",
] as const;
export type SnippetClient = (typeof CLIENTS)[number];

export interface Addressed {
  /** The folder to work in; absent where the client says it, or starts us there. */
  readonly workspace?: string;
  /** The client asks about each call itself. */
  readonly asks?: "the client";
  readonly url?: string;
  readonly token?: string;
}

export function snippetFor(
  client: SnippetClient,
  { workspace, asks, url = "http://127.0.0.1:7344/mcp", token = "<token>" }: Addressed = {},
): Snippet {
  const flags = asks ? ["--asked-by-client"] : [];
  const args = ["mcp", ...flags, ...(workspace === undefined ? [] : ["--workspace", workspace])];
  const command = { command: "zeph", args };
  const at = workspace === undefined ? url : `${url}?workspace=${encodeURIComponent(workspace)}`;
  const bearer = `Bearer ${token}`;
  const headers = { Authorization: bearer };
  switch (client) {
    case "claude-desktop":
      return {
        client: "Claude Desktop",
        file: "claude_desktop_config.json (Settings, Developer, Edit Config)",
        stdio: json({ mcpServers: { zeph: { ...command, args: ["mcp", ...flags, "--workspace", workspace ?? "/path/to/your/project"] } } }),
        http: null,
      };
    case "claude-code":
      return {
        client: "Claude Code",
        file: "a command; for .mcp.json in the project it is the same entry",
        // Otherwise its model is told the names of tools only, and has to look for what they take.
        stdio: `claude mcp add-json zeph ${quoteShell(JSON.stringify({ ...command, alwaysLoad: true }))}`,
        http: `claude mcp add-json zeph ${quoteShell(JSON.stringify({ type: "http", url: at, headers, alwaysLoad: true }))}`,
      };
    case "cursor":
      return {
        client: "Cursor",
        file: "~/.cursor/mcp.json, or .cursor/mcp.json in the project",
        stdio: json({ mcpServers: { zeph: command } }),
        http: json({ mcpServers: { zeph: { url: at, headers } } }),
      };
    case "vscode":
      return {
        client: "VS Code",
        file: ".vscode/mcp.json in the project, or MCP: Open User Configuration",
        stdio: json({ servers: { zeph: { type: "stdio", ...command } } }),
        http: json({ servers: { zeph: { type: "http", url: at, headers } } }),
      };
    case "codex":
      return {
        client: "Codex",
        file: "~/.codex/config.toml",
        stdio: `[mcp_servers.zeph]\ncommand = "zeph"\nargs = ${JSON.stringify(args)}\n${REQUIRED}`,
        http: `# The token is read from this variable: export ZEPH_MCP_TOKEN=…\n[mcp_servers.zeph]\nurl = ${JSON.stringify(at)}\nbearer_token_env_var = "ZEPH_MCP_TOKEN"\n${REQUIRED}`,
      };
    case "gemini":
      return {
        client: "Gemini CLI",
        file: "~/.gemini/settings.json, or .gemini/settings.json in the project",
        stdio: json({ mcpServers: { zeph: command } }),
        http: json({ mcpServers: { zeph: { httpUrl: at, headers } } }),
      };
    case "qwen":
      return {
        client: "Qwen Code",
        file: "~/.qwen/settings.json, or .qwen/settings.json in the project",
        stdio: json({ mcpServers: { zeph: { ...command, alwaysLoadTools: true } } }),
        http: json({ mcpServers: { zeph: { httpUrl: at, headers, alwaysLoadTools: true } } }),
      };
    case "copilot":
      return {
        client: "Copilot CLI",
        file: "~/.copilot/mcp-config.json",
        stdio: json({ mcpServers: { zeph: { type: "local", ...command, tools: ["*"] } } }),
        http: json({ mcpServers: { zeph: { type: "http", url: at, headers, tools: ["*"] } } }),
      };
    case "opencode":
      return {
        client: "opencode",
        file: "opencode.json in the project, or ~/.config/opencode/opencode.json",
        stdio: json({ mcp: { zeph: { type: "local", command: ["zeph", ...args], enabled: true } } }),
        http: json({ mcp: { zeph: { type: "remote", url: at, headers, enabled: true } } }),
      };
    case "zed":
      return {
        client: "Zed",
        file: "settings.json (zed: open settings)",
        stdio: json({ context_servers: { zeph: { ...command, env: {} } } }),
        http: json({ context_servers: { zeph: { url: at, headers } } }),
      };
    case "goose":
      return {
        client: "goose",
        file: "~/.config/goose/config.yaml",
        stdio: yaml("stdio", [`cmd: zeph`, `args: ${JSON.stringify(args)}`]),
        http: yaml("streamable_http", [`uri: ${at}`, `headers: {Authorization: ${JSON.stringify(bearer)}}`]),
      };
  }
}

/** Codex asks its model about a second after its start, with the tools it knows by then; for one that is required it waits. */
const REQUIRED = "required = true";

/** With lists of words on one line, as a person would write it. */
const json = (value: object) =>
  JSON.stringify(value, null, 2).replace(/\[\n\s+([^[\]{}]*?)\n\s+\]/g, (_, words: string) => `[${words.replace(/\n\s+/g, " ")}]`);
const yaml = (type: string, lines: readonly string[]) =>
  [
    "extensions:",
    "  zeph:",
    "    enabled: true",
    `    type: ${type}`,
    "    name: zeph",
    ...lines.map((line) => `    ${line}`),
    "    timeout: 600",
  ].join("\n");
