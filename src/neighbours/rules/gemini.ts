import { isRecord } from "../../text/json.ts";
import {
  type ClientRule,
  type ClientRules,
  type Neighbour,
  type RuleAction,
  type RuleTarget,
  type UnreadRule,
  valueIn,
  writtenText,
} from "./client-rule.ts";

/** The names of its tools, by what they do. */
const TOOLS: Readonly<Record<string, "command" | "read" | "write" | "fetch">> = {
  run_shell_command: "command",
  shelltool: "command",
  read_file: "read",
  readfiletool: "read",
  read_many_files: "read",
  list_directory: "read",
  glob: "read",
  grep_search: "read",
  search_file_content: "read",
  write_file: "write",
  writefiletool: "write",
  replace: "write",
  edit: "write",
  edittool: "write",
  web_fetch: "fetch",
};

/** Where the lists of tools stand: in `tools`, and as older versions wrote them. */
const LISTS: Readonly<Record<"exclude" | "core" | "allowed", readonly (readonly string[])[]>> = {
  exclude: [["tools", "exclude"], ["excludeTools"]],
  core: [["tools", "core"], ["coreTools"]],
  allowed: [["tools", "allowed"], ["allowedTools"]],
};

const ABOUT = { command: "command", read: "path", write: "path", fetch: "address", none: "nothing" } as const;

interface Named {
  readonly at: readonly (string | number)[];
  readonly written: string;
  readonly tool: string;
  readonly inside: string | null;
}

/** What `tools.core` leaves: the kinds of tools that stay, and where that is written. Null where there is no such list. */
export interface CoreTools {
  readonly at: readonly string[];
  readonly tools: readonly string[];
}

/** `tools.{exclude,core,allowed}`: names of tools, and `run_shell_command(git status)` for commands that begin so. */
export function readGeminiRules(data: unknown, client: Neighbour = "gemini"): ClientRules & { readonly core: CoreTools | null } {
  const rules: ClientRule[] = [];
  const unread: UnreadRule[] = [];
  const take = (action: RuleAction, { at: place, written, tool, inside }: Named) => {
    const target = targetOf(tool, inside);
    if (typeof target === "string")
      unread.push({ at: place, written, action, why: target, about: tool === "" ? "anything" : ABOUT[geminiToolKind(tool) ?? "none"] });
    else rules.push({ at: place, written, action, target });
  };
  const bad = (list: readonly (readonly string[])[]) => {
    for (const path of list)
      if (valueIn(data, ...path) !== undefined && !Array.isArray(valueIn(data, ...path)))
        unread.push({ at: path, written: path.join("."), action: null, why: "it is no list of tools", about: "anything" });
  };
  for (const list of Object.values(LISTS)) bad(list);
  for (const named of namesIn(data, LISTS.exclude)) take("deny", named);
  const core = namesIn(data, LISTS.core);
  const shell = core.filter(({ tool }) => TOOLS[tool.toLowerCase()] === "command");
  for (const named of shell) if (named.inside !== null) take("allow", named);
  if (shell.length > 0 && shell.every(({ inside }) => inside !== null))
    rules.push({ at: shell[0]!.at, written: shell[0]!.written, action: "deny", target: { kind: "command", pattern: { kind: "any" } } });
  for (const named of namesIn(data, LISTS.allowed)) take("allow", named);
  const place = LISTS.core.find((path) => Array.isArray(valueIn(data, ...path)));
  return { client, decides: "first", rules, unread, core: place === undefined ? null : { at: place, tools: core.map(({ tool }) => tool) } };
}

function namesIn(data: unknown, places: readonly (readonly string[])[]): readonly Named[] {
  return places.flatMap((path) => {
    const list = valueIn(data, ...path);
    if (!Array.isArray(list)) return [];
    return list.map((written, n): Named => {
      const [, tool = "", , inside = null] = /^\s*([\w-]+)\s*(\(([\s\S]*)\))?\s*$/.exec(writtenText(written)) ?? [];
      return { at: [...path, n], written: writtenText(written), tool, inside };
    });
  });
}

export const geminiToolKind = (tool: string): "command" | "read" | "write" | "fetch" | undefined => TOOLS[tool.toLowerCase()];

function targetOf(tool: string, inside: string | null): RuleTarget | string {
  const kind = geminiToolKind(tool);
  if (kind === undefined) return tool === "" ? "it cannot be read as the name of a tool" : `Zeph has no tool that ${tool} would be`;
  if (kind === "command") {
    const words = inside?.trim().split(/\s+/) ?? [];
    return { kind, pattern: words.length === 0 || words[0] === "" ? { kind: "any" } : { kind: "prefix", words } };
  }
  if (inside !== null) return "what stands in the brackets is only known of commands";
  return kind === "fetch" ? { kind: "host", host: null } : { kind: "path", access: kind, pattern: null };
}

const DECISIONS: Readonly<Record<string, RuleAction>> = { deny: "deny", ask_user: "ask", allow: "allow" };

/** A file of policies: `[[rule]]` with a tool, a decision and a priority. The highest is asked first. */
export function readGeminiPolicies(data: unknown): ClientRules {
  const list = valueIn(data, "rule");
  const entries = Array.isArray(list) ? list : [];
  const unread: UnreadRule[] = [];
  const rules = entries
    .flatMap((entry: unknown, n) => {
      const place = ["rule", n];
      const { decision, priority = 0 } = isRecord(entry) ? entry : {};
      const action = typeof decision === "string" && Object.hasOwn(DECISIONS, decision) ? DECISIONS[decision]! : null;
      const found = action === null ? "its decision is none that Zeph knows" : isRecord(entry) ? policyTargets(entry) : "it is no rule";
      const written = policyText(entry);
      if (typeof found === "string") {
        unread.push({ at: place, written, action, why: found, about: "anything" });
        return [];
      }
      const only = isRecord(entry) ? onlyWhen(entry) : null;
      return found.map((target) => ({
        priority: typeof priority === "number" ? priority : 0,
        rule: { at: place, written, action: action!, target, ...(only !== null && { only }) },
      }));
    })
    .sort((a, b) => b.priority - a.priority)
    .map(({ rule }) => rule);
  return { client: "gemini", decides: "first", rules, unread };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

function policyText(entry: unknown): string {
  const { toolName, commandPrefix, commandRegex, argsPattern, mcpName } = isRecord(entry) ? entry : {};
  const what = listOf(commandPrefix ?? commandRegex ?? argsPattern).join(", ");
  return `${[mcpName, listOf(toolName).join(", ")].filter((text) => text !== undefined && text !== "").join("/")}${what && `(${what})`}`;
}

/** Conditions that are none of the call itself. */
function onlyWhen(entry: Readonly<Record<string, unknown>>): string | null {
  const known = ["modes", "interactive", "subagent", "toolAnnotations"].filter((key) => entry[key] !== undefined);
  return known.length === 0 ? null : known.join(", ");
}

function policyTargets(entry: Readonly<Record<string, unknown>>): readonly RuleTarget[] | string {
  const names = listOf(entry.toolName);
  if (!names.every((name): name is string => typeof name === "string")) return "its toolName is no name";
  if (entry.mcpName !== undefined) return serverTargets(entry, names);
  if (names.length === 0 || names.some((name) => name.includes("*"))) return "it speaks of tools by a pattern";
  const found: RuleTarget[] = [];
  for (const name of names) {
    const [, server, serverTool] = /^mcp_([^_]+)_(.+)$/.exec(name) ?? [];
    const kind = geminiToolKind(name);
    if (server !== undefined) found.push({ kind: "server", server, tool: serverTool! });
    else if (kind === undefined) return `Zeph has no tool that ${name} would be`;
    else found.push(...toolTargets(kind, entry));
  }
  return found;
}

function toolTargets(kind: "command" | "read" | "write" | "fetch", entry: Readonly<Record<string, unknown>>): readonly RuleTarget[] {
  const expression = entry.commandRegex ?? entry.argsPattern;
  if (typeof expression === "string") return [{ kind: "arguments", tool: kind, expression }];
  if (kind === "fetch") return [{ kind: "host", host: null }];
  if (kind !== "command") return [{ kind: "path", access: kind, pattern: null }];
  const prefixes = listOf(entry.commandPrefix);
  if (prefixes.length === 0) return [{ kind, pattern: { kind: "any" } }];
  return prefixes.map((prefix) => ({ kind, pattern: { kind: "prefix", words: String(prefix).trim().split(/\s+/) } }));
}

function serverTargets(
  { mcpName, argsPattern }: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly RuleTarget[] | string {
  if (typeof mcpName !== "string" || mcpName.includes("*")) return "the server is not named";
  if (argsPattern !== undefined) return "what a tool of a server is given cannot be told apart";
  const whole = names.length === 0 || names.includes("*");
  return whole ? [{ kind: "server", server: mcpName, tool: null }] : names.map((tool) => ({ kind: "server", server: mcpName, tool }));
}
