import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { messageOf, scratch } from "../../test/scratch.ts";
import { anyValue } from "../../test/settings.ts";
import { allSettings } from "./settings.ts";
import { valueAtPath } from "./shape.ts";

const asText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

describe.each(allSettings().map((key) => [key.key, key] as const))("%s", (_, key) => {
  test("survives the way through its variable and through --set", () => {
    const world = scratch();
    fc.assert(
      fc.property(anyValue(key), (value) => {
        const viaEnv = world.load({ env: { [key.env]: asText(value) } });
        const viaFlag = world.load({ flags: [`${key.key}=${asText(value)}`] });
        expect(valueAtPath(viaEnv.config, key.path)).toEqual(value);
        expect(viaFlag.config).toEqual(viaEnv.config);
        expect(viaEnv.origins.get(key.key)).toEqual({ layer: "environment", name: key.env });
        expect(viaEnv.warnings).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });

  test("is documented and has a variable of its own", () => {
    expect(key.description).not.toBe("");
    expect(key.env).toMatch(/^ZEPH_[A-Z0-9_]+$/);
    expect(allSettings().filter(({ env }) => env === key.env)).toHaveLength(1);
  });
});

describe("variables", () => {
  const load = (env: Record<string, string>) => scratch().load({ env });

  test("an empty one counts as unset; hooks' own are ignored; other names are none of ours", () => {
    const env = { ZEPH_AUTONOMY: "", ZEPH_TURN_ID: "1", ZEPH_GOAL_ID: "2", ZEPH_SKILL_NAME: "3", ZEPH_NONSENSE: "", ZEPHYR: "x" };
    expect(load(env)).toMatchObject({ warnings: [], config: { autonomy: "supervised" } });
  });

  test("the token of the MCP server is no setting, and nothing to complain about", () => {
    expect(load({ ZEPH_MCP_TOKEN: "a-token-of-some-length" }).warnings).toEqual([]);
  });

  test("nan and inf are numbers, as in TOML, and a setting that takes none says what it takes", () => {
    const threshold = (text: string) => load({ ZEPH_TOOLS_TAFC_COMPLEXITY_THRESHOLD: text }).config.tools.tafc.complexity_threshold;
    expect(["nan", "inf", "-inf", "NaN", "7", "0.25"].map(threshold)).toEqual([0.6, 0.6, 0.6, 0.6, 1, 0.25]);
    expect(messageOf(() => threshold("high"))).toMatch(/must be a number/);
    for (const text of ["nan", "inf"]) expect(messageOf(() => load({ ZEPH_TOOLS_SHELL_TIMEOUT: text }))).toMatch(/must be a number/);
  });

  test("an unknown one is a warning", () => {
    expect(load({ ZEPH_AUTONOMI: "x" }).warnings).toEqual([
      'The variable ZEPH_AUTONOMI is not a setting and was ignored. Did you mean "ZEPH_AUTONOMY"?',
    ]);
    expect(load({ ZEPH_AGENT_MAX_TOOL_RETRIES: "1" }).warnings).toEqual([
      "The variable ZEPH_AGENT_MAX_TOOL_RETRIES is no longer read; it is now ZEPH_TOOLS_RETRY_MAX_ATTEMPTS.",
    ]);
  });

  test.each([
    ["ZEPH_TOOLS_ENABLED", "1", "must be true or false"],
    ["ZEPH_TOOLS_ENABLED", "TRUE", "must be true or false"],
    ["ZEPH_TOOLS_RETRY_MAX_ATTEMPTS", "3x", 'must be a whole number from 0 to 10, but the text "3x" was found.'],
    ["ZEPH_TOOLS_RETRY_MAX_ATTEMPTS", " 3", "must be a whole number"],
    ["ZEPH_TOOLS_RETRY_MAX_ATTEMPTS", "0x3", "must be a whole number"],
    ["ZEPH_TOOLS_RETRY_MAX_ATTEMPTS", "3.5", "must be a whole number"],
    ["ZEPH_TOOLS_RETRY_MAX_ATTEMPTS", "11", "must be a whole number"],
    ["ZEPH_TOOLS_FILE_DENY_READ", "a,b", 'Give it as JSON, like ["one", "two"].'],
    ["ZEPH_TOOLS_FILE_DENY_READ", '"a"', 'must be a list of texts, but the text "a" was found.'],
    ["ZEPH_TOOLS_FILE_DENY_READ", "null", "must be a list of texts, but null was found."],
    ["ZEPH_TOOLS_FILE_DENY_READ", '["[a"]', "is not a valid glob"],
    [
      "ZEPH_TOOLS_PERMISSIONS",
      '{"bash":[{"pattern":"x","action":"no"}]}',
      '"tools.permissions.bash[0].action" must be "allow", "ask" or "deny"',
    ],
    ["ZEPH_TOOLS_PERMISSIONS", '{"bash":{"x":"deny"}}', "[[tools.permissions.bash]]"],
  ])("a bad value is an error that names the variable: %s=%s", (name, text, message) => {
    const said = messageOf(() => load({ [name]: text }));
    expect(said.startsWith(`${name}: `)).toBe(true);
    expect(said).toContain(message);
  });
});

test.each([
  ["tools.file", "--set tools.file: a value is missing. Write --set tools.file=<value>."],
  ["tools.file=x", '--set tools.file: "tools.file" is a group of settings: tools.file.allowed_paths'],
  ["tools.permissions.bash=[]", '"tools.permissions.bash" is part of "tools.permissions", which is set as a whole, as JSON.'],
  ["autonomi=full", '--set autonomi: "autonomi" is not a setting. Did you mean "autonomy"?'],
  ["tools.retry.max_attempts=", "--set tools.retry.max_attempts: "],
])("--set %s", (flag, message) => {
  expect(messageOf(() => scratch().load({ flags: [flag] }))).toContain(message);
});

test("--set can empty a text", () => {
  const world = scratch();
  world.user('store.path = "/x"\n');
  expect(world.load({ flags: ["store.path="] }).config.store.path).toBe("");
});
