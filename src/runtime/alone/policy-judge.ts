import { complaints } from "../../config/complain.ts";
import { parsePolicyFile } from "../../config/policy/policy-file.ts";
import { regexProblem, regexSearch } from "../../config/policy/regex.ts";
import { ConfigError } from "../../config/problem.ts";
import { ToolCall } from "../../core/call.ts";
import { ToolError } from "../../core/error.ts";
import { unfit } from "../../core/input.ts";
import { assertKnownOptions } from "../../core/inputs/options.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { ToolRequest } from "../../core/request.ts";
import { createSession } from "../../core/session.ts";
import type { AnyTool } from "../../core/tool.ts";
import { ToolsetError, toolsOf } from "../../core/toolset.ts";
import { workingFolder } from "../../files/working-folder.ts";
import { understandFrom } from "../../gates/permissions/commands.ts";
import { firstPolicyMatch } from "../../gates/policy/match.ts";
import { type PolicyRule, ruleList } from "../../gates/policy/rule.ts";
import { fileConfig } from "../../host/files/config.ts";
import { createPathRules } from "../../host/files/paths.ts";
import { bash } from "../../tools/bash.ts";
import { TOOLS } from "../../tools/index.ts";
import type { PolicyJudge, PolicyOptions } from "./policy.ts";

export function createPolicyJudge(options: PolicyOptions): PolicyJudge {
  assertKnownOptions("createPolicy", options, ["rules", "defaultEffect", "cwd", "tools", "env"]);
  const { rules, defaultEffect = "deny", cwd: folder, tools: own = [], env = process.env } = options;
  const cwd = workingFolder(folder);
  const list = readRules(rules).map((rule) => ({ owner: "policy" as const, rule }));
  const match = firstPolicyMatch(list, factsAt(cwd), env, regexSearch);
  const tools = toolsNamed(own);
  const session = createSession();
  return {
    judge(tool, args, caller = {}) {
      const request = ToolRequest.from({ id: "judged", name: String(tool), args });
      if (!request) throw new ToolError("invalid_parameters", `${tool} was given only a thought.`);
      const why = request.problem ?? unfit(request.args);
      if (why !== null) return { verdict: "deny", rule: "input", why, touches: [] };
      const call = ToolCall.parse(request, tools);
      if (call instanceof ToolError) throw call;
      const found = match(call, session.current(caller));
      const otherwise = `default: ${defaultEffect} (no matching rules)`;
      const { effect, short, trace } = found ?? { effect: defaultEffect, short: otherwise, trace: otherwise };
      return { verdict: effect, rule: short, why: trace, touches: call.touches };
    },
  };
}

function readRules(rules: PolicyOptions["rules"]): readonly PolicyRule[] {
  if (typeof rules === "string") return checked(parsePolicyFile("rules", rules).rules);
  const wrong = complaints({ tools: { policy: { rules } } });
  if (wrong.length > 0) throw new ConfigError(wrong.map(({ message }) => ({ message: message.replaceAll("tools.policy.rules", "rules") })));
  return checked(ruleList().parse(rules));
}

/** A pattern that cannot be searched for would never match, and a rule that denies would deny nothing. */
function checked(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const problems = rules.flatMap(({ args_match }, n) => {
    const why = args_match === undefined ? null : regexProblem(args_match);
    return why === null ? [] : [{ message: `rules[${n}].args_match: ${why}` }];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return rules;
}

/** Paths as the file tools follow them. Whether they may be used is other gates' business. */
function factsAt(cwd: string): Facts {
  const { home, canonical, entry, exists, settled, changedAt, cwd: base } = createPathRules(cwd, fileConfig().parse({}));
  return { cwd: base, home, canonical, entry, exists, settled, changedAt, access: () => null, address: () => null };
}

function toolsNamed(own: readonly AnyTool[]): ReadonlyMap<string, AnyTool> {
  const builtIn = [bash((command, at) => understandFrom(command, at).touches), ...TOOLS];
  const given = toolsOf({ id: "tools", list: () => [...own] });
  const taken = given.find(({ name }) => builtIn.some((tool) => tool.name === name));
  if (taken) throw new ToolsetError(`Among tools one is named "${taken.name}", and Zeph has a tool of that name. Give it another one.`);
  return new Map([...given, ...builtIn].map((tool) => [tool.name, tool]));
}
