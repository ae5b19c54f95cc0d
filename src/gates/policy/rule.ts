import * as z from "zod";
import { makeOnce } from "../../text/make-once.ts";

const MOST_RULES = 256;

const effect = makeOnce(() => z.enum(["allow", "deny"]));

/** Either the long form (`effect`, `tool`) or the short one (`action`, `tools`). */
export const policyRuleSchema = makeOnce(() =>
  z
    .strictObject({
      effect: effect().optional(),
      action: effect().optional(),
      tool: z.string().min(1).optional(),
      tools: z.array(z.string().min(1)).min(1).optional(),
      paths: z.array(z.string().min(1)).min(1).optional(),
      args_match: z.string().min(1).max(1024).optional(),
      env: z.array(z.string().min(1)).min(1).optional(),
      trust_level: z.enum(["untrusted", "provisional", "trusted"]).optional(),
      capabilities: z
        .array(z.enum(["reads", "stores", "writes", "runs", "fetches", "unknown"]))
        .min(1)
        .optional(),
      /** Examples: calls that must be allowed, or denied, by the whole list. */
      allow: z.array(z.string().min(1)).optional(),
      deny: z.array(z.string().min(1)).optional(),
    })
    .superRefine((rule, ctx) => {
      for (const [one, other] of FORMS) {
        const given = [one, other].filter((name) => rule[name] !== undefined);
        if (given.length === 1) continue;
        const both = `it has both "${one}" and "${other}"; keep one of them.`;
        ctx.addIssue({ code: "custom", path: given.slice(1), message: given.length === 2 ? both : `it needs "${one}" (or "${other}").` });
      }
    }),
);
export type PolicyRule = z.output<ReturnType<typeof policyRuleSchema>>;

const FORMS = [
  ["effect", "action"],
  ["tool", "tools"],
] as const;

export const ruleList = makeOnce(() =>
  z.array(policyRuleSchema()).superRefine(({ length }, ctx) => {
    if (length > MOST_RULES) ctx.addIssue({ code: "custom", message: tooMany(length) });
  }),
);

/** What to say when there are too many of them; null when there are not. */
export const countProblem = (count: number): string | null => (count > MOST_RULES ? tooMany(count) : null);
const tooMany = (count: number) => `there are ${count} rules, and at most ${MOST_RULES} are allowed.`;

export const effectOf = ({ effect, action }: PolicyRule): "allow" | "deny" => effect ?? action ?? "deny";
export const ruleTools = ({ tool, tools }: PolicyRule): readonly string[] => tools ?? (tool === undefined ? [] : [tool]);

/** It looks at nothing but the tool: every call of a tool it speaks of fits. */
export const isForAll = ({ paths, args_match, env, trust_level }: PolicyRule): boolean =>
  paths === undefined && args_match === undefined && env === undefined && trust_level === undefined;

/** Compiles an expression. What comes back says whether it is found in a text; null where that could take too long. */
export type Regexes = (pattern: string) => (text: string) => boolean | null;
