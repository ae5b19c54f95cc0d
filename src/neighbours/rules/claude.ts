import { SERVER_PREFIX } from "../../core/facets.ts";
import {
  type ClientRule,
  type ClientRules,
  type Neighbour,
  NO_TEXT,
  type RuleAction,
  type RuleTarget,
  type UnreadRule,
  valueIn,
  writtenText,
} from "./client-rule.ts";
import type { CommandPattern } from "./command-pattern.ts";
import { readPathPattern } from "./path-pattern.ts";

/** The strictest first, which is how they are heard. */
const ACTIONS: readonly RuleAction[] = ["deny", "ask", "allow"];

/** `permissions.{deny,ask,allow}`: `Tool`, or `Tool(what)`. Qwen reads the same. */
export function readClaudeRules(data: unknown, client: Neighbour = "claude"): ClientRules {
  const rules: ClientRule[] = [];
  const unread: UnreadRule[] = [];
  for (const action of ACTIONS) {
    const list = valueIn(data, "permissions", action);
    if (list === undefined) continue;
    if (!Array.isArray(list)) {
      unread.push({ at: ["permissions", action], written: action, action, why: "it is no list of rules", about: "anything" });
      continue;
    }
    for (const [n, written] of list.entries()) {
      const place = ["permissions", action, n];
      const found = typeof written === "string" ? readClaudeRule(written) : NO_TEXT;
      const about = typeof written === "string" ? aboutOf(written) : "anything";
      if (typeof found === "string") unread.push({ at: place, written: writtenText(written), action, why: found, about });
      else for (const target of found) rules.push({ at: place, written: written as string, action, target });
    }
  }
  return { client, decides: "strictest", rules, unread };
}

/** What a rule speaks of that cannot be read. */
function aboutOf(written: string): UnreadRule["about"] {
  if (written.startsWith(SERVER_PREFIX)) return "server";
  const tool = /^([\w*]+)/.exec(written.trim())?.[1]?.toLowerCase();
  if (tool === undefined || tool.includes("*")) return "anything";
  const kind = TOOLS[tool];
  return kind === undefined ? "nothing" : kind === "command" ? "command" : kind === "fetch" ? "address" : "path";
}

/** What a rule is about; a reason where that has no counterpart. */
function readClaudeRule(written: string): readonly RuleTarget[] | string {
  if (written.startsWith(SERVER_PREFIX)) return readServerRule(written);
  const [, tool = "", bracket, what = ""] = /^([\w*]+)\s*(\((.*)\))?$/s.exec(written.trim()) ?? [];
  const kind = TOOLS[tool.toLowerCase()];
  if (kind === undefined) return tool === "" ? "it cannot be read as a rule" : `Zeph has no tool that ${tool} would be`;
  const spec = bracket === undefined || what.trim() === "*" || what.trim() === "" ? null : what;
  if (kind === "command" && spec !== null && OF_ARGUMENT.test(spec)) return "it speaks of an argument, and not of the command";
  if (kind === "command") return [{ kind, pattern: spec === null ? { kind: "any" } : readClaudeCommand(spec) }];
  if (kind === "fetch") return readHostRule(spec);
  if (spec?.startsWith("!")) return "a pattern that takes something out of another one has no counterpart";
  const pattern = spec === null || spec === "**" ? null : readPathPattern(spec);
  return [{ kind: "path", access: kind, pattern }];
}

/** `Tool(argument:value)`. */
const OF_ARGUMENT = /^(command|description|timeout|run_in_background|dangerouslyDisableSandbox):(?!\*$)/;

/** The tools by what they do, with the names that qwen has for them. */
const TOOLS: Readonly<Record<string, "command" | "read" | "write" | "fetch">> = {
  bash: "command",
  shell: "command",
  run_shell_command: "command",
  read: "read",
  read_file: "read",
  grep: "read",
  glob: "read",
  ls: "read",
  edit: "write",
  multiedit: "write",
  notebookedit: "write",
  write: "write",
  write_file: "write",
  webfetch: "fetch",
  web_fetch: "fetch",
};

/** `x:*` is a prefix at a word; a `*` anywhere else stands for anything. */
export function readClaudeCommand(spec: string): CommandPattern {
  if (spec.endsWith(":*") && !spec.slice(0, -2).includes("*")) return { kind: "prefix", words: wordsOf(spec.slice(0, -2)) };
  if (spec.endsWith(":*")) return { kind: "wildcard", text: `${spec.slice(0, -2)}*`, question: false };
  return spec.includes("*") ? { kind: "wildcard", text: spec, question: false } : { kind: "exact", text: spec };
}

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

function readHostRule(spec: string | null): readonly RuleTarget[] | string {
  if (spec === null) return [{ kind: "host", host: null }];
  const [, host] = /^domain:(.+)$/.exec(spec.trim()) ?? [];
  if (host === undefined) return "only `domain:` says which addresses are meant";
  return host === "*" ? [{ kind: "host", host: null }] : [{ kind: "host", host: host.toLowerCase() }];
}

/** `mcp__server`, `mcp__server__tool`, `mcp__server__*`. */
function readServerRule(written: string): readonly RuleTarget[] | string {
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(written) ?? [];
  if (server === undefined || /[*()\s]/.test(server)) return "the server is not named";
  if (tool === undefined || tool === "*") return [{ kind: "server", server, tool: null }];
  return /[()\s]/.test(tool) ? "what a tool of a server is given cannot be told apart" : [{ kind: "server", server, tool }];
}
