import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ruleSchema } from "../src/filters/rule.ts";
import { STRATEGIES } from "../src/filters/strategies/index.ts";
import { checkExample } from "../src/front/cli/filter/check.ts";
import { readExamples } from "../src/front/cli/filter/examples.ts";
import { openFilterDesk } from "../src/runtime/filter/standalone-filter.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/filters.md"), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("| `"));
const namesIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!);

it("docs/filters.md names every strategy and each of its options", () => {
  const table = Object.fromEntries(
    rows
      .map((row) => row.split(" | "))
      .filter((cells) => cells.length === 4)
      .map(([type, , options]) => [namesIn(type!)[0], namesIn(options!)]),
  );
  expect(Object.keys(table).sort()).toEqual(Object.keys(STRATEGIES).sort());
  for (const [type, { options }] of Object.entries(STRATEGIES))
    expect(table[type]).toEqual(expect.arrayContaining(Object.keys(options.shape)));
});

it("docs/filters.md names every key of a rule, and nothing else", () => {
  const keys = rows
    .map((row) => row.split(" | "))
    .filter((cells) => cells.length === 2)
    .map(([key]) => namesIn(key!)[0]);
  expect(keys).toEqual(Object.keys(ruleSchema().shape));
});

it("the rule in docs/filters.md does what its example says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "zeph-page-"));
  const file = join(folder, "rules.toml");
  const desk = openFilterDesk(folder, { store: "memory", config: {} });
  try {
    writeFileSync(file, /```toml\n([\s\S]*?)```/.exec(page)![1]!);
    const { text, examples } = readExamples(file);
    const trial = desk.trial({ name: file, text });
    expect(trial.warnings).toEqual([]);
    expect(examples.map((example) => checkExample(example, trial)).map(({ problems, remarks }) => [problems, remarks])).toEqual([[[], []]]);
  } finally {
    await desk.close();
    rmSync(folder, { recursive: true });
  }
});
