import * as z from "zod";

/** Either the long form (`effect`, `tool`) or the short one (`action`, `tools`). */
export const ruleSchema = z.strictObject({
  effect: z.enum(["allow", "deny"]).optional(),
  action: z.enum(["allow", "deny"]).optional(),
  tool: z.string().min(1).optional(),
  tools: z.array(z.string().min(1)).min(1).optional(),
  paths: z.array(z.string().min(1)).optional(),
  args_match: z.string().min(1).max(1024).optional(),
  env: z.array(z.string().min(1)).optional(),
  trust_level: z.enum(["untrusted", "provisional", "trusted"]).optional(),
  capabilities: z.array(z.enum(["reads", "stores", "writes", "runs", "fetches", "unknown"])).optional(),
  /** Examples: calls that must be allowed, or denied, by the whole list. */
  allow: z.array(z.string().min(1)).optional(),
  deny: z.array(z.string().min(1)).optional(),
});
export type PolicyRule = z.output<typeof ruleSchema>;
