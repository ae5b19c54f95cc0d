import * as fc from "fast-check";
import type * as z from "zod";
import type { ConfigSetting } from "../src/config/settings.ts";

/** Any valid value of a setting, from few words so that collisions happen. */
export const anyValue = (key: ConfigSetting, words: readonly string[] = ["a", "b", "c"]): fc.Arbitrary<unknown> =>
  key.key === "llm.providers"
    ? providers(words)
    : key.key === "llm.embedding_provider"
      ? fc.constantFrom("none", "packaged")
      : key.key === "mcp.servers"
        ? servers(words)
        : key.key === "tools.sandbox.allow_domains"
          ? fc.uniqueArray(fc.constantFrom("@registries", ...words.map((_, n) => `w${n}.example`)), { maxLength: 3 })
          : RULES.includes(key.key)
            ? fc.array(policyRule(words), { maxLength: 3 })
            : fromSchema(key.schema, words);

const RULES = ["tools.policy.rules", "tools.authorization.rules"];

/** Each of its two forms, and any of its conditions. */
const policyRule = (words: readonly string[]): fc.Arbitrary<unknown> => {
  const effect = fc.constantFrom("allow", "deny");
  const word = fc.constantFrom(...words);
  const some = fc.uniqueArray(word, { minLength: 1, maxLength: 2 });
  const conditions = { paths: some, args_match: word, env: some, trust_level: fc.constantFrom("untrusted", "provisional", "trusted") };
  const any = { requiredKeys: [] as const };
  return fc
    .tuple(fc.oneof(fc.record({ effect, tool: word }), fc.record({ action: effect, tools: some })), fc.record(conditions, any as object))
    .map(([form, more]) => ({ ...form, ...more }));
};

/** Each is a program or an address, and has a name of its own. */
const servers = (words: readonly string[]): fc.Arbitrary<unknown> => {
  const text = fc.constantFrom(...words);
  const texts = fc.array(text, { maxLength: 2 });
  const named = fc.dictionary(fc.constantFrom("A", "B"), text, { maxKeys: 2 });
  const both = {
    trust: fc.constantFrom("untrusted", "provisional", "trusted"),
    timeout_secs: fc.integer({ min: 1, max: 3600 }),
    tools: texts,
    sampling: fc.constantFrom<boolean | "ask" | "allow">(false, true, "ask", "allow"),
  };
  const walls = { network: fc.boolean(), allow_read: texts, allow_write: texts };
  const program = fc.record({ command: text, args: texts, env: named, headers: fc.constant({}), ...both, ...walls });
  const address = fc.record({
    url: fc.constant("https://a.example/mcp"),
    args: fc.constant([]),
    env: fc.constant({}),
    headers: named,
    ...both,
    ...walls,
  });
  return fc.array(fc.oneof(program, address), { maxLength: 3 }).map((list) => list.map((server, n) => ({ name: `s${n}`, ...server })));
};

const DEFAULTS = { tool_use: true, api: "responses", timeout_secs: 300 };

/** Their settings depend on each other, and `llm.default` names one of them. */
const providers = (words: readonly string[]): fc.Arbitrary<unknown> =>
  fc
    .tuple(fc.boolean(), fc.boolean())
    .map(([some, reasoning]) =>
      some
        ? words.filter((word) => /^[\w.-]+$/.test(word)).map((name) => ({ name, type: "anthropic", model: "m", reasoning, ...DEFAULTS }))
        : [],
    );

function fromSchema(schema: z.ZodType, words: readonly string[]): fc.Arbitrary<unknown> {
  const def = schema._zod.def as any;
  if (def.innerType) return fromSchema(def.innerType, words);
  if (def.type === "pipe") return fromSchema(def.out, words);
  const make = MAKERS[def.type];
  if (!make) throw new Error(`test/settings.ts does not know how to make a ${def.type}; teach it.`);
  return make(schema as any, words);
}

const leastOf = (checks: readonly any[]): number =>
  Math.max(0, ...checks.map(({ _zod }) => (_zod.def.check === "min_length" ? _zod.def.minimum : 0)));

const MAKERS: Record<string, (schema: any, words: readonly string[]) => fc.Arbitrary<unknown>> = {
  boolean: () => fc.boolean(),
  literal: ({ values }) => fc.constantFrom(...values),
  number: ({ minValue, maxValue, isInt }) => {
    const min = Math.max(minValue ?? 0, -1000);
    const range = { min, max: Math.min(maxValue ?? min + 1000, min + 1000) };
    return isInt ? fc.integer(range) : fc.double({ ...range, noNaN: true }).map((value) => (Object.is(value, -0) ? 0 : value));
  },
  string: (_, words) => fc.constantFrom(...words),
  enum: ({ options }) => fc.constantFrom(...options),
  array: ({ element, def }, words) => fc.array(fromSchema(element, words), { minLength: leastOf(def.checks ?? []), maxLength: 3 }),
  record: ({ keyType, valueType }, words) =>
    fc.dictionary(fc.constantFrom(...(keyType.options ?? ["bash", "read", "odd name"])), fromSchema(valueType, words), { maxKeys: 3 }),
  object: ({ shape }, words) =>
    fc.record(Object.fromEntries(Object.entries(shape).map(([name, inner]) => [name, fromSchema(inner as z.ZodType, words)]))),
  union: ({ options }, words) => fc.oneof(...options.map((option: z.ZodType) => fromSchema(option, words))),
};
