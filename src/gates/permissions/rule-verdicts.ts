import type { Verdict } from "../../core/gate/verdict.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { Touch } from "../../core/touch.ts";
import { type CompiledRule, firstPermissionRule, pathSubject, type RuleSubject, type Whole } from "./rules.ts";
import type { CompiledRules } from "./rules-by-tool.ts";

export const judgeAll = (tool: AnyTool, subjects: readonly RuleSubject[], rules: readonly CompiledRule[], whole: Whole): Verdict[] =>
  subjects.map((subject) => judgeSubject(tool, subject, rules, whole));

/** Rules of the file tools hold for the files a command reads and writes too. Only what they forbid or ask about: they allow nothing here. */
const FILE_TOOLS: Record<"read" | "write" | "delete", readonly string[]> = {
  read: ["read"],
  write: ["write"],
  delete: ["write", "delete_path"],
};

export function judgeFileRules(touches: readonly Touch[], rules: CompiledRules, facts: Facts, { caller }: Whole): Verdict[] {
  // What exact rules of a file tool are about is a call of that tool.
  const whole: Whole = { identity: () => "", caller };
  return touches.flatMap((touch) => {
    if (touch.kind !== "path") return [];
    return FILE_TOOLS[touch.access].flatMap((name) => {
      const list = rules.of(name);
      if (list.length === 0) return [];
      const subject = pathSubject(touch, facts);
      // Who deletes a folder deletes what is in it.
      const below = touch.tree ? [{ ...subject, written: `${touch.path}/**`, sure: subject.sure.map((path) => `${path}/**`) }] : [];
      return [subject, ...below].flatMap((one) => {
        const rule = firstPermissionRule(list, one, whole);
        return rule && rule.action !== "allow" ? [spoken(name, rule, touch.path)] : [];
      });
    });
  });
}

function spoken(tool: string, { index, action, pattern, under = tool }: CompiledRule, what: string): Verdict {
  const name = `${under}[${index}] ${action} ${pattern}`;
  if (action === "allow") return { kind: "pass", rule: name };
  return { kind: action, rule: name, why: `The rule "${pattern}" for ${under} ${action === "deny" ? "forbids" : "asks about"} ${what}.` };
}

export function judgeSubject(tool: AnyTool, subject: RuleSubject, rules: readonly CompiledRule[], whole: Whole): Verdict {
  const rule = firstPermissionRule(rules, subject, whole);
  if (!rule) return { kind: "ask", rule: null, why: `No rule for ${tool.name} matches ${subject.written}.` };
  return spoken(tool.name, rule, subject.written);
}
