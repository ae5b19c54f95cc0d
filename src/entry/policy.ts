// zeph/policy: rules, without a runtime.

export type { AnyTool } from "../core/tool.ts";
export type { Touch } from "../core/touch.ts";
export type { PolicyJudge, PolicyOpinion, PolicyOptions, PolicyRuleInput } from "../runtime/alone/policy.ts";
export { createPolicy } from "../runtime/alone/policy.ts";
