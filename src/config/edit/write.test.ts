import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "../../../test/scratch.ts";
import { replaceConfigFile } from "./write.ts";

test("nothing is written when the file changed since it was read", () => {
  const world = scratch();
  const file = world.user("new");
  expect(() => replaceConfigFile(file, "old", "mine")).toThrow("Something else changed this file");
  expect(() => replaceConfigFile(file, null, "mine")).toThrow("Something else changed this file");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readdirSync(dirname(file))).toEqual(["config.toml"]);
});

test("a file that vanished is not brought back", () => {
  const file = join(scratch().home, "gone.toml");
  expect(() => replaceConfigFile(file, "old", "mine")).toThrow("Something else changed this file");
  expect(existsSync(file)).toBe(false);
});
