import { describe, expect, it } from "vitest";
import { builtInRules, rulesWith } from "./rules.ts";

const GOOD =
  '[[rules]]\nname = "good"\nmatch = { prefix = "make" }\nstrategy = { type = "truncate", max_lines = 80, head = 15, tail = 15 }\n';
const names = (text: string) => rulesWith("filters.toml", text).rules.map(({ name }) => name);
const warnings = (text: string) => rulesWith("filters.toml", text).warnings;
const bad = (rest: string) => `${GOOD}\n[[rules]]\nname = "bad"\n${rest}\n`;
const ours = builtInRules().map(({ name }) => name);

describe("rules of a person", () => {
  it("come before ours", () => {
    expect(names(GOOD)).toEqual(["good", ...ours]);
    expect(warnings(GOOD)).toEqual([]);
  });

  it("replace ours of the same name", () => {
    const text = GOOD.replace('"good"', '"git-status"');
    expect(names(text)).toEqual(["git-status", ...ours.filter((name) => name !== "git-status")]);
  });

  it("switch ours off by name", () => {
    const text = '[[rules]]\nname = "git-status"\nenabled = false\n';
    expect(names(text)).toEqual(ours.filter((name) => name !== "git-status"));
    expect(warnings(text)).toEqual([]);
  });

  it("warn where a rule switches off what is not there", () => {
    expect(warnings('[[rules]]\nname = "git-statsu"\nenabled = false\n')).toEqual([
      expect.stringMatching(/:1: rule "git-statsu" switches nothing off: no built-in rule has that name\. Did you mean "git-status"\?$/),
    ]);
    const own = '[[rules]]\nname = "mine"\nenabled = false\nmatch = { prefix = "mine" }\nstrategy = { type = "dedup" }\n';
    expect(warnings(own)).toEqual([]);
  });

  it("stand alone with inherit = false", () => {
    expect(names(`inherit = false\n${GOOD}`)).toEqual(["good"]);
  });

  it("may be written with CRLF and a byte order mark", () => {
    expect(names(`\ufeff${GOOD.replaceAll("\n", "\r\n")}`)[0]).toBe("good");
  });
});

describe("a bad rule is skipped, with its file, line and name, and the others hold", () => {
  it.each([
    ["no match", 'strategy = { type = "dedup" }', "no match"],
    [
      "two kinds of match",
      'match = { prefix = "x", exact = "y" }\nstrategy = { type = "dedup" }',
      "exactly one of exact, prefix and regex",
    ],
    ["a bad regex to match", 'match = { regex = "(" }\nstrategy = { type = "dedup" }', "("],
    ["lookahead", 'match = { regex = "^(?!x)" }\nstrategy = { type = "dedup" }', "perl"],
    ["a long pattern", `match = { prefix = "x" }\nstrategy = { type = "keep_matching", patterns = ["${"b".repeat(513)}"] }`, "512"],
    ["a long match", `match = { prefix = "${"b".repeat(513)}" }\nstrategy = { type = "dedup" }`, "512"],
    ["an unknown strategy", 'match = { prefix = "x" }\nstrategy = { type = "nope" }', 'no strategy "nope"'],
    ["an unknown option", 'match = { prefix = "x" }\nstrategy = { type = "strip_noise", patterns = [], x = 1 }', '"x"'],
    ["half a line", 'match = { prefix = "x" }\nstrategy = { type = "truncate", max_lines = 1.5 }', "max_lines"],
    ["no lines", 'match = { prefix = "x" }\nstrategy = { type = "truncate", max_lines = 0 }', "max_lines"],
    [
      "more than there may be",
      'match = { prefix = "x" }\nstrategy = { type = "truncate", max_lines = 10, head = 8, tail = 8 }',
      "more than max_lines",
    ],
    ["no strategy", 'match = { prefix = "x" }', "no strategy"],
    ["a word for a switch", 'match = { prefix = "x" }\nstrategy = { type = "dedup" }\nenabled = "no"', "enabled"],
    ["an unknown key", 'match = { prefix = "x" }\nstrategy = { type = "dedup" }\nmach = 1', "mach"],
  ])("%s", (_what, rest, why) => {
    const { rules, warnings } = rulesWith("filters.toml", bad(rest));
    expect(rules.map(({ name }) => name)).toEqual(["good", ...ours]);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('filters.toml:6: rule "bad" is skipped');
    expect(warnings[0]!.toLowerCase()).toContain(why);
  });

  it("a rule without a name is named by its number", () => {
    expect(warnings(`${GOOD}\n[[rules]]\nmatch = { prefix = "x" }\n`)).toEqual([
      expect.stringMatching(/^filters\.toml:6: rule "number 2" is skipped: name/),
    ]);
  });

  it("one that was to replace ours does not bring ours back", () => {
    expect(names('[[rules]]\nname = "git-status"\nmatch = { prefix = "git" }\nstrategy = { type = "nope" }\n')).not.toContain("git-status");
  });
});

describe("a bad file leaves ours in force, with a warning", () => {
  it.each([
    ["a syntax error", "[[rules]]\nname = x\n", "filters.toml:2:"],
    ["YAML", "rules:\n  - name: x\n", "filters.toml:1:"],
    ["a table for a list", '[rules]\nname = "x"\n', '"rules" is not a list'],
    ["more than 1 MiB", `${GOOD}#${"x".repeat(1024 * 1024)}`, "1048576"],
    [
      "a number too large",
      bad('match = { prefix = "x" }\nstrategy = { type = "git_diff", max_diff_lines = 99999999999999999999 }'),
      "filters.toml:9:",
    ],
  ])("%s", (_what, text, why) => {
    const { rules, warnings } = rulesWith("filters.toml", text);
    expect(rules.map(({ name }) => name)).toEqual(ours);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(why);
    expect(warnings[0]).toContain("built-in rules are used");
  });

  it("exactly 1 MiB is read", () => {
    const padding = "#".repeat(1024 * 1024 - Buffer.byteLength(GOOD));
    expect(names(GOOD + padding)[0]).toBe("good");
  });

  it("an unknown key at the top is told and the rest is used", () => {
    const { rules, warnings } = rulesWith("filters.toml", `inherits = false\n${GOOD}`);
    expect(rules[0]!.name).toBe("good");
    expect(warnings).toEqual(['filters.toml: "inherits" is unknown and not used. There are "rules" and "inherit".']);
  });
});

it("every rule of ours has a name of its own", () => {
  expect(new Set(ours).size).toBe(ours.length);
});
