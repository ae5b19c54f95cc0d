import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, test } from "vitest";
import { messageOf, scratch } from "../../../test/scratch.ts";
import { addRule, saveRule } from "./rules.ts";

const NEW = { pattern: "git status", action: "allow" } as const;
const BLOCK = '[[tools.permissions.bash]]\npattern = "git status"\naction = "allow"\n';
const OTHER = '[[tools.permissions.bash]]\npattern = "x"\naction = "deny"\n';

describe("a rule is added", () => {
  test.each([
    ["to nothing", "", BLOCK],
    ["to a byte order mark alone", "\ufeff", `\ufeff${BLOCK}`],
    ["at the end", 'autonomy = "full"\n', `autonomy = "full"\n\n${BLOCK}`],
    ["after a last line without an end", "# end", `# end\n\n${BLOCK}`],
    ["before the others of its tool", `# all\n\n# mine\n${OTHER}`, `# all\n\n${BLOCK}\n# mine\n${OTHER}`],
    ["first thing in the file", OTHER, `${BLOCK}\n${OTHER}`],
    ["first thing after a byte order mark", `\ufeff${OTHER}`, `\ufeff${BLOCK}\n${OTHER}`],
    ["with CRLF", "# a\r\n", `# a\r\n\r\n${BLOCK.replaceAll("\n", "\r\n")}`],
    ["next to another tool's", OTHER.replace("bash", "read"), `${OTHER.replace("bash", "read")}\n${BLOCK}`],
    ["below a string that looks like a comment", `autonomy = """\n# full"""\n${OTHER}`, `autonomy = """\n# full"""\n${BLOCK}\n${OTHER}`],
    [
      "into an array",
      'tools.permissions.bash = [{ pattern = "x", action = "ask" }] # c\n',
      'tools.permissions.bash = [{ pattern = "git status", action = "allow" }, { pattern = "x", action = "ask" }] # c\n',
    ],
    [
      "into an empty array",
      "[tools.permissions]\nbash = [ # none\n]\n",
      '[tools.permissions]\nbash = [{ pattern = "git status", action = "allow" } # none\n]\n',
    ],
    [
      "into an inline table",
      "tools.permissions = { read = [] }",
      'tools.permissions = { bash = [{ pattern = "git status", action = "allow" }], read = [] }',
    ],
    ["into an inline table further out", "tools = {}", 'tools = { permissions.bash = [{ pattern = "git status", action = "allow" }] }'],
    ["beside dotted keys", "tools.permissions.read = []\n", `tools.permissions.read = []\n\n${BLOCK}`],
  ])("%s", (_, before, after) => {
    expect(addRule(before, "bash", NEW)).toBe(after);
  });

  test("once: a rule that is first already stays alone", () => {
    expect(addRule(BLOCK, "bash", NEW)).toBe(BLOCK);
    expect(addRule(OTHER + BLOCK, "bash", NEW)).not.toBe(OTHER + BLOCK);
  });

  test("for tools and patterns with odd names", () => {
    const text = addRule("", 'a.b"c', { pattern: 'say "\\\\\u007f\n\u001b"', action: "ask" });
    expect(parse(text)).toEqual({ tools: { permissions: { 'a.b"c': [{ pattern: 'say "\\\\\u007f\n\u001b"', action: "ask" }] } } });
  });

  const line = fc.constantFrom(
    "# comment",
    "",
    'autonomy = "full"',
    "[agent]\nmax_tool_iterations = 3 # three",
    '[tools.file]\ndeny_read = [\n  "a", # [[tools.permissions.bash]]\n]',
    "[tools.permissions]",
    '[tools.permissions]\nread = [{ pattern = "r", action = "ask" }]',
    "[tools.permissions]\nbash = []",
    "[tools]\npermissions.bash = [\n  # first\n  { pattern = 'p', action = 'deny' },\n]",
    'tools.permissions.bash = [{ pattern = "q", action = "allow" }]',
    "tools = { permissions = { } }",
    "tools = { permissions = { bash = [ ] } }",
    '# about\n[[tools.permissions.bash]]\npattern = """\n# x"""\naction = "deny"',
    '  [[ tools . "permissions" . bash ]]\n  pattern = "i"\n  action = "ask"',
    '[[tools.permissions.read]]\npattern = "r"\naction = "deny"\n# trailing',
  );
  const document = fc
    .tuple(
      fc.array(line, { maxLength: 6 }),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\n", "\n\n"),
      fc.constantFrom("", "\ufeff"),
    )
    .map(([lines, eol, end, bom]) => `${bom}${(lines.join("\n") + end).replaceAll("\n", eol)}`)
    .filter(parses);

  test("and nothing else changes, in any layout", () => {
    const pattern = fc.oneof(
      fc.constantFrom("git *", "#", '"', "\\\\", "[[]"),
      fc.string({ minLength: 1 }).map((text) => text.replace(/[[{\\]/g, "x")),
    );
    fc.assert(
      fc.property(
        document,
        fc.constantFrom("bash", "read", "mcp__a.b"),
        pattern,
        fc.constantFrom("allow", "ask", "deny"),
        (text, tool, pattern, action) => {
          const after = addRule(text, tool, { pattern, action });
          const before = plain(parse(text));
          const rules = before.tools?.permissions?.[tool] ?? [];
          // A key that strayed into the rule makes it another rule.
          fc.pre(rules.every((rule: object) => Object.keys(rule).every((key) => key === "pattern" || key === "action")));
          const already = rules[0]?.pattern === pattern && rules[0]?.action === action;
          before.tools ??= {};
          before.tools.permissions ??= {};
          before.tools.permissions[tool] = already ? rules : [{ pattern, action }, ...rules];
          expect(plain(parse(after))).toEqual(before);
          expect(isInsertion(text, after)).toBe(true);
          expect(addRule(after, tool, { pattern, action })).toBe(after);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("a rule is refused", () => {
  test.each([
    ["a [", NEW.action, "", 'cannot be saved: a "[" is never closed'],
    ["", NEW.action, "", "cannot be saved: it is empty"],
    ["x\ud800", NEW.action, "", "half a character"],
    ["x", NEW.action, "[tools.permissions.bash]\n", '"tools.permissions.bash" is not a list of rules'],
    ["x", NEW.action, "a = \n", "This is not valid TOML"],
    ["x", NEW.action, "tools = 3\n", ""],
  ])("%j", (pattern, action, text, message) => {
    expect(messageOf(() => addRule(text, "bash", { pattern, action }))).toContain(message);
  });
});

describe("a rule is saved", () => {
  test("in a new file only its owner can read", () => {
    const { userFile } = scratch();
    saveRule(userFile, "bash", NEW);
    expect(readFileSync(userFile, "utf8")).toBe(BLOCK);
    expect([statSync(userFile).mode & 0o777, statSync(dirname(userFile)).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  test("keeping mode and link, leaving nothing behind", () => {
    const world = scratch();
    const real = world.write(join(world.home, "dotfiles", "zeph.toml"), OTHER);
    chmodSync(real, 0o640);
    world.user("");
    const link = join(dirname(world.userFile), "linked.toml");
    symlinkSync(real, link);
    saveRule(link, "bash", NEW);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe(`${BLOCK}\n${OTHER}`);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readdirSync(dirname(real))).toEqual(["zeph.toml"]);
  });

  test("not at all when the file cannot be edited, and the file stays as it was", () => {
    const world = scratch();
    const file = world.user("[tools.permissions.bash]\n");
    expect(() => saveRule(file, "bash", NEW)).toThrow("not a list of rules");
    expect(readFileSync(file, "utf8")).toBe("[tools.permissions.bash]\n");
    const dangling = join(world.home, "dangling.toml");
    symlinkSync(join(world.home, "nowhere.toml"), dangling);
    expect(() => saveRule(dangling, "bash", NEW)).toThrow("points to nothing");
    expect(existsSync(join(world.home, "nowhere.toml"))).toBe(false);
  });

  test("with its byte order mark and line ends", () => {
    const world = scratch();
    const file = world.user("\ufeff# a\r\n");
    saveRule(file, "bash", NEW);
    expect(readFileSync(file, "utf8")).toBe(`\ufeff# a\r\n\r\n${BLOCK.replaceAll("\n", "\r\n")}`);
  });
});

function parses(text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}

const plain = (value: unknown): any => JSON.parse(JSON.stringify(value));

/** The old text is all there, with one piece put in. */
function isInsertion(before: string, after: string): boolean {
  let head = 0;
  while (head < before.length && before[head] === after[head]) head++;
  return after.endsWith(before.slice(head));
}
