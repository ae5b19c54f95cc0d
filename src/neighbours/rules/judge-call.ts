import { RE2JS } from "re2js";
import type { ClientRule, ClientRules, RuleAction, RuleTarget } from "./client-rule.ts";
import { commandParts, createWildcard, matchesCommand } from "./command-pattern.ts";
import { matchesPath, type PathRoots } from "./path-pattern.ts";

/** A call of another agent, as far as its rules speak of it. Paths are whole. */
export type ClientCall =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "path"; readonly access: "read" | "write"; readonly path: string }
  | { readonly kind: "address"; readonly url: string }
  | { readonly kind: "server"; readonly server: string; readonly tool: string };

/** What the rules of the agent say about a call; `unruled` where none speaks of it; `unsure` where a rule that could speak of it cannot be read. */
export type ClientVerdict = RuleAction | "unruled" | "unsure";

const RANK: Readonly<Record<ClientVerdict, number>> = { allow: 0, unruled: 1, unsure: 2, ask: 3, deny: 4 };
export const strictestVerdict = (verdicts: readonly ClientVerdict[]): ClientVerdict =>
  verdicts.reduce((worst, one) => (RANK[one] > RANK[worst] ? one : worst), "allow");

/** Judges a call as the agent itself would, by the rules of one file. In doubt stricter, never looser. */
export function judgeClientCall(rules: ClientRules, call: ClientCall, roots: PathRoots): ClientVerdict {
  if (call.kind !== "command") return decide(rules, call.kind, (target) => speaksOf(target, call, roots));
  const { parts, isWhole } = commandParts(call.command);
  const each = parts.map((part) => decide(rules, call.kind, (target) => ofCommand(target, part, call.command)));
  if (isWhole) return strictestVerdict(each);
  // Where not all of it could be read, rules that allow what was read are not enough.
  const whole = decide(rules, call.kind, (target) => ofCommand(target, { text: call.command, words: call.command }, call.command));
  return strictestVerdict([...each, whole, "unruled"]);
}

function decide({ decides, rules, unread }: ClientRules, kind: ClientCall["kind"], speaks: (target: RuleTarget) => boolean): ClientVerdict {
  const heard = rules.filter((rule) => speaks(rule.target) && !(rule.only !== undefined && rule.action === "allow"));
  const said = decides === "first" ? heard[0]?.action : strictestOf(heard);
  if (said === "deny" || !unread.some(({ action, about }) => action !== "allow" && (about === kind || about === "anything")))
    return said ?? "unruled";
  return strictestVerdict([said ?? "unruled", "unsure"]);
}

const strictestOf = (rules: readonly ClientRule[]): RuleAction | undefined =>
  (["deny", "ask", "allow"] as const).find((action) => rules.some((rule) => rule.action === action));

function ofCommand(target: RuleTarget, part: { readonly text: string; readonly words: string }, whole: string): boolean {
  if (target.kind === "arguments") return target.tool === "command" && finds(target.expression, whole);
  return target.kind === "command" && matchesCommand(target.pattern, part);
}

function speaksOf(target: RuleTarget, call: Exclude<ClientCall, { kind: "command" }>, roots: PathRoots): boolean {
  if (target.kind === "path")
    return (
      call.kind === "path" && call.access === target.access && (target.pattern === null || matchesPath(target.pattern, call.path, roots))
    );
  if (target.kind === "server")
    return (
      call.kind === "server" && call.server === target.server && (target.tool === null || createWildcard(target.tool, false)(call.tool))
    );
  if (target.kind === "host") return call.kind === "address" && (target.host === null || isHost(call.url, target.host));
  if (target.kind === "address") return call.kind === "address" && createWildcard(target.wildcard, true)(call.url);
  return false;
}

function isHost(url: string, host: string): boolean {
  const name = URL.canParse(url) ? new URL(url).hostname : "";
  return host.startsWith("*.") ? name.endsWith(host.slice(1)) : name === host;
}

/** An expression that our engine cannot read is taken to be found. */
function finds(expression: string, text: string): boolean {
  try {
    return RE2JS.compile(expression).matcher(text).find();
  } catch {
    return true;
  }
}
