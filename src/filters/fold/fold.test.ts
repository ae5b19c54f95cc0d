import { describe, expect, it } from "vitest";
import { filterText } from "../filter.ts";
import { heading, lengthOf, printedLine } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { foldAlike } from "./fold.ts";

const filter = (command: string, lines: readonly string[]) =>
  filterText({ command, raw: `${lines.join("\n")}\n`, exitCode: 0 }, builtInRules());
const rows = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `part${n + 100}   shelf ${n * 7}     ${n % 2 === 0 ? "full" : "half empty"}`);
const squeezed = (count: number): string[] =>
  Array.from({ length: count }, (_, n) =>
    n % 2 === 0 ? `part${n + 100} shelf ${n * 7} full` : `part${n + 100} shelf ${n * 7}  half empty`,
  );

describe("what is alike", () => {
  it("is said more shortly where no rule knew it, and nothing is left out", () => {
    const { text, rule, mark, confidence } = filter("./inventory", rows(9));
    expect(text).toBe(squeezed(9).join("\n"));
    expect({ rule, mark, confidence }).toEqual({ rule: "alike", mark: null, confidence: "Full" });
  });

  it.each(["cat parts.txt", "cat parts.txt | sort", "sort parts.txt", "git log", "git show", "rg part", "./inventory --format json"])(
    "stays as it is: %s",
    (command) => {
      expect(filter(command, rows(8)).text.trimEnd()).toBe(rows(8).join("\n"));
    },
  );

  it.each(["./inventory | sort", "psql -c x", "stat parts.txt", "ps | grep part"])(
    "of an answer in rows is said more shortly, and nothing is left out: %s",
    (command) => {
      const { text, mark } = filter(command, rows(8));
      expect(text).toBe(squeezed(8).join("\n"));
      expect(mark).toBeNull();
    },
  );

  it("stays as it is in sources and changes, and JSON loses blanks alone", () => {
    const source = [
      "export const first = createShelf(1);",
      "export const second = createShelf(2);",
      "export const third = createShelf(3);",
      "export const fourth = createShelf(4);",
    ];
    expect(filter("./generate", source).text.trimEnd()).toBe(source.join("\n"));
    const changes = ["diff --git a/x b/x", "@@ -1,4 +1,4 @@", ...rows(6).map((row) => `-${row}`)];
    expect(filter("./changes", changes).text).not.toContain(" for ");
    const data = ["[", ...rows(6).map((row) => `  "${row}",`), '  "end"', "]"];
    expect(JSON.parse(filter("./inventory", data).text.replace(/^\(.*\)\n/, ""))).toEqual(JSON.parse(data.join("\n")));
  });

  it("is folded only where rules left at least half, and where it is no more than a person would read", () => {
    const speakers = [{ forms: ["./inventory"], words: ["./inventory"], verbatim: null }];
    const lines = rows(6).map(printedLine);
    const size = lengthOf(lines);
    const applied = { lines, steps: [], confidence: "Full", harmless: 0 } as const;
    const folded = (before: number) => foldAlike(applied, [heading("x".repeat(before - 1))], speakers) !== applied;
    expect([folded(size), folded(2 * size), folded(2 * size + 1)]).toEqual([true, true, false]);
    const many = { ...applied, lines: rows(3000).map(printedLine) };
    expect(foldAlike(many, many.lines, speakers)).toBe(many);
    expect(foldAlike(applied, lines, [])).toBe(applied);
  });

  it("is left alone for who does without our rules", () => {
    const text = rows(6).join("\n");
    expect(filterText({ command: "./inventory", raw: text, exitCode: 0 }, []).text).toBe(text);
  });

  it("of a chosen summary loses only blanks and drawings", () => {
    const stat = [
      " src/a.ts             |   2 +-",
      " src/long-name.ts     | 140 +++---",
      " README.md            |   1 +",
      " 3 files changed, 90 insertions(+), 53 deletions(-)",
    ];
    expect(filter("git diff --stat", stat).text).toBe(
      "src/a.ts|2+-\nsrc/long-name.ts|140+-\nREADME.md|1+\n 3 files changed, 90 insertions(+), 53 deletions(-)",
    );
  });
});
