import { isRecord } from "../../text/json.ts";
import {
  type ClientRule,
  type ClientRules,
  type RuleAction,
  type RuleTarget,
  type SourcePath,
  type UnreadRule,
  valueIn,
} from "./client-rule.ts";

type Kind = "command" | "read" | "write" | "fetch";
const TOOLS: Readonly<Record<string, readonly Kind[]>> = {
  bash: ["command"],
  edit: ["write"],
  write: ["write"],
  patch: ["write"],
  read: ["read"],
  grep: ["read"],
  glob: ["read"],
  list: ["read"],
  webfetch: ["fetch"],
  "*": ["command", "write", "read", "fetch"],
};
const ACTIONS: readonly string[] = ["allow", "ask", "deny"];

/** `permission`: by tool, a word or a table of patterns. The last that matches wins, so they are asked from the end. */
export function readOpencodeRules(data: unknown): ClientRules {
  const rules: ClientRule[] = [];
  const unread: UnreadRule[] = [];
  const permission = valueIn(data, "permission");
  const take = (place: SourcePath, tool: string, pattern: string, action: unknown) => {
    const written = tool === "*" && pattern === "*" ? "*" : `${tool}(${pattern})`;
    if (typeof action !== "string" || !ACTIONS.includes(action))
      return void unread.push({ at: place, written, action: null, why: "it is neither allow, ask nor deny", about: "anything" });
    const kinds = Object.hasOwn(TOOLS, tool) ? TOOLS[tool]! : null;
    if (kinds === null)
      return void unread.push({
        at: place,
        written,
        action: action as RuleAction,
        why: `Zeph has no tool that ${tool} would be`,
        about: tool.includes("*") ? "anything" : "nothing",
      });
    for (const kind of kinds) rules.push({ at: place, written, action: action as RuleAction, target: targetOf(kind, pattern) });
  };
  if (typeof permission === "string") take(["permission"], "*", "*", permission);
  else if (isRecord(permission))
    for (const [tool, said] of Object.entries(permission))
      if (!isRecord(said)) take(["permission", tool], tool, "*", said);
      else for (const [pattern, action] of Object.entries(said)) take(["permission", tool, pattern], tool, pattern, action);
  else if (permission !== undefined)
    unread.push({ at: ["permission"], written: "permission", action: null, why: "it is no table of rules", about: "anything" });
  return { client: "opencode", decides: "first", rules: rules.reverse(), unread };
}

function targetOf(kind: Kind, pattern: string): RuleTarget {
  const isAll = /^\*+$/.test(pattern);
  if (kind === "command") return { kind, pattern: isAll ? { kind: "any" } : { kind: "wildcard", text: pattern, question: true } };
  if (kind === "fetch") return isAll ? { kind: "host", host: null } : { kind: "address", wildcard: pattern };
  if (isAll) return { kind: "path", access: kind, pattern: null };
  const [root, glob] = pattern.startsWith("~/")
    ? (["home", pattern.slice(2)] as const)
    : pattern.startsWith("/")
      ? (["absolute", pattern.slice(1)] as const)
      : (["workspace", pattern] as const);
  return { kind: "path", access: kind, pattern: { root, glob, style: "wildcard" } };
}
