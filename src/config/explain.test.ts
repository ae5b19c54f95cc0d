import { expect, test } from "vitest";
import { messageOf, scratch } from "../../test/scratch.ts";
import { explainSettings, explainText } from "./explain.ts";
import { allSettings } from "./settings.ts";

test("explain shows one key and who set it", () => {
  const world = scratch();
  world.user("[tools.retry]\nmax_attempts = 3\n");
  const shown = explainSettings(world.load(), "tools.retry.max_attempts");
  expect(shown).toEqual([
    {
      key: "tools.retry.max_attempts",
      value: 3,
      default: 2,
      origin: { layer: "user", file: world.userFile, line: 2 },
      setBy: `${world.userFile}:2 (your configuration)`,
      type: "a whole number from 0 to 10",
      description: "Retries after the first try; 0 means none.",
      env: "ZEPH_TOOLS_RETRY_MAX_ATTEMPTS",
      tighter: "may only make it smaller",
    },
  ]);
  expect(explainText(shown)).toBe(`tools.retry.max_attempts = 3
  Retries after the first try; 0 means none.
  type       a whole number from 0 to 10
  default    2
  set by     ${world.userFile}:2 (your configuration)
  variable   ZEPH_TOOLS_RETRY_MAX_ATTEMPTS
  untrusted  may only make it smaller
`);
});

test("every layer in words", () => {
  const world = scratch();
  world.user('[tools.file]\ndeny_read = ["u"]\n');
  world.project('[tools.file]\ndeny_read = ["p"]\n');
  const loaded = world.load({ env: { ZEPH_AUTONOMY: "readonly" }, flags: ["tools.enabled=false"] });
  const setBy = (key: string) => explainSettings(loaded, key)[0]?.setBy;
  expect(setBy("autonomy")).toBe("ZEPH_AUTONOMY (environment variable)");
  expect(setBy("tools.enabled")).toBe("--set tools.enabled (command line)");
  expect(setBy("store.path")).toBe("built in");
  expect(setBy("tools.file.deny_read")).toBe(
    `${world.projectFile}:2 (the project's configuration), added to ${world.userFile}:2 (your configuration)`,
  );
});

test("a group, everything and a part of a setting are explained", () => {
  const loaded = scratch().load();
  const keys = (name?: string) => explainSettings(loaded, name).map(({ key }) => key);
  expect(keys("tools.file")).toEqual(["tools.file.allowed_paths", "tools.file.deny_read", "tools.file.allow_read"]);
  expect(keys()).toEqual(allSettings().map(({ key }) => key));
  expect(keys("tools.permissions.bash")).toEqual(["tools.permissions"]);
});

test("an unknown key is an error with its nearest name", () => {
  const loaded = scratch().load();
  expect(messageOf(() => explainSettings(loaded, "tools.fiel"))).toBe('"tools.fiel" is not a setting. Did you mean "tools.file"?');
  expect(messageOf(() => explainSettings(loaded, "max_attempts"))).toBe(
    '"max_attempts" is not a setting. Did you mean "tools.retry.max_attempts"?',
  );
});
