import { expect, it } from "vitest";
import { filterText } from "../filter.ts";
import { printedLine } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { withoutMiddle } from "./narration.ts";

const left = (texts: readonly string[]): string[] => withoutMiddle(texts.map(printedLine)).map(({ text }) => text);
const many = (text: (n: number) => string, count = 30): string[] => Array.from({ length: count }, (_, n) => text(n));

it("very many lines of one kind become the first two and the last, wherever they stand", () => {
  const records = many((n) => `copied src/f${n}.c\n  ${n * 7} bytes`).flatMap((record) => record.split("\n"));
  expect(left(["start", ...records, "done in 3s"])).toEqual(["start", ...records.slice(0, 4), ...records.slice(-2), "done in 3s"]);
  expect(left(many((n) => `src/f${n}.c`))).toEqual(["src/f0.c", "src/f1.c", "src/f29.c"]);
});

it("few lines of a kind, errors, warnings, tables of figures and words alone stay", () => {
  for (const lines of [
    many((n) => `copied src/f${n}.c`, 20),
    many((n) => `cannot copy src/f${n}.c: denied`),
    many((n) => `warning: skipped src/f${n}.c`),
    many((n) => `f${n}.c ${n} ${n * 2}`),
    many(() => "still waiting"),
  ])
    expect(left(lines)).toEqual(lines);
});

it("a command that lists keeps every row, and one that acts or mostly tells of steps does not", () => {
  const rows = many((n) => `unit f${n}.service has ${"xyz"[n % 3]} of it`, 40);
  const shown = (command: string, lines: readonly string[]) =>
    filterText({ command, raw: lines.join("\n"), exitCode: 0 }, builtInRules()).text;
  expect(shown("./units", rows)).toContain("f17");
  expect(shown("make units", rows)).not.toContain("f17");
  const steps = many((n) => `Downloading part ${n}`, 40);
  expect(shown("./units", [...steps, ...rows])).not.toContain("f17");
});
