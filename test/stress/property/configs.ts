import fc from "fast-check";

/** A configuration as a person writes it, before it is parsed. */
export type Config = { readonly tools?: Readonly<Record<string, any>>; readonly [key: string]: any };
type Added = (base: Config) => Config;

export const CALLS: readonly (readonly [string, object])[] = [
  ["read", { path: "src/a.ts" }],
  ["read", { path: ".env" }],
  ["read", { path: "link" }],
  ["read", { path: "/etc/passwd" }],
  ["grep", { pattern: "TODO", path: "src" }],
  ["list_directory", { path: "." }],
  ["write", { path: "src/b.ts", content: "b" }],
  ["write", { path: "src/../.env", content: "TOKEN=2" }],
  ["write", { path: "notes.md", content: "TODO" }],
  ["delete_path", { path: "src" }],
  ["move_path", { source: "src/a.ts", destination: "old.ts" }],
  ["bash", { command: "git status" }],
  ["bash", { command: "rm -rf build" }],
  ["bash", { command: "sudo id" }],
  ["bash", { command: "cat .env > out.txt" }],
  ["bash", { command: "curl https://example.org" }],
  ["bash", { command: "$X y" }],
  ["fetch", { url: "https://example.org/a" }],
  ["fetch", { url: "http://127.0.0.1/" }],
];

export const CALLERS = fc.record(
  {
    trust: fc.constantFrom("trusted", "provisional", "untrusted"),
    phase: fc.constantFrom("planner", "executor", "verifier", "autonomous"),
    callerId: fc.constantFrom("a", "b"),
    conversationId: fc.constant("c"),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<object>;

const TOOLS = ["read", "grep", "list_directory", "write", "delete_path", "move_path", "bash", "fetch"];
/** Rules that meet each other are what is looked for, so that most speak of the same few tools. */
const tool = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("read", "write", "bash") },
  { weight: 1, arbitrary: fc.constantFrom(...TOOLS) },
);
const some = <T>(...values: T[]) => fc.subarray(values, { minLength: 1 });
const PATHS = ["src/**", "**/.env", "/etc/**", "*.md", "**"];
const effect = fc.constantFrom("allow", "deny");

const conditions = {
  paths: some(...PATHS),
  args_match: fc.constantFrom("TODO", "rm|sudo", "^https?://", "(?i)token", "."),
  env: some("PATH", "NO_SUCH_VARIABLE_HERE"),
  trust_level: fc.constantFrom("untrusted", "provisional", "trusted"),
  capabilities: some("reads", "writes", "runs", "fetches"),
};
const long = (of: fc.Arbitrary<string>) =>
  fc.record(
    { effect: of, tool: fc.oneof(tool, fc.constantFrom("*", "*_path", "r*")), ...conditions },
    { requiredKeys: ["effect", "tool"] },
  );
const short = (of: fc.Arbitrary<string>) =>
  fc.record({ action: of, tools: some("*", ...TOOLS), ...conditions }, { requiredKeys: ["action", "tools"] });
const rule = (of: fc.Arbitrary<string> = effect) => fc.oneof(long(of), short(of));
const rules = fc.array(rule(), { minLength: 1, maxLength: 5 });

const policy = fc.record({ enabled: fc.constant(true), default_effect: effect, rules });
const constraint = fc.record(
  {
    tool,
    deny_patterns: some("TODO", "rm", ".env", "example"),
    allowed_paths: some("src", ".", "notes.md"),
    allowed_domains: some("example.org", "*.example.com"),
    min_trust: fc.constantFrom("untrusted", "provisional", "trusted"),
  },
  { requiredKeys: ["tool"] },
);
const scoped = fc.record(
  {
    enabled: fc.constant(true),
    denied_tools: some(...TOOLS),
    allowed_tools: some(...TOOLS),
    constraints: fc.array(constraint, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ["enabled"] },
);
const permission = (of: fc.Arbitrary<string> = fc.constantFrom("allow", "ask", "deny")) =>
  fc.record({ pattern: fc.constantFrom("*", "src/**", "*.md", "git *", "rm *", "https://example.org/**"), action: of });
const permissions = fc.dictionary(tool, fc.array(permission(), { maxLength: 3 }), { maxKeys: 4 });
const sequence = fc.constantFrom(["bash", "rm"], ["read", ".env", "fetch"], ["read", "write"], ["write"], ["bash", "git"]);
const governance = fc.record(
  { trajectory_enabled: fc.constant(true), block_risky_patterns: fc.boolean(), blocked_sequences: fc.array(sequence, { maxLength: 3 }) },
  { requiredKeys: ["trajectory_enabled"] },
);
const utility = fc.record({ enabled: fc.constant(true), threshold: fc.constantFrom(-1, 0, 0.5, 1) }, { requiredKeys: ["enabled"] });
const anomaly = fc.record({
  window_size: fc.constantFrom(10, 20),
  failure_threshold: fc.constantFrom(0, 0.5, 0.9),
  auto_block: fc.boolean(),
});
const quota = fc.nat({ max: 20 });

const slices = {
  policy,
  authorization: fc.record({ enabled: fc.constant(true), rules }),
  scoped,
  permissions,
  governance,
  utility,
  anomaly,
  max_tool_calls_per_session: quota,
};

const AUTONOMY = fc.constantFrom("supervised", "supervised", "full", "readonly");
const withTools = (tools: fc.Arbitrary<object>): fc.Arbitrary<Config> =>
  fc.tuple(tools, AUTONOMY).map(([tools, autonomy]) => ({ tools, autonomy }));

/** Any configuration: each gate on or off. */
export const BASES = withTools(fc.record(slices, { requiredKeys: [] }));

/** Any configuration that has this slice, alone or among others, which may drown it out. */
export const basesWith = (name: keyof typeof slices): fc.Arbitrary<Config> =>
  fc.oneof(
    { weight: 2, arbitrary: withTools(fc.record({ [name]: slices[name] as fc.Arbitrary<unknown> })) },
    { weight: 1, arbitrary: withTools(fc.record(slices, { requiredKeys: [name] })) },
  );

const into = (key: string, at: number, one: unknown): Added =>
  withList(key, (list) => [...list.slice(0, at % (list.length + 1)), one, ...list.slice(at % (list.length + 1))]);

/** Changes one list of `tools`, named by two words. */
const withList =
  (key: string, change: (list: readonly unknown[]) => readonly unknown[]): Added =>
  (base) => {
    const [slice, name] = key.split(".") as [string, string];
    const old = base.tools?.[slice] ?? {};
    return { ...base, tools: { ...base.tools, [slice]: { ...old, [name]: change(old[name] ?? []) } } };
  };

const denying = fc.constant("deny");

interface Denial {
  /** What has to be there for the rule to be heard. */
  readonly base: fc.Arbitrary<Config>;
  readonly add: fc.Arbitrary<Added>;
}
const denial = <T>(base: fc.Arbitrary<Config>, key: string, one: fc.Arbitrary<T>): Denial => ({
  base,
  add: fc.tuple(one, fc.nat()).map(([value, at]) => into(key, at, value)),
});

/** One more rule that only refuses, at any place. */
export const DENIALS: Readonly<Record<string, Denial>> = {
  "a rule of the policy": denial(basesWith("policy"), "policy.rules", rule(denying)),
  "a rule of authorization": denial(basesWith("authorization"), "authorization.rules", rule(denying)),
  "a constraint": denial(basesWith("scoped"), "scoped.constraints", constraint),
  "a denied tool": denial(basesWith("scoped"), "scoped.denied_tools", tool),
  "a permission": {
    base: basesWith("permissions"),
    add: fc.tuple(tool, permission(denying), fc.nat()).map(([name, one, at]) => into(`permissions.${name}`, at, one)),
  },
  "a blocked sequence": denial(basesWith("governance"), "governance.blocked_sequences", sequence),
  "a blocked command": denial(BASES, "shell.blocked_commands", fc.constantFrom("git", "rm", "cat")),
  "fewer calls": {
    base: basesWith("max_tool_calls_per_session"),
    add: quota.map(
      (max): Added =>
        (base) => {
          const before: number = base.tools?.max_tool_calls_per_session ?? max;
          return merged(base, { tools: { max_tool_calls_per_session: Math.min(max, before) } });
        },
    ),
  },
};

/** Each gate: how it is off, and on in every way. */
export const GATES: Readonly<Record<string, { readonly off: Config; readonly on: fc.Arbitrary<Config> }>> = {
  scope: {
    off: { tools: { scope: { enabled: false } } },
    on: fc.constant({ tools: { scope: { enabled: true, require_capability: true } } }),
  },
  scoped: { off: { tools: { scoped: {} } }, on: scoped.map((value) => ({ tools: { scoped: value } })) },
  quota: {
    off: { tools: { max_tool_calls_per_session: undefined } },
    on: quota.map((value) => ({ tools: { max_tool_calls_per_session: value } })),
  },
  policy: {
    // A rule of authorization may allow what the default of the policy would refuse: they are one list, so they come together.
    off: { tools: { policy: {}, authorization: {} } },
    on: policy.map((value) => ({ tools: { policy: value } })),
  },
  authorization: {
    off: { tools: { policy: {}, authorization: {} } },
    on: rules.map((value) => ({ tools: { authorization: { enabled: true, rules: value } } })),
  },
  adversarial: {
    off: { tools: { adversarial_policy: {} } },
    on: fc
      .boolean()
      .map((fail_open) => ({ tools: { adversarial_policy: { enabled: true, fail_open, policies: ["Nothing is deleted."] } } })),
  },
  permissions: { off: { autonomy: "supervised" }, on: fc.constant({ autonomy: "readonly" }) },
  sentinel: { off: { tools: { governance: {} } }, on: governance.map((value) => ({ tools: { governance: value } })) },
  anomaly: {
    off: { tools: { anomaly: { enabled: false } } },
    on: anomaly.map((value) => ({ tools: { anomaly: { ...value, enabled: true } } })),
  },
  utility: { off: { tools: { utility: {} } }, on: utility.map((value) => ({ tools: { utility: value } })) },
};

/** Slices of the second take the place of those of the first. */
export function merged(base: Config, other: Config): Config {
  const tools: Record<string, unknown> = { ...base.tools, ...other.tools };
  for (const key of Object.keys(tools)) if (tools[key] === undefined) delete tools[key];
  return { ...base, ...other, tools };
}
