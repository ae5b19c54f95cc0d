import type { Problem } from "../../config/problem.ts";
import { ToolCall } from "../../core/call.ts";
import { ToolError } from "../../core/error.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import { firstPolicyMatch } from "../../gates/policy/match.ts";
import { heard } from "../../gates/policy/policy.ts";
import type { Rulebook, WrittenRule } from "./rulebook.ts";
import { exampleCall } from "./rulebook-example-call.ts";

export interface ExampleParts {
  readonly facts: Facts;
  readonly tools: ReadonlyMap<string, AnyTool>;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

export interface Examples {
  readonly total: number;
  readonly failures: readonly Problem[];
}

/** Holds the examples beside the rules against the whole list, as a trusted caller's calls. Rules of a list that is off have no examples. */
export function runExamples(book: Rulebook, { facts, tools, env = process.env }: ExampleParts): Examples {
  const examples = book.written.filter(({ owner }) => book[owner].enabled).flatMap(examplesOf);
  if (examples.length === 0) return { total: 0, failures: [] };
  const match = firstPolicyMatch(heard(book), facts, env, book.regexes);
  const byDefault = defaultOf(book);
  const failures = examples.flatMap(({ rule, wanted, text, n }): Problem[] => {
    const fails = (message: string): Problem[] => [
      { ...rule.place(wanted, n), key: `${rule.key}.${wanted}[${n}]`, message: `The example ${JSON.stringify(text)} ${message}` },
    ];
    const call = exampleCall(rule.rule, text, tools);
    if (!(call instanceof ToolCall)) return fails(`is not a call: ${call instanceof ToolError ? call.message : call}`);
    const found = match(call, AS_TRUSTED);
    const effect = found?.effect ?? byDefault;
    if (effect === wanted) return [];
    return fails(`should be ${PAST[wanted]}, but it is ${PAST[effect]}: ${found?.trace ?? `default: ${effect} (no matching rules)`}.`);
  });
  return { total: examples.length, failures };
}

/** What happens to a call that no rule matches. Authorization alone lets it pass. */
export const defaultOf = ({ policy }: Rulebook): "allow" | "deny" => (policy.enabled ? policy.default_effect : "allow");

const PAST = { allow: "allowed", deny: "denied" };

const AS_TRUSTED: TurnContext = {
  sessionId: "examples",
  turnId: "examples",
  phase: "planner",
  trust: "trusted",
  timestampMs: 0,
  seen: { untrusted: false },
};

const examplesOf = (rule: WrittenRule) =>
  (["allow", "deny"] as const).flatMap((wanted) => (rule.rule[wanted] ?? []).map((text, n) => ({ rule, wanted, text, n })));
