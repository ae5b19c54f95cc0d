import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { tryRules } from "../src/runtime/rules/policy-trial.ts";
import { available } from "./sandbox/support.ts";
import { type Setup, type Workspace, workspace } from "./workspace.ts";

const made: Workspace[] = [];
afterAll(() => {
  for (const { remove } of made) remove();
});
const here = (setup: readonly Setup[] = []) => {
  const place = workspace([
    { op: "file", path: "work/src/a.ts", content: "a" },
    { op: "file", path: "work/secret/k", content: "k" },
    ...setup,
  ]);
  made.push(place);
  return place;
};

const ALLOWED = Object.fromEntries(
  ["read", "write", "edit", "bash", "find_path", "delete_path", "fetch"].map((tool) => [tool, [{ pattern: "*", action: "allow" }]]),
);
const configOf = (place: Workspace, tools: object) => ({
  audit: { path: join(place.state, "audit.jsonl") },
  tools: { permissions: ALLOWED, ...tools },
});
const open = (place: Workspace, tools: object) => place.runtime({ config: configOf(place, tools) });
const lines = (place: Workspace) =>
  place
    .audit()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A configuration file of its own, beside the workspace. */
const fromFile = (place: Workspace, toml: string) => {
  const file = join(place.T, "config.toml");
  writeFileSync(file, `[audit]\npath = "${join(place.state, "audit.jsonl")}"\n${toml}`);
  return { file, open: () => place.runtime({ config: file }) };
};

describe("a denial", () => {
  test("the model reads that it was denied; the person and the log read why", async () => {
    const place = here();
    const zeph = await open(place, {
      policy: {
        enabled: true,
        rules: [
          { effect: "deny", tool: "read", paths: ["secret/**"] },
          { action: "allow", tools: ["read"] },
        ],
      },
    });
    const no = await zeph.call("read", { path: "secret/k" });
    const trace = 'rule[0] deny: tool=read matched "read", paths "secret/**" matched secret/k';
    expect(no).toMatchObject({ ok: false, error: { category: "policy_blocked", message: "denied by policy" } });
    expect(no.decision).toEqual({ verdict: "deny", gate: "policy", rule: "rule[0] deny", why: trace });
    const yes = await zeph.call("read", { path: "src/a.ts" });
    expect(yes.ok).toBe(true);
    const nothing = await zeph.call("grep", { pattern: "a" });
    expect(nothing).toMatchObject({
      error: { message: "denied by policy" },
      decision: { gate: "policy", rule: "default: deny (no matching rules)" },
    });
    await zeph.close();
    expect(lines(place).flatMap((line) => line.policy_match ?? [])).toEqual([
      trace,
      'rule[1] allow: tool=read matched "read"',
      "default: deny (no matching rules)",
    ]);
  });

  test("authorization speaks for itself, and only about what a policy left open", async () => {
    const place = here();
    const deny = { effect: "deny", tool: "read" };
    const zeph = await open(place, { authorization: { enabled: true, rules: [deny] } });
    expect((await zeph.call("read", { path: "src/a.ts" })).decision).toMatchObject({ gate: "authorization", rule: "rule[0] deny" });
    expect((await zeph.call("find_path", { pattern: "*", path: "." })).ok).toBe(true);
    const states = Object.fromEntries(zeph.governance.gates().map(({ gate, state }) => [gate, state]));
    expect(states).toMatchObject({ policy: "off", authorization: "1 rule", scoped: "off" });
    await zeph.close();
    const both = await open(place, {
      policy: { enabled: true, rules: [{ effect: "allow", tool: "read", args_match: "src" }] },
      authorization: { enabled: true, rules: [deny] },
    });
    expect((await both.call("read", { path: "src/a.ts" })).ok).toBe(true);
    expect((await both.call("read", { path: "secret/k" })).decision).toMatchObject({ gate: "authorization", rule: "rule[1] deny" });
    await both.close();
  });

  test("a rule under another name of a tool holds for the tool", async () => {
    const zeph = await open(here(), {
      policy: { enabled: true, default_effect: "allow", rules: [{ effect: "deny", tool: "glob" }] },
      scoped: { enabled: true, denied_tools: ["grep"] },
    });
    for (const name of ["glob", "find_path"])
      expect((await zeph.call(name, { pattern: "*", path: "." })).decision).toMatchObject({ gate: "policy" });
    await zeph.close();
  });

  test("a caller who is trusted less gets no more", async () => {
    const zeph = await open(here(), { policy: { enabled: true, rules: [{ effect: "allow", tool: "read", trust_level: "provisional" }] } });
    const verdicts = await Promise.all(
      (["untrusted", "provisional", "trusted"] as const).map(
        async (trust) => (await zeph.call("read", { path: "src/a.ts" }, { trust })).ok,
      ),
    );
    expect(verdicts).toEqual([false, true, true]);
    await zeph.close();
  });
});

test("what judge says is what call does", async () => {
  const place = here([{ op: "symlink", path: "work/src/link", target: "../secret" }]);
  const zeph = await open(place, {
    policy: {
      enabled: true,
      rules: [
        { effect: "deny", tool: "*", paths: ["secret/**"] },
        { effect: "allow", tool: "read" },
      ],
    },
    authorization: {
      enabled: true,
      rules: [
        { effect: "deny", tool: "write", args_match: "x" },
        { effect: "allow", tool: "write", paths: ["src/**"] },
      ],
    },
    scoped: { enabled: true, denied_tools: ["grep"], constraints: [{ tool: "read", deny_patterns: ["b.ts"] }] },
  });
  const calls: [string, object][] = [
    ["read", { path: "src/a.ts" }],
    ["read", { path: "src/b.ts" }],
    ["read", { path: "src/link/k" }],
    ["write", { path: "src/n.ts", content: "n" }],
    ["write", { path: "src/n.ts", content: "x" }],
    ["write", { path: "n.ts", content: "n" }],
    ["grep", { pattern: "a" }],
    ["find_path", { pattern: "*", path: "." }],
  ];
  for (const [tool, args] of calls) {
    const judged = await zeph.judge(tool, args);
    const { decision } = await zeph.call(tool, args);
    expect([tool, args, judged.verdict, judged.gate, judged.rule]).toEqual([
      tool,
      args,
      decision.verdict,
      decision.gate ?? null,
      decision.rule ?? null,
    ]);
  }
  await zeph.close();
});

describe("what is wrong with the rules is told at the start, with its place", () => {
  const RULE = '[[tools.policy.rules]]\neffect = "deny"\n';
  test.each([
    [
      `${RULE}tool = "bash"\nargs_match = "(a"\n`,
      6,
      '"tools.policy.rules[0].args_match" is not a valid regular expression: missing closing )',
    ],
    [`${RULE}tool = "ba[sh"\n`, 5, '"tools.policy.rules[0].tool" is not a valid glob'],
    [`${RULE}tool = "bash"\npaths = ["{a"]\n`, 6, '"tools.policy.rules[0].paths[0]" is not a valid glob'],
    [`${RULE}tool = "bash"\naction = "allow"\n`, 6, 'it has both "effect" and "action"'],
    [`${RULE}`, 3, 'it needs "tool" (or "tools").'],
    [`${RULE}tool = "bahs"\n`, 5, 'names the tool "bahs", and there is none of that name. Did you mean "bash"?'],
    [
      `${RULE}tool = "bash"\n${RULE.replace("deny", "allow")}tool = "bash"\n`,
      6,
      'says allow to what "tools.policy.rules[0]" (line 3) says deny to',
    ],
    [
      `[tools.policy]\nenabled = true\n${RULE}tool = "bash"\nallow = ["ls"]\n`,
      8,
      'The example "ls" should be allowed, but it is denied: rule[0] deny',
    ],
    [`${RULE}tool = "bash"\n`.repeat(257), 3, "there are 257 rules, and at most 256 are allowed."],
    ['[tools.scoped]\nenabled = true\ndenied_tools = ["raed"]\n', 5, 'Did you mean "read"?'],
    [`${RULE}tool = "bash"\nargs_match = "a(?=b)"\n`, 6, "RE2 has no look-around"],
    ['[[tools.scoped.constraints]]\ntool = "read"\nallowed_paths = ["src/**"]\n', 5, 'not patterns: write "src".'],
    [
      '[[tools.scoped.constraints]]\ntool = "fetch"\nallowed_domains = ["https://example.com/x"]\n',
      5,
      'allowed_domains are hosts, without scheme, port or path: write "example.com".',
    ],
    [
      '[tools.adversarial_policy]\npolicies = ["x", { text = "y", phases = ["planner", "exekutor"] }]\n',
      4,
      '"tools.adversarial_policy.policies[1].phases[1]" must be "planner", "executor", "verifier" or "autonomous", but the text "exekutor" was found.',
    ],
    [
      '[tools.adversarial_policy]\npolicies = [{ text = "y", phase = ["planner"] }]\n',
      4,
      'Did you mean "tools.adversarial_policy.policies[0].phases"?',
    ],
    ["[policy]\nenabled = true\n", 3, '"policy" is not a setting. Did you mean "tools.policy"?'],
    ["[scoped]\nenabled = true\n", 3, '"scoped" is not a setting. Did you mean "tools.scoped"?'],
    ["[governance]\ntrajectory_enabled = true\n", 3, '"governance" is not a setting. Did you mean "tools.governance"?'],
    ['[tools.adversarial_policy]\nprovider = "nobody"\n', 4, 'names the provider "nobody"'],
  ])("case %#", async (toml, line, message) => {
    const { file, open } = fromFile(here(), toml);
    const error = (await open().then(
      (zeph) => zeph.close(),
      (error: Error) => error,
    )) as Error | undefined;
    expect(error?.name).toBe("ConfigError");
    expect(error?.message).toContain(message);
    expect(error?.message).toContain(`${file}:${line}:`);
  });

  test("in a file of rules too, and a file that is not there", async () => {
    const place = here([{ op: "file", path: "rules.toml", content: '[[rules]]\neffect = "deny"\ntool = "bahs"\n' }]);
    await expect(fromFile(place, '[tools.policy]\npolicy_file = "rules.toml"\n').open()).rejects.toThrow(
      `${join(place.T, "rules.toml")}:3: `,
    );
    await expect(fromFile(place, '[tools.policy]\npolicy_file = "nothing.toml"\n').open()).rejects.toThrow(
      `config.toml:4: "tools.policy.policy_file" names ${join(place.T, "nothing.toml")}. This file does not exist.`,
    );
  });
});

test("a file of rules is heard, and no tool may change it", async () => {
  const place = here([{ op: "file", path: "work/rules.toml", content: '[[rules]]\neffect = "deny"\ntool = "grep"\n' }]);
  const zeph = await open(place, { policy: { enabled: true, default_effect: "allow", policy_file: join(place.work, "rules.toml") } });
  expect((await zeph.call("grep", { pattern: "a" })).decision).toMatchObject({
    gate: "policy",
    rule: "rule[0] deny (rules.toml:1)",
    why: expect.stringContaining("rule[0] deny (rules.toml:1): tool=grep"),
  });
  for (const [tool, args] of [
    ["write", { path: "rules.toml", content: "" }],
    ["delete_path", { path: "rules.toml" }],
    ["bash", { command: "echo > rules.toml" }],
    ["bash", { command: "rm rules.toml" }],
  ] as const)
    expect((await zeph.call(tool, args)).decision, tool).toMatchObject({ verdict: "deny", gate: "blocklist", rule: "own files" });
  expect((await zeph.call("read", { path: "rules.toml" })).ok).toBe(true);
  // A script says nothing of what it does; behind walls the file is there to be read.
  writeFileSync(join(place.work, "sly.sh"), "echo > rules.toml; cat rules.toml; touch beside.txt");
  const ran = await zeph.call("bash", { command: "sh sly.sh" });
  if (available) expect([ran.ok, existsSync(join(place.work, "beside.txt"))]).toEqual([true, true]);
  expect(readFileSync(join(place.work, "rules.toml"), "utf8")).toContain("deny");
  await zeph.close();
});

describe("zeph policy test", () => {
  const RULES = '[[rules]]\neffect = "deny"\ntool = "bash"\nargs_match = "rm"\ndeny = ["rm x"]\nallow = ["ls"]\n';
  const tried = async (place: Workspace, toml: string, settings: { set?: string[] } = {}) => {
    const rules = join(place.T, "rules.toml");
    writeFileSync(rules, RULES);
    const { file } = fromFile(place, toml);
    return tryRules(rules, place.work, { config: file, ...settings });
  };
  const ALLOWS = '[tools.policy]\ndefault_effect = "allow"\n';

  test("a file of rules is tried with the default in force, and it says whose that is", async () => {
    const place = here();
    const file = join(place.T, "config.toml");
    expect(await tried(place, ALLOWS)).toEqual({ total: 2, failures: [], warnings: [], default: "allow", from: `${file}:4` });
    expect(await tried(place, "")).toMatchObject({ failures: [{ line: 6 }], default: "deny", from: "built in" });
    const set = ["tools.policy.default_effect=allow"];
    expect(await tried(place, "", { set })).toMatchObject({ failures: [], default: "allow", from: "--set tools.policy.default_effect" });
    vi.stubEnv("ZEPH_TOOLS_POLICY_DEFAULT_EFFECT", "deny");
    expect(await tried(place, ALLOWS)).toMatchObject({ default: "deny", from: "ZEPH_TOOLS_POLICY_DEFAULT_EFFECT" });
    vi.unstubAllEnvs();
  });
  test("a broken policy of one's own is no hindrance, and neither is a broken configuration, which is remarked", async () => {
    const place = here();
    const broken = `${ALLOWS}enabled = true\npolicy_file = "nowhere.toml"\n[[tools.policy.rules]]\neffect = "deny"\ntool = "bahs"\n`;
    expect(await tried(place, broken)).toMatchObject({ failures: [], warnings: [], default: "allow" });
    const { warnings, default: assumed, from } = await tried(place, `${ALLOWS}nonsense = 1\n`);
    expect([assumed, from, warnings]).toEqual([
      "deny",
      "built in",
      [expect.stringMatching(/^Your configuration cannot be read, so tools\.policy\.default_effect = "deny" is assumed\. .*nonsense/)],
    ]);
  });
  test("the example in the docs holds, with the default they name", async () => {
    const place = here();
    const [, toml] = /## Keep examples[^#]*?```toml\n(.*?)```/s.exec(readFileSync(join(import.meta.dirname, "../docs/policy.md"), "utf8"))!;
    const rules = join(place.T, "policy.toml");
    writeFileSync(rules, toml!);
    const { file } = fromFile(place, "");
    expect(await tryRules(rules, place.work, { config: file })).toMatchObject({ total: 3, failures: [], warnings: [], default: "deny" });
  });
});

describe("scoped", () => {
  test("the refusal names the constraint, for the model too, and a person lifts it once", async () => {
    const place = here();
    const zeph = await open(place, {
      scoped: { enabled: true, constraints: [{ tool: "grep" }, { tool: "write", deny_patterns: ["TODO"] }] },
    });
    const args = { path: "src/n.ts", content: "TODO" };
    const no = await zeph.call("write", args);
    expect(no).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('tools.scoped.constraints[1] (write): deny_patterns "TODO"') },
      decision: { gate: "scoped" },
    });
    expect(zeph.governance.approve("not-a-call")).toBeNull();
    expect(zeph.governance.approve(no.callId.slice(0, 8))).toEqual({ callId: no.callId, tool: "write" });
    expect((await zeph.judge("write", args)).verdict).toBe("allow");
    expect((await zeph.call("write", { ...args, path: "src/m.ts" })).ok).toBe(false);
    expect((await zeph.call("write", args)).ok).toBe(true);
    expect((await zeph.call("write", args)).ok).toBe(false);
    const last = await zeph.call("write", args);
    zeph.clear();
    expect(zeph.governance.approve(last.callId)).toBeNull();
    await zeph.close();
    expect(place.audit()).toContain("by the gate scoped was lifted, once, by the user");
  });

  test("a caller below min_trust is asked about", async () => {
    const zeph = await open(here(), { scoped: { enabled: true, constraints: [{ tool: "read", min_trust: "trusted" }] } });
    expect(await zeph.judge("read", { path: "src/a.ts" }, { trust: "provisional" })).toMatchObject({ verdict: "ask", gate: "scoped" });
    expect((await zeph.judge("read", { path: "src/a.ts" })).verdict).toBe("allow");
    await zeph.close();
  });
});

test("a tool that every call of is denied is not shown, and cannot be called by its name either", async () => {
  const place = here();
  const zeph = await open(place, {
    policy: {
      enabled: true,
      default_effect: "allow",
      rules: [
        { effect: "allow", tool: "edit", paths: ["src/**"] },
        { effect: "deny", tool: "edit" },
        { effect: "deny", tool: "grep", args_match: "x" },
        { action: "deny", tools: ["find_*"] },
        { effect: "deny", tool: "*", capabilities: ["fetches"] },
      ],
    },
    scoped: { enabled: true, denied_tools: ["copy_path"] },
  });
  const shown = zeph.tools().map(({ name }) => name);
  expect(shown).toEqual(expect.arrayContaining(["read", "edit", "grep"]));
  for (const hidden of ["find_path", "fetch", "web_scrape", "copy_path"]) expect(shown).not.toContain(hidden);
  expect((await zeph.call("find_path", { path: ".", pattern: "*" })).decision).toMatchObject({ gate: "policy" });
  await zeph.close();
  const strict = await open(place, { policy: { enabled: true, rules: [{ effect: "allow", tool: "read" }] } });
  expect(strict.tools().map(({ name }) => name)).toEqual(["read"]);
  await strict.close();
});

test("a search is denied where it could show what is denied, unless such files are left out of searches", async () => {
  const place = here();
  const policy = { enabled: true, default_effect: "allow", rules: [{ effect: "deny", tool: "*", paths: ["secret/**"] }] };
  const strict = await open(place, { policy });
  expect((await strict.call("grep", { pattern: "k" })).decision).toMatchObject({
    gate: "policy",
    why: expect.stringContaining("deny_read"),
  });
  expect((await strict.call("grep", { pattern: "a", path: "src" })).ok).toBe(true);
  await strict.close();
  const around = await open(place, { policy, file: { deny_read: ["secret/**"] } });
  const found = await around.call("grep", { pattern: "." });
  expect(found).toMatchObject({ ok: true });
  expect(JSON.stringify(found.output)).not.toContain("secret/k");
  await around.close();
});

test("what a path leads to is looked at anew when a person has said yes", async () => {
  const place = here([{ op: "symlink", path: "work/lnk", target: "src/a.ts" }]);
  const link = join(place.work, "lnk");
  const zeph = await place.runtime({
    config: {
      audit: { path: join(place.state, "audit.jsonl") },
      tools: {
        permissions: { read: [{ pattern: "*", action: "ask" }] },
        policy: { enabled: true, default_effect: "allow", rules: [{ effect: "deny", tool: "read", paths: ["secret/**"] }] },
      },
    },
    confirm() {
      rmSync(link);
      symlinkSync("secret/k", link);
      return "once";
    },
  });
  expect((await zeph.call("read", { path: "lnk" })).decision).toMatchObject({ verdict: "deny", gate: "policy" });
  await zeph.close();
});
