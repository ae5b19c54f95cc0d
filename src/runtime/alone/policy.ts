import type { ConfigInput } from "../../core/inputs/config-input.ts";
import type { Caller } from "../../core/session.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { Touch } from "../../core/touch.ts";

/** A rule as `tools.policy.rules` takes it. docs/policy.md explains its fields. */
export type PolicyRuleInput = NonNullable<NonNullable<NonNullable<ConfigInput["tools"]>["policy"]>["rules"]>[number];

/** Rules, and what they are about. */
export interface PolicyOptions {
  /** A list, or the TOML text of a file of `[[rules]]`. The first that matches decides. */
  readonly rules: readonly PolicyRuleInput[] | string;
  /** What becomes of a call that no rule matches. Default: `deny`. */
  readonly defaultEffect?: "allow" | "deny";
  /** The workspace that relative paths are meant from. Default: where the process runs. */
  readonly cwd?: string;
  /** Tools the rules may speak of, besides Zeph's own. */
  readonly tools?: readonly AnyTool[];
  /** Variables that rules with `env` look for. Default: those of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What rules say of a call. */
export interface PolicyOpinion {
  readonly verdict: "allow" | "deny";
  /** Which rule spoke, or that none did. */
  readonly rule: string;
  /** The rule with every condition that held. */
  readonly why: string;
  /** What the call would touch, as far as its arguments tell. */
  readonly touches: readonly Touch[];
}

/** Rules that were read and found right. */
export interface PolicyJudge {
  /** What the rules say of a call. Nothing is run, and only links on the disk are followed. Throws a ToolError for an unknown tool or bad arguments. */
  judge(tool: string, args: unknown, caller?: Pick<Caller, "trust" | "callerId">): PolicyOpinion;
}

/** Rules without a runtime: only what they say, with no other gate. Throws a ConfigError that lists everything wrong with them. */
export async function createPolicy(options: PolicyOptions): Promise<PolicyJudge> {
  return (await import("./policy-judge.ts")).createPolicyJudge(options);
}
