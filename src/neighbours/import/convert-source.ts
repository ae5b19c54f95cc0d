import { isRecord } from "../../text/json.ts";
import { readClaudeRules } from "../rules/claude.ts";
import { type ClientRules, type Neighbour, valueIn } from "../rules/client-rule.ts";
import { readCodexRules } from "../rules/codex.ts";
import { readCursorRules } from "../rules/cursor.ts";
import { geminiToolKind, readGeminiPolicies, readGeminiRules } from "../rules/gemini.ts";
import { readOpencodeRules } from "../rules/opencode.ts";
import { convertFolders, convertMode, leaveKeys } from "./convert-modes.ts";
import { convertRules, DENIALS_ONLY, type SourceStanding } from "./convert-rules.ts";
import { convertServers } from "./convert-servers.ts";
import { type ImportEntry, type ImportLedger, openLedger, type SourceDocument } from "./ledger.ts";
import { TOOLS_BY_FOREIGN_NAME } from "./own-tools.ts";
import type { Piece } from "./piece.ts";
import type { CodexDocument } from "./read-document.ts";

/** What is in a file: the settings of an agent, its rules or policies, or a table of servers. */
export type SourceKind = `${Neighbour} settings` | "codex rules" | "gemini policies" | "servers" | "skills folder";

/** Everything a file says, as settings of ours, and what became of each part of it. `workspace` is the folder that the import is for. */
export function convertSource(
  kind: SourceKind,
  document: SourceDocument | CodexDocument,
  standing: SourceStanding,
  workspace: string,
): Converted {
  const ledger = openLedger(document);
  const rules = CONVERT[kind](document, standing, ledger, workspace);
  return { entries: ledger.close(), rules };
}

export interface Converted {
  readonly entries: readonly ImportEntry[];
  /** The rules of the file, as its own agent reads them. */
  readonly rules: readonly ClientRules[];
}

type Convert = (
  document: SourceDocument | CodexDocument,
  standing: SourceStanding,
  ledger: ImportLedger,
  workspace: string,
) => readonly ClientRules[];

const CONVERT: Readonly<Record<SourceKind, Convert>> = {
  "claude settings": convertClaude,
  "qwen settings": convertQwen,
  "gemini settings": convertGemini,
  "gemini policies": ({ data }, standing, ledger) => {
    const rules = readGeminiPolicies(data);
    for (const [n, rule] of (Array.isArray(valueIn(data, "rule")) ? (valueIn(data, "rule") as unknown[]) : []).entries())
      if (isRecord(rule) && rule.denyMessage !== undefined)
        ledger.claim(["rule", n, "denyMessage"], { list: "not taken", why: "a denial says its reason in Zeph's own words" });
    return take(rules, standing, ledger);
  },
  "codex settings": convertCodex,
  "codex rules": (document, standing, ledger) => take(readCodexRules((document as CodexDocument).statements), standing, ledger),
  "opencode settings": ({ data }, standing, ledger) => {
    leaveKeys(data, OPENCODE, ledger);
    convertServers(valueIn(data, "mcp"), ["mcp"], standing, ledger);
    return take(readOpencodeRules(data), standing, ledger);
  },
  "cursor settings": ({ data }, standing, ledger) => {
    convertServers(valueIn(data, "mcpServers"), ["mcpServers"], standing, ledger);
    return take(readCursorRules(data), standing, ledger);
  },
  servers: convertPasted,
  "skills folder": (_document, _standing, ledger) => {
    ledger.claim(["folder"], { list: "taken", pieces: [], why: "they are found there without a setting; zeph skills lists them" }, FOLDER);
    return [];
  },
};

const FOLDER = { written: "the skills in it", action: null };

function take(rules: ClientRules, standing: SourceStanding, ledger: ImportLedger): readonly ClientRules[] {
  convertRules(rules, standing, ledger);
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

function convertClaude(
  { data }: SourceDocument,
  standing: SourceStanding,
  ledger: ImportLedger,
  workspace: string,
): readonly ClientRules[] {
  leaveKeys(data, CLAUDE, ledger);
  convertMode(data, ["permissions", "defaultMode"], standing, ledger);
  convertFolders(data, ["permissions", "additionalDirectories"], "tools.file.allowed_paths", standing, ledger);
  convertServers(valueIn(data, "mcpServers"), ["mcpServers"], standing, ledger);
  const projects = valueIn(data, "projects");
  for (const folder of isRecord(projects) ? Object.keys(projects) : []) {
    if (folder === workspace) convertServers(valueIn(projects, folder, "mcpServers"), ["projects", folder, "mcpServers"], standing, ledger);
    ledger.claim(["projects", folder], {
      list: "not taken",
      why: folder === workspace ? "it is the agent's own memory" : "it is of another folder",
    });
  }
  return take(readClaudeRules(data), standing, ledger);
}

function convertQwen({ data }: SourceDocument, standing: SourceStanding, ledger: ImportLedger): readonly ClientRules[] {
  leaveKeys(data, { hooks: PROGRAMS, env: VARIABLES, model: CLAUDE.model!, "security.folderTrust": TRUST }, ledger);
  for (const path of [["tools", "approvalMode"], ["approvalMode"]]) convertMode(data, path, standing, ledger);
  convertServers(valueIn(data, "mcpServers"), ["mcpServers"], standing, ledger);
  return [...take(readClaudeRules(data, "qwen"), standing, ledger), ...takeLists(data, "qwen", standing, ledger)];
}

function convertGemini({ data }: SourceDocument, standing: SourceStanding, ledger: ImportLedger): readonly ClientRules[] {
  leaveKeys(
    data,
    { hooks: PROGRAMS, model: CLAUDE.model!, "security.folderTrust": TRUST, "security.auth": "keys are not taken over" },
    ledger,
  );
  for (const path of [["general", "defaultApprovalMode"], ["tools", "approvalMode"], ["approvalMode"]])
    convertMode(data, path, standing, ledger);
  convertServers(valueIn(data, "mcpServers"), ["mcpServers"], standing, ledger);
  return takeLists(data, "gemini", standing, ledger);
}

/** `tools.core` is the list of all tools there are: what is not in it is not used here either. */
function takeLists(data: unknown, client: Neighbour, standing: SourceStanding, ledger: ImportLedger): readonly ClientRules[] {
  const rules = readGeminiRules(data, client);
  const { core } = rules;
  if (core !== null && standing.allows !== "all") ledger.claim(core.at, { list: "not taken", why: DENIALS_ONLY });
  convertRules(rules, standing, ledger);
  if (core === null || standing.allows !== "all") return [rules];
  const ownOf = (tool: string) => TOOLS_BY_FOREIGN_NAME[tool.toLowerCase()] ?? (geminiToolKind(tool) === "command" ? ["bash"] : []);
  const own = [...new Set(core.tools.flatMap(ownOf))];
  const pieces: readonly Piece[] = [
    { kind: "setting", key: "tools.scoped.enabled", value: true },
    ...own.map((value): Piece => ({ kind: "value", list: "tools.scoped.allowed_tools", value })),
  ];
  const first = core.tools.findIndex((tool) => ownOf(tool).length > 0);
  for (const [n, tool] of core.tools.entries())
    if (ownOf(tool).length > 0) ledger.claim([...core.at, n], { list: "taken", pieces: n === first ? pieces : [] });
    else ledger.claim([...core.at, n], { list: "not taken", why: `Zeph has no tool that ${tool} would be` });
  if (own.length === 0) ledger.claim(core.at, { list: "not taken", why: "it leaves no tool that Zeph has" });
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

function convertCodex({ data }: SourceDocument, standing: SourceStanding, ledger: ImportLedger): readonly ClientRules[] {
  leaveKeys(data, CODEX, ledger);
  const [approval, sandbox] = [valueIn(data, "approval_policy"), valueIn(data, "sandbox_mode")];
  const isReadonly = sandbox === "read-only";
  if (isReadonly)
    ledger.claim(
      ["sandbox_mode"],
      { list: "taken", pieces: [{ kind: "setting", key: "autonomy", value: "readonly" }] },
      { written: "sandbox_mode read-only", action: null },
    );
  else if (sandbox === "workspace-write")
    ledger.claim(["sandbox_mode"], { list: "taken", pieces: [], why: "commands write in the workspace behind Zeph's walls" });
  else if (sandbox !== undefined) ledger.claim(["sandbox_mode"], { list: "not taken", why: "walls are never taken down by an import" });
  if (approval === "never" && !isReadonly)
    ledger.claim(["approval_policy"], { list: "not taken", why: "a mode that asks nobody is never taken over; Zeph stays supervised" });
  else if (approval !== undefined) ledger.claim(["approval_policy"], { list: "taken", pieces: [], why: "Zeph asks by itself" });
  convertFolders(data, ["sandbox_workspace_write", "writable_roots"], "tools.sandbox.allow_write", standing, ledger);
  convertServers(valueIn(data, "mcp_servers"), ["mcp_servers"], standing, ledger);
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
function convertPasted({ data }: SourceDocument, standing: SourceStanding, ledger: ImportLedger): readonly ClientRules[] {
  const keys = ["mcpServers", "mcp_servers", "servers"].filter((key) => isRecord(valueIn(data, key)));
  for (const key of keys) convertServers(valueIn(data, key), [key], standing, ledger);
  const isTable =
    keys.length === 0 && isRecord(data) && Object.values(data).every((one) => isRecord(one) && ("command" in one || "url" in one));
  if (isTable) convertServers(data, [], standing, ledger);
  return [];
}
