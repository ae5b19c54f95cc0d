import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findConditions, REASONS } from "./skip-reasons.ts";

const FILES = ["src", "test"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
    .map((name) => join(folder, name)),
);
/** Not this file, which has examples of what is refused. */
const TESTS = FILES.filter((name) => (name.endsWith(".test.ts") || name.startsWith("test/")) && !name.endsWith("/suite.test.ts"));

describe("the tests themselves", () => {
  it("say why they are skipped", () => {
    const unexplained = TESTS.flatMap((file) =>
      findConditions(readFileSync(file, "utf8")).flatMap(({ line, parts }) =>
        parts.filter((part) => REASONS[part] === undefined).map((part) => `${file}:${line} ${part}`),
      ),
    );
    expect(unexplained).toEqual([]);
  });

  it("set no time limit below the one of vitest.config.ts, which a busy machine would reach", () => {
    const small = TESTS.flatMap((file) => limitsIn(readFileSync(file, "utf8")).map((limit) => `${file}: ${limit}`));
    expect(small).toEqual([]);
  });

  it("are looked at by rules that find what they look for", () => {
    expect(findConditions('it.skipIf(!a && has("x"))("n", () => {})')).toEqual([{ line: 1, parts: ["a", 'has("x")'] }]);
    const planted = ['it("x", { timeout: 20_000 }, f)', "vi.setConfig({ testTimeout: 5000 })", "}, 20_000);", "  },\n  10_000,\n);"];
    expect(planted.map((text) => limitsIn(text).length)).toEqual([1, 1, 1, 1]);
    expect(limitsIn('it("x", { timeout: 600_000 }, f)\n}, 20);')).toEqual([]);
  });
});

/** Limits of tests, in milliseconds, that are smaller than what every test has anyway. */
function limitsIn(text: string): string[] {
  const forms = [
    /^\s*(?:it|test|describe)\b.*\{ timeout: ([\d_]+) ?[},]/gm,
    /testTimeout: ([\d_]+)/g,
    /^\}, ([\d_]{4,})\);$/gm,
    /^ {2}\},\n {2}([\d_]{4,}),\n\);$/gm,
  ];
  return forms.flatMap((form) =>
    [...text.matchAll(form)].filter(([, ms]) => Number(ms!.replaceAll("_", "")) < 180_000).map(([all]) => all.trim()),
  );
}
