import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { facts, tools } from "../../../test/policy-calls.ts";
import { messageOf, type Scratch, scratch } from "../../../test/scratch.ts";
import { readRulebook } from "./rulebook.ts";
import { assertRulebook } from "./rulebook-assert.ts";
import { checkRulebook } from "./rulebook-check.ts";
import { runExamples } from "./rulebook-examples.ts";
import { policyTestFile } from "./rulebook-test.ts";

const bookOf = (world: Scratch, more: object = {}) => {
  const { config, placeOf } = world.load(more);
  return { book: readRulebook(config, { placeOf, cwd: world.cwd, home: world.home }), placeOf };
};
const checked = (world: Scratch, more: object = {}) => {
  const { book, placeOf } = bookOf(world, more);
  return checkRulebook(book, tools, placeOf);
};
const examples = (world: Scratch, env = {}) => runExamples(bookOf(world).book, { facts, tools, env });
const ON = "[tools.policy]\nenabled = true\n";
const deny = (tool: string, more = "") => `[[tools.policy.rules]]\neffect = "deny"\ntool = "${tool}"\n${more}`;

describe("files", () => {
  test("rules and policies of a file come after those beside it", () => {
    const world = scratch();
    const beside = join(world.home, ".config", "zeph");
    const rules = world.write(join(beside, "rules.toml"), '[[rules]]\neffect = "allow"\ntool = "glob"\n');
    const lines = world.write(join(beside, "words.txt"), "# x\nBe kind.\n");
    world.user(
      `[tools.policy]\npolicy_file = "rules.toml"\n[tools.adversarial_policy]\npolicies = ["Be good."]\npolicy_file = "words.txt"\n${deny("bash")}` +
        '[[tools.authorization.rules]]\naction = "deny"\ntools = ["read"]\n',
    );
    const { book } = bookOf(world);
    expect(book.files).toEqual([rules, lines]);
    expect(book.policy.rules).toEqual([
      { effect: "deny", tool: "bash" },
      // Another name of a tool means the tool.
      { effect: "allow", tool: "find_path" },
    ]);
    expect(book.adversarial.policies).toEqual(["Be good.", "Be kind."]);
    expect(book.written.map(({ key, place }) => [key, place().line])).toEqual([
      ["tools.policy.rules[0]", 6],
      ["rules[0]", 1],
      ["tools.authorization.rules[0]", 9],
    ]);
  });
  test("a rule with more conditions than another stands where it was written", () => {
    const world = scratch();
    world.user(`${deny("bash")}${deny("bash", 'args_match = "x"\n')}`);
    const { book } = bookOf(world);
    expect(book.written.map(({ place }) => place().line)).toEqual([1, 4]);
    expect([0, 1, 2].map((n) => book.placeOf?.("policy", n))).toEqual(["config.toml:1", "config.toml:4", null]);
  });
  test("one that is missing or wrong is an error, and all of them are told", () => {
    const world = scratch();
    world.user('[tools.policy]\npolicy_file = "a"\n[tools.adversarial_policy]\npolicy_file = "b"\n');
    const beside = join(world.home, ".config", "zeph");
    expect(messageOf(() => bookOf(world))).toBe(
      `${world.userFile}:2: "tools.policy.policy_file" names ${beside}/a. This file does not exist.\n` +
        `${world.userFile}:4: "tools.adversarial_policy.policy_file" names ${beside}/b. This file does not exist.`,
    );
  });
  test("256 rules are the most in all lists and files together", () => {
    const world = scratch();
    const file = world.write(join(world.cwd, "rules.toml"), '[[rules]]\neffect = "deny"\ntool = "read"\n'.repeat(100));
    const text = (count: number) =>
      `[tools.policy]\npolicy_file = "${file}"\n${deny("bash").repeat(100)}${'[[tools.authorization.rules]]\neffect = "deny"\ntool = "grep"\n'.repeat(count)}`;
    world.user(text(56));
    expect(bookOf(world).book.written).toHaveLength(256);
    world.user(text(57));
    expect(messageOf(() => bookOf(world))).toMatch(
      /config\.toml:\d+: With those of every list and file, there are 257 rules, and at most 256 are allowed\.$/,
    );
    world.user(deny("bash").repeat(257));
    expect(messageOf(() => bookOf(world))).toContain(
      '"tools.policy.rules" is not right: there are 257 rules, and at most 256 are allowed.',
    );
  });
});

describe("checks", () => {
  test("a tool that does not exist, wherever it is named", () => {
    const world = scratch();
    const rules = world.write(join(world.cwd, "r.toml"), '[[rules]]\neffect = "deny"\ntool = "bahs"\n');
    const file = world.user(
      `[tools.policy]\npolicy_file = "${rules}"\n${deny("raed")}[[tools.authorization.rules]]\naction = "deny"\ntools = ["read",\n"wirte"]\n` +
        '[tools.scoped]\ndenied_tools = ["nobody"]\nallowed_tools = ["grepp"]\n[[tools.scoped.constraints]]\ntool = "fetsh"\n' +
        '[tools.adversarial_policy]\nexempt_tools = ["memory_save", "x1"]\n[tools.utility]\nexempt_tools = ["x2"]\n[tools.governance]\nallowlist = ["x3"]\n',
    );
    const { problems } = checked(world);
    expect(problems.map(({ file, line, message }) => `${file}:${line}: ${message}`)).toEqual([
      `${file}:5: "tools.policy.rules[0].tool" names the tool "raed", and there is none of that name. Did you mean "read"?`,
      `${rules}:3: "rules[0].tool" names the tool "bahs", and there is none of that name. Did you mean "bash"?`,
      `${file}:9: "tools.authorization.rules[0].tools[1]" names the tool "wirte", and there is none of that name. Did you mean "write"?`,
      `${file}:11: "tools.scoped.denied_tools[0]" names the tool "nobody", and there is none of that name.`,
      `${file}:12: "tools.scoped.allowed_tools[0]" names the tool "grepp", and there is none of that name. Did you mean "grep"?`,
      `${file}:14: "tools.scoped.constraints[0].tool" names the tool "fetsh", and there is none of that name. Did you mean "fetch"?`,
      `${file}:16: "tools.adversarial_policy.exempt_tools[1]" names the tool "x1", and there is none of that name.`,
      `${file}:18: "tools.utility.exempt_tools[0]" names the tool "x2", and there is none of that name.`,
      `${file}:20: "tools.governance.allowlist[0]" names the tool "x3", and there is none of that name.`,
    ]);
  });
  test("patterns, other names, tools of servers and what is usual are no mistakes", () => {
    const world = scratch();
    world.user(
      `${ON}${deny("g*p")}${deny("*nobody")}${deny("m*", 'env = ["X"]\n')}${deny("mcp__z__*")}${deny("glob")}${deny("BASH")}${deny("mcp__x__y")}${deny("memory_save")}`,
    );
    expect(checked(world)).toEqual({ problems: [], warnings: [] });
    expect(checked(scratch())).toEqual({ problems: [], warnings: [] });
  });
  test("two rules of one list that contradict each other: both places are named", () => {
    const world = scratch();
    const file = world.user(
      `${ON}${deny("bash", 'paths = ["a", "b"]\n')}[[tools.policy.rules]]\naction = "allow"\ntools = ["read", "Bash"]\npaths = ["b", "a"]\n`,
    );
    expect(checked(world).problems).toEqual([
      {
        file,
        line: 7,
        key: "tools.policy.rules[1]",
        message:
          '"tools.policy.rules[1]" says allow to what "tools.policy.rules[0]" (line 3) says deny to, with the same conditions. Keep one of them.',
      },
    ]);
    world.user(`${deny("bash", 'paths = ["a"]\n')}${deny("bash").replace("deny", "allow")}`);
    expect(checked(world).problems).toEqual([]);
  });
  test("where policy and authorization say opposite things the policy counts, and a warning names both places", () => {
    const world = scratch();
    const other = '[tools.authorization]\nenabled = true\n[[tools.authorization.rules]]\naction = "allow"\ntools = ["read", "Bash"]\n';
    const file = world.user(`${ON}${deny("bash", 'args_match = "x"\n')}${other}args_match = "x"\n`);
    expect(checked(world)).toEqual({
      problems: [],
      warnings: [
        `"tools.authorization.rules[0]" (${file}:9) says allow to what "tools.policy.rules[0]" (${file}:3) says deny to, with the same conditions: tools.policy is heard first, so deny counts.`,
      ],
    });
    // One oddity is told once, for rules without conditions too.
    world.user(`${ON}${deny("bash")}${other.replace('"read", ', "")}`);
    expect(checked(world)).toMatchObject({ problems: [], warnings: [expect.stringContaining("so deny counts")] });
  });
  test("a list that is off contradicts none but itself", () => {
    const world = scratch();
    const other = '[[tools.authorization.rules]]\neffect = "allow"\ntool = "bash"\n';
    world.user(`${ON}${deny("bash")}${other}`);
    expect(checked(world).problems).toEqual([]);
    world.user(`${deny("bash")}${deny("bash").replace("deny", "allow")}`);
    expect(checked(world).problems).toHaveLength(1);
    // One mistake is told once.
    world.user(`${ON}${deny("bash")}${deny("bash").replace("deny", "allow")}`);
    expect(checked(world)).toMatchObject({ problems: [{ line: 6 }], warnings: [] });
  });
  test("a project's rule may contradict its user's", () => {
    const world = scratch();
    world.user(deny("bash").replace("deny", "allow"));
    world.project(deny("bash"));
    const { book } = bookOf(world);
    expect(book.policy.rules.map(({ effect }) => effect)).toEqual(["deny", "allow"]);
    expect(checked(world).problems).toEqual([]);
    world.user(`${ON}${deny("bash", 'args_match = "x"\n').replace("deny", "allow")}`);
    expect(checked(world)).toEqual({ problems: [], warnings: [] });
  });
  test("a trusted project's rules are allowed before its user's, all of them", () => {
    const world = scratch();
    world.user(deny("bash"));
    const file = world.project(`${deny("bash").replace("deny", "allow")}${deny("read")}`);
    const trusted = { trusted: () => true };
    const { book } = bookOf(world, trusted);
    expect(book.policy.rules.map(({ effect, tool }) => `${effect} ${tool}`)).toEqual(["allow bash", "deny read", "deny bash"]);
    expect(book.written.map(({ place }) => place().file)).toEqual([file, file, world.userFile]);
    expect(checked(world, trusted).problems).toEqual([]);
  });
  test("lists of which one is ignored are odd", () => {
    const world = scratch();
    world.user('[tools.scoped]\nenabled = true\nallowed_tools = ["read", "bash"]\ndenied_tools = ["bash"]\n');
    expect(checked(world).warnings).toEqual([
      "tools.scoped.denied_tools is ignored, because tools.scoped.allowed_tools is set. In both lists, and therefore used: bash.",
    ]);
  });
  test("a provider nobody knows", () => {
    const world = scratch();
    const file = world.user(
      '[[llm.providers]]\nname = "judge"\ntype = "anthropic"\nmodel = "m"\n[tools.adversarial_policy]\nprovider = "juge"\n',
    );
    expect(checked(world).problems).toEqual([
      {
        file,
        line: 6,
        key: "tools.adversarial_policy.provider",
        message:
          '"tools.adversarial_policy.provider" names the provider "juge", and llm.providers has none of that name. Did you mean "judge"?',
      },
    ]);
  });
});

describe("what is never heard", () => {
  const warned = (toml: string) => {
    const world = scratch();
    world.user(toml);
    return checked(world).warnings.map((text) => text.replaceAll(world.userFile, "F"));
  };
  test.each([
    [deny("bash"), "tools.policy has 1 rule and is off: set tools.policy.enabled = true."],
    [
      '[[tools.authorization.rules]]\neffect = "deny"\ntool = "bash"\n'.repeat(2),
      "tools.authorization has 2 rules and is off: set tools.authorization.enabled = true.",
    ],
    ['[tools.scoped]\ndenied_tools = ["bash"]\n', "tools.scoped has lists or constraints and is off: set tools.scoped.enabled = true."],
    ['[[tools.scoped.constraints]]\ntool = "bash"\n', "tools.scoped has lists or constraints and is off: set tools.scoped.enabled = true."],
    [
      '[tools.governance]\nblocked_sequences = [["bash", "rm"]]\n',
      "tools.governance.blocked_sequences have no effect: set tools.governance.trajectory_enabled = true.",
    ],
    [
      "[tools.governance]\nblock_risky_patterns = true\n",
      "tools.governance.block_risky_patterns has no effect: set tools.governance.trajectory_enabled = true.",
    ],
    [
      "[tools.adversarial_policy]\nenabled = true\n",
      "tools.adversarial_policy is on and has no policy: write some into tools.adversarial_policy.policies, or name a policy_file.",
    ],
    [
      '[tools.adversarial_policy]\npolicies = ["x"]\n',
      "tools.adversarial_policy has policies and is off: set tools.adversarial_policy.enabled = true.",
    ],
    [
      `${ON}${deny("BASH")}${deny("bash", 'args_match = "x"\n')}`,
      '"tools.policy.rules[1]" (F:6) is never reached: "tools.policy.rules[0]" (F:3) already decides all its calls.',
    ],
    [
      `${ON}${deny("find_*")}${deny("glob", 'paths = ["a"]\n').replace("deny", "allow")}`,
      '"tools.policy.rules[1]" (F:6) is never reached: "tools.policy.rules[0]" (F:3) already decides all its calls.',
    ],
    [`${ON}${deny("raed*")}`, '"tools.policy.rules[0]" (F:3) names the tools "raed*", and no tool has such a name.'],
    [
      '[tools.scoped]\nenabled = true\n[[tools.scoped.constraints]]\ntool = "read"\nallowed_domains = ["example.com"]\n',
      "tools.scoped.constraints[0].allowed_domains limits nothing: read opens no address.",
    ],
  ])("case %#", (toml, message) => expect(warned(toml)).toEqual([message]));
  test.each([
    `${ON}${deny("bash", 'args_match = "y"\n')}${deny("bash", 'args_match = "x"\n')}${deny("*")}`,
    `${ON}${deny("read")}${deny("*", 'args_match = "x"\n')}`,
    `${ON}${deny("*", 'capabilities = ["reads"]\n')}${deny("grep", 'args_match = "x"\n')}`,
    `${ON}${deny("*", 'trust_level = "trusted"\n')}${deny("grep", 'args_match = "x"\n')}`,
    '[tools.governance]\ntrajectory_enabled = true\nblock_risky_patterns = true\nblocked_sequences = [["bash", "rm"]]\n',
    '[tools.scoped]\nenabled = true\n[[tools.scoped.constraints]]\ntool = "bash"\nallowed_domains = ["example.com"]\n',
  ])("nothing is said of case %#", (toml) => expect(warned(toml)).toEqual([]));
});

describe("examples", () => {
  test("hold against the whole list, each tool in its own words", () => {
    const world = scratch();
    world.user(
      `${ON}${deny("bash", 'args_match = "rm"\ndeny = ["rm x"]\nallow = ["git status"]\n')}` +
        '[[tools.policy.rules]]\neffect = "allow"\ntool = "bash"\n' +
        '[[tools.policy.rules]]\naction = "allow"\ntools = ["write", "read", "move_path"]\npaths = ["src/**"]\n' +
        'allow = ["write src/a", "read src/b", "move_path {\\"source\\": \\"src/a\\", \\"destination\\": \\"src/b\\"}"]\ndeny = ["write b", "move_path b"]\n' +
        '[[tools.policy.rules]]\neffect = "allow"\ntool = "fetch"\npaths = ["https://example.com/*"]\nallow = ["https://example.com/a"]\ndeny = ["https://evil.org/"]\n',
    );
    expect(examples(world)).toEqual({ total: 9, failures: [] });
  });
  test("one that fails is told with its place and with what was decided", () => {
    const world = scratch();
    const file = world.user(
      `${ON}${deny("bash", 'args_match = "rm"\ndeny = [\n"rm x",\n"ls"]\nallow = ["rm y"]\n')}[[tools.policy.rules]]\neffect = "allow"\ntool = "bash"\n`,
    );
    const { total, failures } = examples(world);
    expect(total).toBe(3);
    expect(failures.map(({ file, line, message }) => `${file}:${line}: ${message}`)).toEqual([
      `${file}:10: The example "rm y" should be allowed, but it is denied: rule[0] deny (config.toml:3): tool=bash matched "bash", args_match "rm".`,
      `${file}:9: The example "ls" should be denied, but it is allowed: rule[1] allow (config.toml:11): tool=bash matched "bash".`,
    ]);
  });
  test.each([
    ["*", "nobody x", "its first word must be the name of a tool, because the rule does not say which."],
    ["*", "bash", "bash: "],
    ["bash", "{ x", "what begins with { is JSON, and this is not valid JSON."],
    ["bash", '{\\"x\\": 1}', 'bash: "command" is missing. "x" is not an argument.'],
  ])("%s %s is no call", (tool, text, why) => {
    const world = scratch();
    world.user(`${ON}${deny(tool, `deny = ["${text}"]\n`)}`);
    expect(examples(world).failures[0]?.message).toContain(`is not a call: ${why}`);
  });
  test("the default counts, and rules that are off have no examples", () => {
    const world = scratch();
    world.user(deny("read", 'deny = ["x"]\nallow = ["y"]\n'));
    expect(examples(world)).toEqual({ total: 0, failures: [] });
    world.user(
      `${ON}${deny("bash", 'deny = ["x"]\n')}[[tools.authorization.rules]]\neffect = "deny"\ntool = "read"\ndeny = ["x"]\nallow = ["x"]\n`,
    );
    expect(examples(world)).toEqual({ total: 1, failures: [] });
  });
  test("what no rule matches is allowed where the default says so, and by authorization alone", () => {
    const world = scratch();
    const rule = 'effect = "deny"\ntool = "bash"\nargs_match = "rm"\nallow = ["ls"]\n';
    world.user(`[tools.policy]\nenabled = true\ndefault_effect = "allow"\n[[tools.policy.rules]]\n${rule}`);
    expect(examples(world)).toEqual({ total: 1, failures: [] });
    world.user(`[tools.authorization]\nenabled = true\n[[tools.authorization.rules]]\n${rule}`);
    expect(examples(world)).toEqual({ total: 1, failures: [] });
  });
  test("are judged with the variables of the process", () => {
    const world = scratch();
    world.user(`${ON}[[tools.policy.rules]]\neffect = "allow"\ntool = "bash"\nenv = ["CI"]\nallow = ["ls"]\n`);
    expect(examples(world).failures).toHaveLength(1);
    expect(examples(world, { CI: "1" }).failures).toHaveLength(0);
  });
});

test("everything wrong is told at once", () => {
  const world = scratch();
  world.user(`[tools.policy]\nenabled = true\n${deny("bahs")}${deny("bash", 'allow = ["ls"]\n')}`);
  const { book, placeOf } = bookOf(world);
  const said = messageOf(() => assertRulebook(book, placeOf, { facts, tools }));
  expect(said.split("\n")).toEqual([
    expect.stringContaining(':5: "tools.policy.rules[0].tool" names the tool "bahs"'),
    expect.stringContaining(':9: The example "ls" should be allowed'),
  ]);
});

describe("a file is tried out", () => {
  const tested = (world: Scratch, path: string, assumed: "allow" | "deny" = "deny") =>
    policyTestFile(path, world, { facts, tools, env: {} }, assumed);
  test("of rules: with the default that was asked for", () => {
    const world = scratch();
    world.write(
      join(world.cwd, "r.toml"),
      '[[rules]]\neffect = "deny"\ntool = "bash"\nargs_match = "rm"\ndeny = ["rm x"]\nallow = ["ls"]\n',
    );
    expect(tested(world, "r.toml", "allow")).toEqual({ total: 2, failures: [], warnings: [], default: "allow", from: null });
    expect(tested(world, "r.toml", "deny")).toMatchObject({ failures: [{ line: 6 }], default: "deny", from: null });
  });
  test("of a configuration: with its own default", () => {
    const world = scratch();
    const rule = deny("bash", 'args_match = "rm"\n');
    const whose = (toml: string) => {
      const { default: effect, from } = tested(world, world.user(toml), "allow");
      return [effect, from];
    };
    expect(whose(`[tools.policy]\ndefault_effect = "allow"\n${rule}`)).toEqual(["allow", `${world.userFile}:2`]);
    expect(whose(rule)).toEqual(["deny", "built in"]);
    expect(whose("[tools.authorization]\nenabled = true\n")).toEqual(["allow", "tools.policy is off"]);
  });
  test("of rules: as a policy that denies what none matches", () => {
    const world = scratch();
    const file = world.write(
      join(world.cwd, "r.toml"),
      '[[rules]]\neffect = "allow"\ntool = "bash"\nargs_match = "^git"\nallow = ["git status"]\ndeny = ["ls", "git log"]\n',
    );
    const { total, failures } = tested(world, "r.toml");
    expect([total, failures.length, failures[0]?.file, failures[0]?.line]).toEqual([3, 1, file, 6]);
  });
  test("of a configuration, also when its rules are off", () => {
    const world = scratch();
    const file = world.user(deny("bash", 'deny = ["ls"]\nallow = ["x"]\n'));
    expect(tested(world, file)).toMatchObject({ total: 2, failures: [{ file, line: 5 }], warnings: [] });
    expect(tested(world, world.user(`[tools.policy]\nenabled = true\n${deny("bahs")}`)).failures).toHaveLength(1);
    expect(() => tested(world, "/nowhere")).toThrow("This file does not exist.");
    expect(() => tested(world, world.user("nonsense = 1\n"))).toThrow('"nonsense" is not a setting');
  });
});
