import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { regexSearch } from "../src/config/policy/regex.ts";
import { ToolCall } from "../src/core/call.ts";
import type { Verdict } from "../src/core/gate/verdict.ts";
import type { Facts } from "../src/core/ports/facts.ts";
import { ToolRequest } from "../src/core/request.ts";
import type { AnyTool } from "../src/core/tool.ts";
import type { TurnContext } from "../src/core/turn.ts";
import { understandFrom } from "../src/gates/permissions/commands.ts";
import { type PolicyRules, policies } from "../src/gates/policy/policy.ts";
import type { PolicyRule } from "../src/gates/policy/rule.ts";
import { createPathRules } from "../src/host/files/paths.ts";
import { bash } from "../src/tools/bash.ts";
import { ALIASES, TOOLS } from "../src/tools/index.ts";

const BASE = realpathSync(mkdtempSync(join(tmpdir(), "shared-policy-")));
export const WORK = join(BASE, "work");
export const HOME = join(BASE, "home");
for (const folder of [join(WORK, "src", "deep"), join(WORK, "secret"), HOME]) mkdirSync(folder, { recursive: true });
writeFileSync(join(WORK, "src", "a.ts"), "a");
symlinkSync("../secret", join(WORK, "src", "link"));
symlinkSync("/etc", join(WORK, "out"));

const { cwd, canonical, entry, exists } = createPathRules(WORK, { allowed_paths: [], deny_read: [], allow_read: [] }, HOME);
export const facts: Facts = { cwd, home: HOME, canonical, entry, exists, access: () => null, address: () => null };

const shell = bash((command, at) => understandFrom(command, at).touches);
export const tools: ReadonlyMap<string, AnyTool> = new Map([
  ...[shell, ...TOOLS].map((tool): [string, AnyTool] => [tool.name, tool]),
  ["glob", TOOLS.find(({ name }) => name === ALIASES.get("glob"))!],
]);

let calls = 0;
export function callOf(name: string, args: object, more: readonly AnyTool[] = [], at: string | null = null): ToolCall {
  const all = new Map([...tools, ...more.map((tool): [string, AnyTool] => [tool.name, tool])]);
  const call = ToolCall.parse(ToolRequest.from({ id: `call-${calls++}`, name, args })!, all, at);
  if (!(call instanceof ToolCall)) throw call;
  return call;
}
export const ran = (command: string) => callOf("bash", { command });

export const turnOf = (more: Partial<TurnContext> = {}): TurnContext => ({
  sessionId: "s",
  turnId: "t",
  phase: "planner",
  trust: "trusted",
  timestampMs: 0,
  seen: { untrusted: false },
  ...more,
});

export interface Lists {
  readonly policy?: readonly PolicyRule[];
  readonly authorization?: readonly PolicyRule[];
  readonly otherwise?: "allow" | "deny";
}

export const rulesOf = ({ policy, authorization, otherwise = "deny" }: Lists): PolicyRules => ({
  policy: { enabled: policy !== undefined, default_effect: otherwise, rules: policy ?? [] },
  authorization: { enabled: authorization !== undefined, rules: authorization ?? [] },
  regexes: regexSearch,
});

/** What both gates say about a call. */
export function both(
  lists: Lists,
  env: Record<string, string> = {},
): (call: ToolCall, turn?: TurnContext) => { policy: Verdict; authorization: Verdict } {
  const gates = policies(rulesOf(lists), facts, env);
  return (call, turn = turnOf()) => ({
    policy: gates.policy.judge(call, turn) as Verdict,
    authorization: gates.authorization.judge(call, turn) as Verdict,
  });
}

/** allow or deny, of a policy with these rules that denies what none matches. */
export const decides = (policy: readonly PolicyRule[], env: Record<string, string> = {}) => {
  const judge = both({ policy }, env);
  return (call: ToolCall, turn?: TurnContext) => (judge(call, turn).policy.kind === "pass" ? "allow" : "deny");
};
/** The same, of one that allows what none matches. */
export const denies = (policy: readonly PolicyRule[]) => {
  const judge = both({ policy, otherwise: "allow" });
  return (call: ToolCall, turn?: TurnContext) => judge(call, turn).policy.kind === "deny";
};
