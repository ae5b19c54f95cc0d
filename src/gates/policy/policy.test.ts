import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { both, callOf, decides, denies, facts, ran, rulesOf, turnOf } from "../../../test/policy-calls.ts";
import { regexSearch } from "../../config/policy/regex.ts";
import type { ToolCall } from "../../core/call.ts";
import type { Verdict } from "../../core/gate/verdict.ts";
import { defineTool } from "../../core/tool.ts";
import type { Trust } from "../../core/turn.ts";
import { policies } from "./policy.ts";
import { type PolicyRule, policyRuleSchema } from "./rule.ts";

const rule = (more: Partial<PolicyRule>): PolicyRule => ({ tool: "*", effect: "deny", ...more });

describe("one list, two gates", () => {
  const call = ran("git status");
  const deny = rule({ tool: "bash" });
  const allow = rule({ tool: "bash", effect: "allow" });

  test("the first rule that matches decides, and its gate says so", () => {
    const { policy, authorization } = both({ policy: [rule({ tool: "read" }), deny, allow] })(call);
    const trace = 'rule[1] deny: tool=bash matched "bash"';
    expect(policy).toEqual({ kind: "deny", rule: "rule[1] deny", why: trace, told: "denied by policy", noted: { policy_match: trace } });
    expect(authorization).toEqual({ kind: "pass" });
  });
  test("an allow of the policy ends the search; the denial after it is not heard", () => {
    const { policy, authorization } = both({ policy: [allow], authorization: [deny] })(call);
    expect(policy).toMatchObject({
      kind: "pass",
      rule: "rule[0] allow",
      noted: { policy_match: 'rule[0] allow: tool=bash matched "bash"' },
    });
    expect(authorization).toEqual({ kind: "pass" });
  });
  test("a rule of authorization is numbered in the whole list, and its gate says so", () => {
    const { policy, authorization } = both({ policy: [rule({ tool: "read" })], authorization: [deny] })(call);
    expect(policy).toEqual({ kind: "pass" });
    expect(authorization).toMatchObject({ kind: "deny", rule: "rule[1] deny", told: "denied by policy" });
  });
  test("no match: the default of a policy that is on; authorization alone passes", () => {
    const trace = "default: deny (no matching rules)";
    expect(both({ policy: [] })(call).policy).toMatchObject({
      kind: "deny",
      rule: trace,
      told: "denied by policy",
      noted: { policy_match: trace },
    });
    expect(both({ policy: [], otherwise: "allow" })(call).policy).toMatchObject({
      kind: "pass",
      rule: "default: allow (no matching rules)",
    });
    expect(both({ policy: [], authorization: [allow] })(call)).toMatchObject({
      policy: { kind: "pass" },
      authorization: { kind: "pass", rule: "rule[0] allow" },
    });
    expect(both({ authorization: [] })(call)).toEqual({ policy: { kind: "pass" }, authorization: { kind: "pass" } });
  });
});

describe("where a rule is written", () => {
  const asked: string[] = [];
  const gates = policies(
    {
      ...rulesOf({ policy: [rule({ tool: "read" }), rule({ tool: "write" })], authorization: [rule({ tool: "bash" })] }),
      placeOf(owner, n) {
        asked.push(`${owner} ${n}`);
        return owner === "policy" && n === 1 ? null : `${owner}.toml:${n + 1}`;
      },
    },
    facts,
    {},
  );
  const said = (name: "policy" | "authorization", call: ToolCall) => gates[name].judge(call, turnOf()) as Verdict;
  test("stands in the rule and in the trace, and is looked for once, when it first speaks", () => {
    expect(asked).toEqual([]);
    for (let n = 0; n < 3; n++)
      expect(said("authorization", ran("ls"))).toMatchObject({
        rule: "rule[2] deny (authorization.toml:1)",
        why: 'rule[2] deny (authorization.toml:1): tool=bash matched "bash"',
      });
    expect(asked).toEqual(["authorization 0"]);
    expect(said("policy", callOf("read", { path: "a" }))).toMatchObject({ rule: "rule[0] deny (policy.toml:1)" });
  });
  test("nothing is said where no file says it", () =>
    expect(said("policy", callOf("write", { path: "a", content: "" }))).toMatchObject({ rule: "rule[1] deny" }));
});

test("what is written and not heard shows in the state", () => {
  const { policy, authorization } = rulesOf({ policy: [rule({})], authorization: [rule({}), rule({})] });
  const off = { policy: { ...policy, enabled: false }, authorization: { ...authorization, enabled: false }, regexes: regexSearch };
  const states = (rules: typeof off) => Object.values(policies(rules, facts, {})).map((gate) => gate.state?.());
  expect(states(off)).toEqual(["off, 1 rule written", "off, 2 rules written"]);
  expect(states({ ...off, policy: { ...off.policy, rules: [] } })[0]).toBe("off");
});

test.each([
  [{ tool: "bash" }, true],
  [{ tool: "BASH" }, true],
  [{ tool: "ba*" }, true],
  [{ tools: ["read", "bash"] }, true],
  [{ tool: "read" }, false],
  [{ tool: "bas" }, false],
])("the tool's name: %j", (names, hit) => {
  expect(denies([{ effect: "deny", ...names }])(ran("ls"))).toBe(hit);
});

describe("trust_level", () => {
  const LEVELS: readonly Trust[] = ["untrusted", "provisional", "trusted"];
  test.each(LEVELS)("%s: an allow for those at least that trusted, a deny for those at most", (level) => {
    const at = LEVELS.indexOf(level);
    const allows = decides([rule({ effect: "allow", trust_level: level })]);
    const forbids = denies([rule({ trust_level: level })]);
    expect(LEVELS.map((trust) => allows(ran("ls"), turnOf({ trust })) === "allow")).toEqual(LEVELS.map((_, n) => n >= at));
    expect(LEVELS.map((trust) => forbids(ran("ls"), turnOf({ trust })))).toEqual(LEVELS.map((_, n) => n <= at));
  });
  test("a turn is trusted no more than a skill it has read", () => {
    const allows = decides([rule({ effect: "allow", trust_level: "trusted" })]);
    expect(allows(ran("ls"))).toBe("allow");
    expect(allows(ran("ls"), turnOf({ seen: { untrusted: false, skill: { name: "x", trust: "provisional" } } }))).toBe("deny");
  });
});

test("env: every variable is set and not empty", () => {
  const on = (env: Record<string, string>) => decides([rule({ effect: "allow", env: ["A", "B"] })], env)(ran("ls"));
  expect([on({ A: "1", B: "1" }), on({ A: "1" }), on({ A: "1", B: "" })]).toEqual(["allow", "deny", "deny"]);
});

test("capabilities: what the tool does is among them", () => {
  const allows = decides([rule({ effect: "allow", capabilities: ["reads", "writes"] })]);
  expect([allows(callOf("read", { path: "a" })), allows(callOf("write", { path: "a", content: "" })), allows(ran("ls"))]).toEqual([
    "allow",
    "allow",
    "deny",
  ]);
});

describe("args_match", () => {
  test.each([
    ["rm\\s+-rf", "rm  -rf x", true],
    ["^rm", "ls; rm x", true],
    ["rm -rf", "r''m -rf x", true],
    ["rm -rf", "sh -c \"rm '-rf' x\"", true],
    ["rm -rf", "echo hello", false],
    ["(?i)SECRET", "cat secret", true],
    ["(a+)+$", `${"a".repeat(5000)}b`, false],
  ])("%s in %s", (args_match, command, hit) => {
    expect(denies([rule({ args_match })])(ran(command))).toBe(hit);
  });
  test("a rule that allows reads what was written, at the top; one that forbids looks everywhere", () => {
    const call = callOf("changes", { path: "a", edits: [{ text: "hidden" }] }, [NESTED]);
    expect(denies([rule({ args_match: "hidden" })])(call)).toBe(true);
    expect(decides([rule({ effect: "allow", args_match: "hidden" })])(call)).toBe("deny");
    expect(decides([rule({ effect: "allow", args_match: "^a$" })])(call)).toBe("allow");
    expect(decides([rule({ effect: "allow", args_match: "^rm" })])(ran("ls; rm x"))).toBe("deny");
  });
  test("what is too long to be searched is forbidden and not allowed", () => {
    const call = callOf("write", { path: "a", content: "x".repeat(6_000_000) });
    const { policy } = both({ policy: [rule({ args_match: "nowhere" })], otherwise: "allow" })(call);
    expect(policy).toMatchObject({ kind: "deny", why: expect.stringContaining("(the arguments are too long to be searched)") });
    expect(decides([rule({ effect: "allow", args_match: "x" })])(call)).toBe("deny");
  });
});

const NESTED = defineTool({
  name: "changes",
  description: "",
  effect: "writes",
  input: z.strictObject({ path: z.string(), edits: z.array(z.strictObject({ text: z.string() })) }),
  touches: () => [],
  run: async () => ({ text: "" }),
});

test("the trace names every condition that held", () => {
  const all = rule({ tool: "b*", paths: ["/etc/**"], args_match: "cat", env: ["A"], trust_level: "trusted", capabilities: ["runs"] });
  const { policy } = both({ policy: [all] }, { A: "1" })(ran("cat /etc/passwd"));
  expect(policy).toMatchObject({
    why: 'rule[0] deny: tool=bash matched "b*", trust_level trusted (the caller is trusted), env A is set, paths "/etc/**" matched /etc/passwd, args_match "cat", capabilities runs',
  });
});

test.each<[object, string]>([
  [{ tool: "x" }, 'it needs "effect" (or "action").'],
  [{ effect: "deny" }, 'it needs "tool" (or "tools").'],
  [{ effect: "deny", action: "deny", tool: "x" }, 'it has both "effect" and "action"; keep one of them.'],
  [{ effect: "deny", action: "allow", tool: "x" }, 'it has both "effect" and "action"; keep one of them.'],
  [{ effect: "deny", tool: "x", tools: ["y"] }, 'it has both "tool" and "tools"; keep one of them.'],
])("%j is no rule", (given, message) => {
  expect(
    policyRuleSchema()
      .safeParse(given)
      .error?.issues.map((issue) => issue.message),
  ).toEqual([message]);
});

describe("a rule more", () => {
  const COMMANDS = ["cat src/a.ts", "cat /etc/passwd", "rm -rf secret", "cat src/*", "ls", "cat src/a.ts /etc/x", "$X y", "cat out/passwd"];
  const CALLS = [
    ...COMMANDS.map(ran),
    ...["src/a.ts", "secret/k", "/etc/passwd", "src/link/k"].flatMap((path) => [
      callOf("read", { path }),
      callOf("write", { path, content: "rm" }),
    ]),
    callOf("fetch", { url: "https://example.com/a" }),
    callOf("delete_path", { path: "src" }),
  ];
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const anyRule = (effect: fc.Arbitrary<"allow" | "deny">): fc.Arbitrary<PolicyRule> =>
    fc
      .record({
        effect,
        tool: fc.constantFrom("*", "bash", "read", "*e*"),
        paths: maybe(fc.subarray(["src/**", "/etc/**", "**/k", "*", "https://*", "secret/*"], { minLength: 1 })),
        args_match: maybe(fc.constantFrom("rm", "^cat", "etc", ".")),
        env: maybe(fc.constantFrom(["A"], ["B"])),
        trust_level: maybe(fc.constantFrom<Trust>("untrusted", "provisional", "trusted")),
        capabilities: maybe(fc.subarray<"reads" | "runs" | "writes">(["reads", "runs", "writes"], { minLength: 1 })),
      })
      .map((given) => Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as PolicyRule);
  const anyEffect = fc.constantFrom<"allow" | "deny">("allow", "deny");

  test.each(["deny", "allow"] as const)("of effect %s, anywhere in either list, never does the opposite", (effect) => {
    fc.assert(
      fc.property(
        fc.array(anyRule(anyEffect), { maxLength: 4 }),
        fc.array(anyRule(anyEffect), { maxLength: 4 }),
        anyRule(fc.constant(effect)),
        fc.nat(8),
        fc.constantFrom<"allow" | "deny">("allow", "deny"),
        fc.constantFrom<Trust>("untrusted", "provisional", "trusted"),
        (policy, authorization, added, at, otherwise, trust) => {
          const where = Math.min(at, policy.length + authorization.length);
          const inPolicy = where <= policy.length;
          const more = {
            policy: inPolicy ? policy.toSpliced(where, 0, added) : policy,
            authorization: inPolicy ? authorization : authorization.toSpliced(where - policy.length, 0, added),
          };
          const [before, after] = [both({ policy, authorization, otherwise }, { A: "1" }), both({ ...more, otherwise }, { A: "1" })];
          const denied = (judge: typeof before, call: (typeof CALLS)[number]) =>
            Object.values(judge(call, turnOf({ trust }))).some(({ kind }) => kind === "deny");
          for (const call of CALLS) if (denied(before, call) !== denied(after, call)) expect(denied(after, call)).toBe(effect === "deny");
        },
      ),
      { numRuns: 50 },
    );
  });
});
