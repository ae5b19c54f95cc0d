import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { parsePolicyFile } from "../../src/config/policy/policy-file.ts";
import { rulesWith } from "../../src/filters/rules.ts";
import { parseToml, TomlMistake } from "../../src/text/toml.ts";
import { workspace } from "../workspace.ts";
import { SHAPES } from "./toml-shapes.ts";

const place = workspace();
afterAll(() => place.remove());

/** What reading it ends in: the message, or nothing. */
function complaintOf(read: () => unknown): string {
  try {
    read();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

// Before there were limits several of these took 20 to 40 seconds each, so a reader that lost its limit does not get through the list.
describe.each(SHAPES)("$name", ({ text, exceeds }) => {
  it("is read or refused as a project's configuration, in few words", () => {
    const { work: cwd } = place;
    const file = join(cwd, ".zeph", "config.toml");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    const load = (trusted: boolean) => complaintOf(() => loadConfig({ cwd, home: join(cwd, "home"), env: {}, trusted: () => trusted }));
    for (const message of [load(false), load(true)]) {
      if (exceeds) expect(message).toMatch(exceeds);
      expect(message.length).toBeLessThan(20_000);
    }
  });

  it("is read or refused as a policy file, in few words", () => {
    const message = complaintOf(() => parsePolicyFile("/rules.toml", text));
    if (exceeds) expect(message).toMatch(exceeds);
    expect(message.length).toBeLessThan(20_000);
  });

  it("is read or refused as a file of filters, and the built-in rules stay", () => {
    const { rules, warnings } = rulesWith("/filters.toml", text);
    expect(rules.length).toBeGreaterThan(50);
    expect(warnings.join("").length).toBeLessThan(20_000);
  });
});

it("a mistake names the line, and shows the part of a long line where it is", () => {
  const text = `# one\na = "${"x".repeat(5000)}" y\n# three`;
  try {
    parseToml(text, "settings");
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(TomlMistake);
    expect((error as TomlMistake).line).toBe(2);
    expect((error as TomlMistake).around.length).toBeLessThan(500);
    expect((error as TomlMistake).around).toContain("y");
    expect((error as TomlMistake).around).toContain("^");
  }
});

it.each([
  ["strings that hold brackets, dots and quotes", `a = "[[[{{{...===,,,"\nb = '''[\n[\n'''\nc = """x""""\nd = 1 # [[[[`],
  ["32 levels and 32 parts", `a = ${"[".repeat(32)}${"]".repeat(32)}\n${"b.".repeat(31)}b = 1`],
  ["floats and dates", `a = [${"1.5, ".repeat(40)}]\nb = 2020-01-01T00:00:00.5Z`],
])("the limits leave alone: %s", (_name, text) => expect(() => parseToml(text, "settings")).not.toThrow());
