import { chmodSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import * as fc from "fast-check";
import { parse } from "smol-toml";
import { expect, test } from "vitest";
import { messageOf, scratch } from "../../../test/scratch.ts";
import { migrateFile, migrateText } from "./migrate.ts";

const text = (before: string) => migrateText(before).text;

test.each([
  ["nothing to do", "# a\n[tools.retry]\nmax_attempts = 1\n", "# a\n[tools.retry]\nmax_attempts = 1\n"],
  ["into a new table", "[agent]\nmax_tool_retries = 3\n", "[agent]\n\n[tools.retry]\nmax_attempts = 3\n"],
  [
    "with its comments, after the others",
    "# top\n[agent]\n# rounds\nmax_tool_iterations = 5\n# how often\nmax_tool_retries = 3   # three\n\n[tools.retry]\n# ms\nbase_ms = 1\n\n[store]\n",
    "# top\n[agent]\n# rounds\nmax_tool_iterations = 5\n\n[tools.retry]\n# ms\nbase_ms = 1\n# how often\nmax_attempts = 3   # three\n\n[store]\n",
  ],
  [
    "both, in order",
    "[agent]\nmax_tool_retries = 0x3\nmax_retry_duration_secs = 1.5\nmax_tool_iterations = 2\n",
    "[agent]\nmax_tool_iterations = 2\n\n[tools.retry]\nmax_attempts = 0x3\nbudget_secs = 1.5\n",
  ],
  ["with all its dots", "agent . max_tool_retries=3 # x\n", "tools.retry.max_attempts=3 # x\n"],
  [
    "with all its dots, beside a table that forbids it",
    "agent.max_tool_retries = 3\n[tools]\n",
    "[tools]\n\n[tools.retry]\nmax_attempts = 3\n",
  ],
  [
    "out of an inline table",
    "agent = { max_tool_retries = 3, max_tool_iterations = 2 }\n",
    "agent = { max_tool_iterations = 2 }\n\n[tools.retry]\nmax_attempts = 3\n",
  ],
  [
    "last of an inline table",
    "agent = { max_tool_iterations = 2, max_tool_retries = 3 }\n",
    "agent = { max_tool_iterations = 2  }\n\n[tools.retry]\nmax_attempts = 3\n",
  ],
  ["without a last line end", "[agent]\nmax_tool_retries = 3", "[agent]\n\n[tools.retry]\nmax_attempts = 3\n"],
  ["into an empty table at the very end", "[agent]\nmax_tool_retries = 3\n[tools.retry]", "[agent]\n[tools.retry]\nmax_attempts = 3"],
  ["with CRLF", "[agent]\r\nmax_tool_retries = 3\r\n[tools.retry]\r\n", "[agent]\r\n[tools.retry]\r\nmax_attempts = 3\r\n"],
])("%s", (_, before, after) => {
  expect(text(before)).toBe(after);
  expect(text(after)).toBe(after);
});

test("a migration says what it did", () => {
  expect(migrateText("[agent]\nmax_tool_retries = 3\n").changes).toEqual(['"agent.max_tool_retries" is now "tools.retry.max_attempts".']);
  expect(migrateText("").changes).toEqual([]);
});

test("both names at once is an error", () => {
  const both = "[agent]\nmax_tool_retries = 3\n[tools.retry]\nmax_attempts = 2\n";
  expect(messageOf(() => text(both))).toBe(
    'Both "agent.max_tool_retries" and its new name "tools.retry.max_attempts" are set. Remove one of them, then run this again.',
  );
});

test("a table that cannot be added to is left alone", () => {
  expect(messageOf(() => text("tools = { enabled = true }\n[agent]\nmax_tool_retries = 3\n"))).toContain("Rename it to");
});

test("a key whose meaning turned round", () => {
  const renames = [{ from: "a.disabled", to: "a.enabled", value: (old: unknown) => !old }];
  expect(migrateText("[a]\n# why\ndisabled = true # yes\nx = 1\n", renames).text).toBe("[a]\nx = 1\n# why\nenabled = false # yes\n");
});

test("whatever stands around it is kept", () => {
  const line = fc.constantFrom(
    "# c",
    "",
    "[agent]",
    "max_tool_retries = 3 # r",
    "max_retry_duration_secs = 4",
    "max_tool_iterations = 5",
    "[tools.retry]",
    "base_ms = 6",
    "[store]",
    'path = """\n# p"""',
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 10 }), fc.constantFrom("\n", "\r\n"), (lines, eol) => {
      const before = lines.join("\n").replaceAll("\n", eol);
      if (!valid(before)) return;
      const after = text(before);
      const words = (of: string) =>
        of
          .replaceAll("max_attempts", "max_tool_retries")
          .replaceAll("budget_secs", "max_retry_duration_secs")
          .split(/\r?\n/)
          .filter((one) => one !== "" && one !== "[tools.retry]");
      expect(words(after).sort()).toEqual(words(before).sort());
      expect(text(after)).toBe(after);
      expect(Object.keys(parse(after).agent ?? {})).not.toContain("max_tool_retries");
    }),
    { numRuns: 100 },
  );
});

test("a file is rewritten at once, with a copy of the old one", () => {
  const world = scratch();
  const before = "[agent]\nmax_tool_retries = 3\n";
  const file = world.user(before);
  chmodSync(file, 0o640);
  world.write(`${file}.bak`, "older");
  expect(migrateFile(file)).toMatchObject({ backup: `${file}.bak2` });
  expect(readFileSync(`${file}.bak2`, "utf8")).toBe(before);
  expect(readFileSync(`${file}.bak`, "utf8")).toBe("older");
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(world.load().config.tools.retry.max_attempts).toBe(3);
  expect(migrateFile(file)).toMatchObject({ changes: [], backup: null });
  expect(readdirSync(dirname(file)).sort()).toEqual(["config.toml", "config.toml.bak", "config.toml.bak2"]);
  expect(migrateFile(`${file}.none`)).toBeNull();
});

test("a conflict names the file and changes nothing", () => {
  const world = scratch();
  const file = world.user("agent.max_tool_retries = 3\ntools.retry.max_attempts = 2\n");
  expect(messageOf(() => migrateFile(file))).toContain(`${file}: Both `);
  expect(readdirSync(dirname(file))).toEqual(["config.toml"]);
});

function valid(toml: string): boolean {
  try {
    parse(toml);
    return true;
  } catch {
    return false;
  }
}

test("a switch that changed its sense is turned around", () => {
  expect(migrateText("[tools.sandbox]\ndisabled = true # no walls\n").text).toBe("[tools.sandbox]\nenabled = false # no walls\n");
});
