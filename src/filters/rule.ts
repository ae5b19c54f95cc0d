import * as z from "zod";
import { makeOnce } from "../text/make-once.ts";
import type { Subject } from "./command.ts";
import { MAX_PATTERN } from "./patterns.ts";
import { STRATEGIES, type StrategyName } from "./strategies/index.ts";
import type { Apply, Strategy, Test } from "./strategy.ts";

/** A rule ready to be used. */
export interface Rule {
  readonly name: string;
  readonly origin: "built-in" | "user";
  readonly strategy: StrategyName;
  /** Holds also for text that was asked for as it is. */
  readonly files: boolean;
  /** Takes every line for its command's own. */
  readonly isBlind: boolean;
  readonly matches: (subject: Subject) => boolean;
  readonly apply: Apply;
}

const pattern = makeOnce(() => z.string().max(MAX_PATTERN, `a pattern has at most ${MAX_PATTERN} characters`));

const match = makeOnce(() =>
  z
    .strictObject({ exact: pattern().optional(), prefix: pattern().optional(), regex: pattern().optional() })
    .refine(
      (kinds) => Object.values(kinds).filter((kind) => kind !== undefined).length === 1,
      "set exactly one of exact, prefix and regex",
    ),
);

/** What a rule looks like before its strategy is known. */
export const ruleSchema = makeOnce(() =>
  z.strictObject({
    name: z.string().min(1),
    match: match().optional(),
    strategy: z.looseObject({ type: z.string() }).optional(),
    enabled: z.boolean().default(true),
    files: z.boolean().default(false),
  }),
);

export type RuleText = z.output<ReturnType<typeof ruleSchema>>;

/** Throws, in words, when the strategy or a pattern is no good. */
export function buildRule({ name, match, strategy, files }: RuleText, origin: Rule["origin"], compile: (pattern: string) => Test): Rule {
  if (!match) throw new Error("it has no match: set exact, prefix or regex");
  if (!strategy) throw new Error("it has no strategy");
  const { type, ...options } = strategy;
  if (!isStrategy(type)) throw new Error(`there is no strategy "${type}". There are: ${Object.keys(STRATEGIES).join(", ")}`);
  const { options: schema, isBlind, build }: Strategy = STRATEGIES[type];
  const parsed = schema.safeParse(options);
  if (!parsed.success)
    throw new Error(parsed.error.issues.map(({ path, message }) => `${["strategy", ...path].join(".")}: ${message}`).join("; "));
  return {
    name,
    origin,
    strategy: type,
    files,
    isBlind: isBlind?.(parsed.data) ?? false,
    matches: matcher(match, compile),
    apply: build(parsed.data, compile),
  };
}

const isStrategy = (type: string): type is StrategyName => Object.hasOwn(STRATEGIES, type);

function matcher(
  { exact, prefix, regex }: z.output<ReturnType<typeof match>>,
  compile: (pattern: string) => Test,
): (subject: Subject) => boolean {
  if (exact !== undefined) return ({ forms }) => forms.includes(exact);
  if (prefix !== undefined) return ({ forms }) => forms.some((form) => form.startsWith(prefix));
  const test = compile(regex!);
  return ({ forms }) => forms.some(test);
}
