import { readClaudeRules } from "../rules/claude.ts";
import { at, type Client, type ClientRules, isRecord } from "../rules/client-rule.ts";
import { readCodexRules } from "../rules/codex.ts";
import { readCursorRules } from "../rules/cursor.ts";
import { geminiToolKind, readGeminiPolicies, readGeminiRules } from "../rules/gemini.ts";
import { readOpencodeRules } from "../rules/opencode.ts";
import { type Account, createAccount, type Entry, type SourceDocument } from "./account.ts";
import { convertFolders, convertMode, refuseKeys } from "./convert-modes.ts";
import { convertRules, DENIALS_ONLY, type SourceStanding } from "./convert-rules.ts";
import { convertServers } from "./convert-servers.ts";
import type { Piece } from "./piece.ts";
import type { CodexDocument } from "./read-document.ts";

/** What is in a file: the settings of an agent, its rules or policies, or a table of servers. */
export type SourceKind = `${Client} settings` | "codex rules" | "gemini policies" | "servers";

/** Everything a file says, as settings of ours, and what became of each part of it. `workspace` is the folder that the import is for. */
export function convertSource(
  kind: SourceKind,
  document: SourceDocument | CodexDocument,
  standing: SourceStanding,
  workspace: string,
): Converted {
  const account = createAccount(document);
  const rules = CONVERT[kind](document, standing, account, workspace);
  return { entries: account.close(), rules };
}

export interface Converted {
  readonly entries: readonly Entry[];
  /** The rules of the file, as its own agent reads them. */
  readonly rules: readonly ClientRules[];
}

type Convert = (
  document: SourceDocument | CodexDocument,
  standing: SourceStanding,
  account: Account,
  workspace: string,
) => readonly ClientRules[];

const CONVERT: Readonly<Record<SourceKind, Convert>> = {
  "claude settings": convertClaude,
  "qwen settings": convertQwen,
  "gemini settings": convertGemini,
  "gemini policies": ({ data }, standing, account) => {
    const rules = readGeminiPolicies(data);
    for (const [n, rule] of (Array.isArray(at(data, "rule")) ? (at(data, "rule") as unknown[]) : []).entries())
      if (isRecord(rule) && rule.denyMessage !== undefined)
        account.claim(["rule", n, "denyMessage"], { list: "not taken", why: "a denial says its reason in Zeph's own words" });
    return take(rules, standing, account);
  },
  "codex settings": convertCodex,
  "codex rules": (document, standing, account) => take(readCodexRules((document as CodexDocument).statements), standing, account),
  "opencode settings": ({ data }, standing, account) => {
    refuseKeys(data, OPENCODE, account);
    convertServers(at(data, "mcp"), ["mcp"], standing, account);
    return take(readOpencodeRules(data), standing, account);
  },
  "cursor settings": ({ data }, standing, account) => {
    convertServers(at(data, "mcpServers"), ["mcpServers"], standing, account);
    return take(readCursorRules(data), standing, account);
  },
  servers: convertPasted,
};

function take(rules: ClientRules, standing: SourceStanding, account: Account): readonly ClientRules[] {
  convertRules(rules, standing, account);
  return [rules];
}

const PROGRAMS = "a program that the agent starts is not taken over; write it as [[hooks.pre_tool]] if you want it";
const VARIABLES = "variables are not taken over: commands see what tools.shell lets them see";
const TRUST = "what an agent trusts is never taken over; say it yourself with zeph trust";

const CLAUDE: Readonly<Record<string, string>> = {
  env: VARIABLES,
  apiKeyHelper: "keys are not taken over, nor programs that tell them",
  awsAuthRefresh: "keys are not taken over, nor programs that tell them",
  hooks: PROGRAMS,
  statusLine: PROGRAMS,
  enableAllProjectMcpServers: TRUST,
  enabledMcpjsonServers: TRUST,
  disabledMcpjsonServers: "servers that are switched off are not taken over in the first place",
  skipDangerousModePermissionPrompt: TRUST,
  model: "the model is set in llm.providers",
};

function convertClaude({ data }: SourceDocument, standing: SourceStanding, account: Account, workspace: string): readonly ClientRules[] {
  refuseKeys(data, CLAUDE, account);
  convertMode(data, ["permissions", "defaultMode"], standing, account);
  convertFolders(data, ["permissions", "additionalDirectories"], "tools.file.allowed_paths", standing, account);
  convertServers(at(data, "mcpServers"), ["mcpServers"], standing, account);
  const projects = at(data, "projects");
  for (const folder of isRecord(projects) ? Object.keys(projects) : []) {
    if (folder === workspace) convertServers(at(projects, folder, "mcpServers"), ["projects", folder, "mcpServers"], standing, account);
    account.claim(["projects", folder], {
      list: "not taken",
      why: folder === workspace ? "it is the agent's own memory" : "it is of another folder",
    });
  }
  return take(readClaudeRules(data), standing, account);
}

function convertQwen({ data }: SourceDocument, standing: SourceStanding, account: Account): readonly ClientRules[] {
  refuseKeys(data, { hooks: PROGRAMS, env: VARIABLES, model: CLAUDE.model!, "security.folderTrust": TRUST }, account);
  for (const path of [["tools", "approvalMode"], ["approvalMode"]]) convertMode(data, path, standing, account);
  convertServers(at(data, "mcpServers"), ["mcpServers"], standing, account);
  return [...take(readClaudeRules(data, "qwen"), standing, account), ...takeLists(data, "qwen", standing, account)];
}

function convertGemini({ data }: SourceDocument, standing: SourceStanding, account: Account): readonly ClientRules[] {
  refuseKeys(
    data,
    { hooks: PROGRAMS, model: CLAUDE.model!, "security.folderTrust": TRUST, "security.auth": "keys are not taken over" },
    account,
  );
  for (const path of [["general", "defaultApprovalMode"], ["tools", "approvalMode"], ["approvalMode"]])
    convertMode(data, path, standing, account);
  convertServers(at(data, "mcpServers"), ["mcpServers"], standing, account);
  return takeLists(data, "gemini", standing, account);
}

/** Our tools, by what those of others do. */
const OWN_TOOLS: Readonly<Record<string, readonly string[]>> = {
  read_file: ["read"],
  read_many_files: ["read"],
  list_directory: ["list_directory"],
  glob: ["find_path"],
  grep_search: ["grep"],
  search_file_content: ["grep"],
  write_file: ["write"],
  replace: ["edit"],
  edit: ["edit"],
  web_fetch: ["fetch", "web_scrape"],
};

/** `tools.core` is the list of all tools there are: what is not in it is not used here either. */
function takeLists(data: unknown, client: Client, standing: SourceStanding, account: Account): readonly ClientRules[] {
  const rules = readGeminiRules(data, client);
  const { core } = rules;
  if (core !== null && standing.allows !== "all") account.claim(core.at, { list: "not taken", why: DENIALS_ONLY });
  convertRules(rules, standing, account);
  if (core === null || standing.allows !== "all") return [rules];
  const ownOf = (tool: string) => OWN_TOOLS[tool.toLowerCase()] ?? (geminiToolKind(tool) === "command" ? ["bash"] : []);
  const own = [...new Set(core.tools.flatMap(ownOf))];
  const pieces: readonly Piece[] = [
    { kind: "setting", key: "tools.scoped.enabled", value: true },
    ...own.map((value): Piece => ({ kind: "value", list: "tools.scoped.allowed_tools", value })),
  ];
  const first = core.tools.findIndex((tool) => ownOf(tool).length > 0);
  for (const [n, tool] of core.tools.entries())
    if (ownOf(tool).length > 0) account.claim([...core.at, n], { list: "taken", pieces: n === first ? pieces : [] });
    else account.claim([...core.at, n], { list: "not taken", why: `Zeph has no tool that ${tool} would be` });
  if (own.length === 0) account.claim(core.at, { list: "not taken", why: "it leaves no tool that Zeph has" });
  return [rules];
}

const CODEX: Readonly<Record<string, string>> = {
  projects: TRUST,
  model: CLAUDE.model!,
  hooks: PROGRAMS,
  notify: PROGRAMS,
  shell_environment_policy: VARIABLES,
  "sandbox_workspace_write.network_access":
    "Zeph opens the network to commands name by name (tools.sandbox.allow_domains), and asks about each",
};

function convertCodex({ data }: SourceDocument, standing: SourceStanding, account: Account): readonly ClientRules[] {
  refuseKeys(data, CODEX, account);
  const [approval, sandbox] = [at(data, "approval_policy"), at(data, "sandbox_mode")];
  const isReadonly = sandbox === "read-only";
  if (isReadonly)
    account.claim(
      ["sandbox_mode"],
      { list: "taken", pieces: [{ kind: "setting", key: "autonomy", value: "readonly" }] },
      { written: "sandbox_mode read-only", action: null },
    );
  else if (sandbox === "workspace-write")
    account.claim(["sandbox_mode"], { list: "taken", pieces: [], why: "commands write in the workspace behind Zeph's walls" });
  else if (sandbox !== undefined) account.claim(["sandbox_mode"], { list: "not taken", why: "walls are never taken down by an import" });
  if (approval === "never" && !isReadonly)
    account.claim(["approval_policy"], { list: "not taken", why: "a mode that asks nobody is never taken over; Zeph stays supervised" });
  else if (approval !== undefined) account.claim(["approval_policy"], { list: "taken", pieces: [], why: "Zeph asks by itself" });
  convertFolders(data, ["sandbox_workspace_write", "writable_roots"], "tools.sandbox.allow_write", standing, account);
  convertServers(at(data, "mcp_servers"), ["mcp_servers"], standing, account);
  return [];
}

const OPENCODE: Readonly<Record<string, string>> = {
  plugin: PROGRAMS,
  agent: "rules of one agent alone have no counterpart",
  mode: "rules of one agent alone have no counterpart",
  provider: "keys and models are set in llm.providers",
  model: CLAUDE.model!,
  "permission.external_directory": "the file tools work in the folder alone (tools.file.allowed_paths)",
  "permission.doom_loop": "Zeph watches for repeated calls by itself",
};

/** `{"mcpServers": …}`, or the table itself, as pages of servers print it. */
function convertPasted({ data }: SourceDocument, standing: SourceStanding, account: Account): readonly ClientRules[] {
  const keys = ["mcpServers", "mcp_servers", "servers"].filter((key) => isRecord(at(data, key)));
  for (const key of keys) convertServers(at(data, key), [key], standing, account);
  const isTable =
    keys.length === 0 && isRecord(data) && Object.values(data).every((one) => isRecord(one) && ("command" in one || "url" in one));
  if (isTable) convertServers(data, [], standing, account);
  return [];
}
