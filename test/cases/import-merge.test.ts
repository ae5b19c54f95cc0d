import { describe, expect, it } from "vitest";
import { importAll, settingsOf } from "./import-samples.ts";

const claude = (permissions: object, name = "~/a.json") => ({
  kind: "claude settings" as const,
  text: JSON.stringify({ permissions }),
  name,
});
const bashRules = (plan: ReturnType<typeof importAll>) =>
  ((settingsOf(plan).tools as { permissions?: { bash?: { pattern: string; action: string }[] } }).permissions?.bash ?? []).map(
    ({ pattern, action }) => `${action} ${pattern}`,
  );

const MINE = `# my settings
autonomy = "supervised" # as it should be

[tools.file] # files
deny_read = ["mine"] # keep

[[tools.permissions.bash]]
pattern = "ls *" # lists
action = "allow"

[store]
path = """
# from ~/a.json, 2026-01-01
[[tools.permissions.bash]]
"""
`;

describe("An import into a file that has settings", () => {
  const rules = { deny: ["Bash(git * main)", "Read(./.env)"], ask: ["Bash(git push:*)"], allow: ["Bash(git:*)"] };

  it.each(["\n", "\r\n"])("keeps every line of it, with line ends %j", (eol) => {
    const before = MINE.replaceAll("\n", eol);
    const { text } = importAll([claude(rules)], before);
    const lines = text.split("\n");
    for (const line of before.split("\n").filter((one) => !one.startsWith("deny_read"))) expect(lines).toContain(line);
    expect(text).toContain(`deny_read = [${eol}  "**/.env", # from ~/a.json, 2026-11-18${eol}"mine"] # keep${eol}`);
    expect(text.includes("\r")).toBe(eol === "\r\n");
  });
  it("replaces what came from the same file, and writes nothing when that says the same", () => {
    const first = importAll([claude(rules)], MINE).text;
    expect(importAll([claude(rules)], first, "2026-12-01").text).toBe(first);
    const second = importAll([claude({ deny: ["Bash(rm * x)"] })], first, "2026-12-01");
    expect(bashRules(second)).toEqual(["allow ls *", "deny rm * x"]);
    expect(second.text).not.toContain("2026-11-18");
    expect(second.text).toContain('path = """\n# from ~/a.json, 2026-01-01\n[[tools.permissions.bash]]\n"""');
  });
  it("leaves the person's own values, and says so", () => {
    const { text, files } = importAll([claude({ defaultMode: "plan" })], MINE);
    expect(text).toBe(MINE);
    expect(files[0]!.entries[0]!.fate).toEqual({ list: "not taken", why: 'autonomy is set already, to "supervised"' });
  });
  it("refuses a file that does not parse", () => expect(() => importAll([claude(rules)], "a = ")).toThrow(/not valid TOML/));
  it("refuses a file with no safe place", () =>
    expect(() => importAll([claude({ deny: ["Read(x)"] })], "tools = { file = {} }\n")).toThrow(/No safe place/));
  it("keeps a byte order mark in front", () =>
    expect(
      importAll([claude({ defaultMode: "plan" })], "\ufeffa_b = 1\n".replace("a_b = 1", "# x")).text.startsWith("\ufeffautonomy"),
    ).toBe(true));
});

describe("Rules of two files for one tool", () => {
  it("stand in one order: denials, questions, then what is allowed", () => {
    const plan = importAll([
      claude({ deny: ["Bash(a * b)"], ask: ["Bash(c:*)"], allow: ["Bash(d)"] }),
      claude({ deny: ["Bash(e * f)"], ask: ["Bash(g)"], allow: ["Bash(h)"] }, "~/b.json"),
    ]);
    expect(bashRules(plan)).toEqual(
      ["deny a \\* b", "deny e \\* f"].map((one) => one.replaceAll("\\", "")).concat(["ask c", "ask c *", "ask g", "allow d", "allow h"]),
    );
    expect(bashRules(importAll([claude({}, "~/a.json")], plan.text))).toEqual(["deny e * f", "ask g", "allow h"]);
  });
  it("are not joined where one of them has an order of its own", () => {
    const ordered = {
      kind: "opencode settings" as const,
      text: '{"permission":{"bash":{"*":"deny","git *":"allow","git push *":"deny"}}}',
      name: "~/o.json",
    };
    const plan = importAll([claude({ allow: ["Bash(make:*)"] }), ordered]);
    expect(bashRules(plan)).toEqual(["allow make", "allow make *"]);
    expect((settingsOf(plan).tools as { shell: object }).shell).toEqual({ blocked_commands: ["git push"] });
    const left = plan.files[1]!.entries.filter(({ fate }) => fate.list === "not taken");
    expect(left.map(({ written }) => written)).toEqual(["bash(*)", "bash(git *)"]);
  });
  it("do not widen a list of tools that is there", () => {
    const core = { kind: "gemini settings" as const, text: '{"tools":{"core":["read_file"]}}' };
    const mine = '[tools.scoped]\nenabled = true\nallowed_tools = ["grep"]\n';
    expect(importAll([core], mine).text).toBe(mine);
  });
});
