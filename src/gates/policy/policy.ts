import * as z from "zod";
import type { ToolCall } from "../../core/call.ts";
import type { Gate } from "../../core/gate/gate.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { setting } from "../../core/setting.ts";
import { makeOnce } from "../../text/make-once.ts";
import { plural } from "../../text/words.ts";
import { deniedWhole } from "./hidden-tools.ts";
import { type Env, type FirstMatch, firstPolicyMatch, type OwnedRule, type RuleMatch } from "./match.ts";
import { effectOf, isForAll, type PolicyRule, type Regexes, ruleList } from "./rule.ts";

export const policyConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(
        z.boolean().default(false),
        "Check every call against the rules below. A call that no rule matches gets `default_effect`.",
      ),
      default_effect: setting(z.enum(["allow", "deny"]).default("deny"), "What happens to a call that no rule matches.", ["allow", "deny"]),
      rules: setting(
        ruleList().default([]),
        "Rules, written as `[[tools.policy.rules]]`. The first that matches decides. docs/policy.md explains their fields.",
        "denies",
      ),
      policy_file: setting(
        z.string().default(""),
        "A TOML file with more `[[rules]]`; they come after those above. Relative to the file that names it. Tools cannot change it.",
      ),
    })
    .prefault({}),
);

export const authorizationConfig = makeOnce(() =>
  z
    .strictObject({
      // Not for a project to switch on: rules of yours that allow may be among them, and the policy's default denies.
      enabled: setting(z.boolean().default(false), "Use the rules below, after those of `tools.policy`."),
      rules: setting(
        ruleList().default([]),
        "Rules as in `tools.policy.rules`. They come after those, in one list; a call that none matches passes, unless `tools.policy` is enabled.",
        "denies",
      ),
    })
    .prefault({}),
);

/** Both lists, as they are heard: the rules of a policy file are among those of the policy. */
export interface PolicyRules {
  readonly policy: { readonly enabled: boolean; readonly default_effect: "allow" | "deny"; readonly rules: readonly PolicyRule[] };
  readonly authorization: { readonly enabled: boolean; readonly rules: readonly PolicyRule[] };
  readonly regexes: Regexes;
  /** Where the nth rule of a list is written, `policy.toml:7`; null for what no file says. */
  readonly placeOf?: (owner: OwnedRule["owner"], n: number) => string | null;
}

/** Two gates over one list: the first rule that matches decides, and the gate it belongs to says so. */
export function policies(
  { policy, authorization, regexes, placeOf }: PolicyRules,
  facts: Facts,
  env: Env,
): { readonly policy: Gate; readonly authorization: Gate } {
  const list = heard({ policy, authorization, ...(placeOf && { placeOf }) });
  const search: FirstMatch = list.length > 0 ? firstPolicyMatch(list, facts, env, regexes) : () => null;
  // Who denies every call of `bash` speaks of that tool, and not of a command that another one starts.
  const inner: FirstMatch =
    list.length > 0 ? firstPolicyMatch(list, facts, env, regexes, (rule) => effectOf(rule) === "allow" || !isForAll(rule)) : () => null;
  /** What the policy found, for authorization, which is asked right after it about the same call. */
  const found = new WeakMap<ToolCall, RuleMatch | null>();
  const first: FirstMatch = (call, turn) => {
    const one = search(call, turn);
    if (authorization.enabled) found.set(call, one);
    return one;
  };
  const second: FirstMatch = (call, turn) => {
    const one = found.has(call) ? found.get(call)! : search(call, turn);
    found.delete(call);
    return one;
  };
  return {
    policy: {
      ...gate("policy", policy.enabled, { calls: first, inner }, byDefault(policy.default_effect)),
      hides: deniedWhole(list, policy.enabled ? policy.default_effect : "allow"),
      state: () => (policy.enabled ? `${plural(policy.rules.length, "rule")}, default ${policy.default_effect}` : off(policy.rules)),
    },
    authorization: {
      ...gate("authorization", authorization.enabled, { calls: second, inner }, PASS),
      state: () => (authorization.enabled ? plural(authorization.rules.length, "rule") : off(authorization.rules)),
    },
  };
}

/** The list that is searched. A section that is off has no say. */
export function heard({ policy, authorization, placeOf }: Omit<PolicyRules, "regexes">): OwnedRule[] {
  const listed = (owner: OwnedRule["owner"], { enabled, rules }: PolicyRules["authorization"]) =>
    (enabled ? rules : []).map((rule, n): OwnedRule => ({ owner, rule, ...(placeOf && { where: () => placeOf(owner, n) }) }));
  return [...listed("policy", policy), ...listed("authorization", authorization)];
}

/** A rule of the other list ends the search too: then this gate has nothing to say. */
function gate(
  name: OwnedRule["owner"],
  isOn: boolean,
  match: { readonly calls: FirstMatch; readonly inner: FirstMatch },
  otherwise: Verdict,
): Pick<Gate, "name" | "judge" | "alsoJudges"> {
  const judge = (found: RuleMatch | null, otherwise: Verdict): Verdict =>
    found === null ? otherwise : found.owner === name ? answer(found) : PASS;
  return {
    name,
    alsoJudges: { redirects: "as a call", innerCommands: (call, turn) => (isOn ? judge(match.inner(call, turn), PASS) : PASS) },
    judge: (call, turn) => (isOn ? judge(match.calls(call, turn), otherwise) : PASS),
  };
}

/** Which rule it was is for the person and the log. */
const answer = ({ effect, short, trace }: Pick<RuleMatch, "effect" | "short" | "trace">): Verdict =>
  effect === "allow"
    ? { kind: "pass", rule: short, noted: { policy_match: trace } }
    : { kind: "deny", rule: short, why: trace, told: "denied by policy", noted: { policy_match: trace } };

function byDefault(effect: "allow" | "deny"): Verdict {
  const trace = `default: ${effect} (no matching rules)`;
  return answer({ effect, short: trace, trace });
}

/** Rules that were written and are not heard are worth a word. */
const off = (rules: readonly unknown[]) => (rules.length === 0 ? "off" : `off, ${plural(rules.length, "rule")} written`);
