import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filterText } from "../src/filters/filter.ts";
import { builtInRules } from "../src/filters/rules.ts";

// test/golden/filters/<rule>/<case>/: cmd, exit, raw as a real run left them; expected is what the model reads. UPDATE=1 writes it anew: read the diff.
const folder = new URL("golden/filters/", import.meta.url).pathname;
const cases = readdirSync(folder).flatMap((rule) => readdirSync(join(folder, rule)).map((name) => ({ rule, name })));

describe.each(cases)("$rule/$name", ({ rule, name }) => {
  const at = (file: string) => join(folder, rule, name, file);
  const command = readFileSync(at("cmd"), "utf8").trimEnd();
  const raw = readFileSync(at("raw"), "utf8");
  const result = filterText({ command, raw, exitCode: Number(readFileSync(at("exit"), "utf8")) }, builtInRules());

  it("reads as expected", () => {
    if (process.env.UPDATE) writeFileSync(at("expected"), `${result.text}\n`);
    expect(`${result.text}\n`).toBe(readFileSync(at("expected"), "utf8"));
  });

  it("is the work of its rule, and no longer than the raw text", () => {
    expect(result.rule?.split(" + ") ?? [null]).toContain(rule);
    expect(result.text.length).toBeLessThanOrEqual(raw.length);
  });
});
