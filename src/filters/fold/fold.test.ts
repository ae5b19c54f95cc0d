import { describe, expect, it } from "vitest";
import { filterText } from "../filter.ts";
import { heading, lengthOf, printedLine } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { foldAlike } from "./fold.ts";

const filter = (command: string, lines: readonly string[]) =>
  filterText({ command, raw: `${lines.join("\n")}\n`, exitCode: 0 }, builtInRules());
const rows = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `part ${n + 100} of the whole is stored on shelf ${n * 7}`);

describe("what is alike", () => {
  it("is folded where no rule knew it, and nothing is left out", () => {
    const { text, rule, mark, confidence } = filter("./inventory", rows(4));
    expect(text).toBe("part 100 of the whole is stored on shelf 0\n+3 for 100 … 0: 101 7 | 102 14 | 103 21");
    expect({ rule, mark, confidence }).toEqual({ rule: "alike", mark: null, confidence: "Full" });
  });

  it.each(["cat parts.txt", "cat parts.txt | sort", "sort parts.txt", "git log", "git show", "rg part", "./inventory --format json"])(
    "stays as it is: %s",
    (command) => {
      expect(filter(command, rows(8)).text.trimEnd()).toBe(rows(8).join("\n"));
    },
  );

  it.each(["./inventory | sort", "psql -c x", "stat parts.txt", "ps | grep part"])(
    "of an answer in rows is folded, and nothing is left out: %s",
    (command) => {
      const { text, mark } = filter(command, rows(8));
      expect(text).toContain("+7 for 100 … 0: 101 7 |");
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

  it("keeps every row of an answer, and of a long story its first rows and its last", () => {
    const many = Array.from({ length: 60 }, (_, n) => `copied part-${n + 100}.bin to the second shelf of the store`);
    const asked = filter("./inventory", many);
    expect(asked.mark).toBeNull();
    for (let n = 0; n < 60; n++) expect(asked.text).toContain(`part-${n + 100}.bin`);
    const told = filter("make install", many);
    expect(told.text).toBe(`${[100, 101, 159].map((n) => `copied part-${n}.bin to the second shelf of the store\n`).join("")}[-57 lines]`);
  });

  it("is folded only where rules left at least half, and where it is no more than a person would read", () => {
    const speakers = [{ forms: ["./inventory"], words: ["./inventory"], verbatim: null }];
    const lines = rows(6).map(printedLine);
    const size = lengthOf(lines);
    const applied = { lines, steps: [], confidence: "Full", harmless: 0 } as const;
    const folded = (before: number) => foldAlike(applied, [heading("x".repeat(before - 1))], speakers) !== applied;
    expect([folded(size), folded(2 * size), folded(2 * size + 1)]).toEqual([true, true, false]);
    const many = { ...applied, lines: rows(2400).map(printedLine) };
    expect(foldAlike(many, many.lines, speakers)).toBe(many);
    expect(foldAlike(applied, lines, [])).toBe(applied);
  });

  it("is left alone for who does without our rules", () => {
    const text = rows(6).join("\n");
    expect(filterText({ command: "./inventory", raw: text, exitCode: 0 }, []).text).toBe(text);
  });

  it("of cells that repeat the one above is marked, and the mark explained", () => {
    const days = ["2026-03-02", "2026-03-02", "2026-03-02", "2026-03-03", "2026-03-03", "2026-03-03"];
    const names = ["oak", "elm", "ash", "fir", "yew", "box"];
    const { text } = filter(
      "psql -Atc x",
      days.map((day, n) => `${names[n]}|${n * 31}|${day}|${"pq"[n % 2]}`),
    );
    expect(text).toBe('(" = as above)\noak 0 2026-03-02 p\nelm 31 " q\nash 62 " p\nfir 93 2026-03-03 q\nyew 124 " p\nbox 155 " q');
  });

  it("of rows of words is said for the whole column", () => {
    const libraries = ["libm.so.6", "libc.so.6", "libz.so.1", "libpcre2-8.so.0", "libdl.so.2"];
    const raw = libraries.map((name, n) => `\t${name} => /lib/x86_64-linux-gnu/${name} (0x00007f1${n}28a00)`);
    expect(filter("ldd tool", raw).text.split("\n")[0]).toBe("(all: word 2==>, word 3=/lib/x86_64-linux-gnu/<word 1>)");
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
