import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { messageOf, scratch } from "../../../test/scratch.ts";
import { namedPath, readPolicyFile, readPolicyLines } from "./policy-file.ts";

const written = (text: string | Uint8Array) => {
  const { root, write } = scratch();
  return write(join(root, "rules.toml"), text);
};

test("its rules, and where they stand", () => {
  const file = written('[[rules]]\neffect = "deny"\ntool = "bash"\n\n[[rules]]\naction = "allow"\ntools = ["read"]\n');
  const { rules, placeOf } = readPolicyFile(file);
  expect(rules).toEqual([
    { effect: "deny", tool: "bash" },
    { action: "allow", tools: ["read"] },
  ]);
  expect(placeOf(["rules", 1, "tools"])).toEqual({ file, line: 7 });
});

test("an empty file has no rules", () => expect(readPolicyFile(written("# nothing yet\n")).rules).toEqual([]));

test.each([
  ["rule = 1\n", 1, '"rule" does not belong into a policy file, which holds only [[rules]]. Did you mean "rules"?'],
  ['[[rules]]\nefect = "deny"\neffect = "deny"\ntool = "x"\n', 2, '"rules[0].efect" is not a setting. Did you mean "rules[0].effect"?'],
  ['[[rules]]\ntool = "x"\n', 1, '"rules[0]" is not right: it needs "effect" (or "action").'],
  [
    '[[rules]]\neffect = "deny"\ntool = "x"\n\nargs_match = "("\n',
    5,
    '"rules[0].args_match" is not a valid regular expression: missing closing )',
  ],
  ['[[rules]]\neffect = "deny"\ntool = "x"\npaths = ["a", "[b"]\n', 4, '"rules[0].paths[1]" is not a valid glob: a "[" is never closed.'],
  ['[[rules]]\neffect = "deni"\ntool = "x"\n', 2, '"rules[0].effect" must be "allow" or "deny", but the text "deni" was found.'],
  ["rules = 1\n", 1, '"rules" must be a list of tables'],
  ["[[rules]\n", 1, "This is not valid TOML"],
])("%j", (text, line, message) => {
  const file = written(text);
  const said = messageOf(() => readPolicyFile(file));
  expect(said.startsWith(`${file}:${line}:`)).toBe(true);
  expect(said).toContain(message);
});

test("every problem is told at once, in the order of the file", () => {
  const file = written('[[rules]]\neffect = "x"\ntool = "x"\n[[rules]]\neffect = "deny"\ntool = ""\n');
  expect(
    messageOf(() => readPolicyFile(file))
      .split("\n")
      .map((line) => line.slice(file.length, file.length + 3)),
  ).toEqual([":2:", ":6:"]);
});

test.each([
  ["not UTF-8", () => written(Uint8Array.of(0xff, 0xfe)), "This file is not UTF-8 text."],
  ["too large", () => written(`#${"x".repeat(256 * 1024)}`), "This file is larger than 256 KiB."],
  ["absent", () => "/nowhere/rules.toml", "/nowhere/rules.toml: This file does not exist."],
  ["a folder", () => scratch().root, "This is not a file; rules were expected."],
])("%s", (_, make, message) => expect(messageOf(() => readPolicyFile(make()))).toContain(message));

test("a pipe is not waited for", () => {
  const pipe = join(scratch().root, "pipe");
  execFileSync("mkfifo", [pipe]);
  expect(messageOf(() => readPolicyFile(pipe))).toContain("This is not a file");
});

test("policies in plain words: one a line", () => {
  expect(readPolicyLines(written("\ufeff# about data\nNever send data away.\r\n\n  Ask before deleting. # really\n"))).toEqual([
    "Never send data away.",
    "Ask before deleting. # really",
  ]);
});

test("a named file is looked for beside the file that names it", () => {
  const at = { cwd: "/work", home: "/home/me" };
  expect(namedPath("p.toml", { file: "/home/me/.config/zeph/config.toml" }, at)).toBe("/home/me/.config/zeph/p.toml");
  expect(namedPath("p.toml", {}, at)).toBe("/work/p.toml");
  expect(namedPath("~/p.toml", { file: "/x/y" }, at)).toBe("/home/me/p.toml");
  expect(namedPath("/p.toml", { file: "/x/y" }, at)).toBe("/p.toml");
});
