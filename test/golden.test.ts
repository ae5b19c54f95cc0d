import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filterText } from "../src/filters/filter.ts";
import { builtInRules } from "../src/filters/rules.ts";

// Each case is a folder: cmd, exit, raw as a real run left them; expected is what the model reads. UPDATE=1 writes it anew: read the diff.
const folder = new URL("golden/", import.meta.url).pathname;
const listed = (...path: string[]) => readdirSync(join(folder, ...path));

/** filters/<rule>/<case>: what a rule is there for. */
describe.each(listed("filters").flatMap((rule) => listed("filters", rule).map((name) => ({ rule, name }))))(
  "$rule/$name",
  ({ rule, name }) => {
    const { raw, result, at } = filteredCase("filters", rule, name);

    it("reads as expected", () => expectKept(at, result.text));
    it("is the work of its rule, and no longer than the raw text", () => {
      expect(result.rule?.split(" + ") ?? [null]).toContain(rule);
      expect(result.text.length).toBeLessThanOrEqual(raw.length);
    });
  },
);

/** recorded/<case>: what a day brings, whichever rules it meets. bench/tasks.mjs asks what can be answered from some of them. */
describe.each(listed("recorded"))("recorded/%s", (name) => {
  const { raw, result, at } = filteredCase("recorded", name);

  it("reads as expected, and is no longer than the raw text", () => {
    expectKept(at, result.text);
    expect(result.text.length).toBeLessThanOrEqual(raw.length);
  });
});

function filteredCase(...path: string[]) {
  const at = (file: string) => join(folder, ...path, file);
  const command = readFileSync(at("cmd"), "utf8").trimEnd();
  const raw = readFileSync(at("raw"), "utf8");
  return { raw, at, result: filterText({ command, raw, exitCode: Number(readFileSync(at("exit"), "utf8")) }, builtInRules()) };
}

function expectKept(at: (file: string) => string, text: string) {
  if (process.env.UPDATE) writeFileSync(at("expected"), `${text}\n`);
  expect(`${text}\n`).toBe(readFileSync(at("expected"), "utf8"));
}
