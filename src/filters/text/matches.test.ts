import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Line, printedLine, sumOf } from "../line.ts";
import { groupedMatches } from "./matches.ts";
import { excerpt, searchOf } from "./search.ts";

const grouped = (command: string, texts: readonly string[]): readonly Line[] | null =>
  groupedMatches(texts.map(printedLine), searchOf(command.split(" ")));
const textsOf = (lines: readonly Line[] | null): string[] => (lines ?? []).map(({ text }) => text);

/** The places a short form names: file, number, text. */
function placesIn(lines: readonly string[]): string[] {
  let folder = "";
  let file = "";
  return lines.flatMap((line) => {
    if (line.endsWith("/") && !/^[\d,]+:/.test(line)) {
      folder = line;
      return [];
    }
    const row = /^([\d,]+):(.*)$/.exec(line);
    const alone = /^(.*?):([\d,]+):(.*)$/.exec(line);
    if (row) return row[1]!.split(",").map((number) => `${file}:${number}:${row[2]}`);
    const name = alone ? alone[1]! : line;
    file = name.startsWith(" ") ? folder + name.slice(1) : name;
    return alone ? alone[2]!.split(",").map((number) => `${file}:${number}:${alone[3]}`) : [];
  });
}

describe("found lines", () => {
  it("say a file once", () => {
    expect(textsOf(grouped("grep -rn x src", ["src/a.ts:1:\tx", "src/a.ts:22:  x y", "src/b.ts:3:x"]))).toEqual([
      "src/a.ts",
      "1:\tx",
      "22:  x y",
      "src/b.ts:3:x",
    ]);
  });

  it("say the same text of a file once, with both numbers", () => {
    expect(textsOf(grouped("rg -n x", ["a.ts:1:x", "a.ts:5:x", "a.ts:9:y x", "a.ts:11:  x"]))).toEqual([
      "a.ts",
      "1,5:x",
      "9:y x",
      "11:  x",
    ]);
  });

  it("say a folder once where three of its files follow one another", () => {
    expect(textsOf(grouped("grep -rn x", ["s/a:1:x", "s/b:2:x", "s/c:3:x", "t/d:4:x"]))).toEqual([
      "s/",
      " a:1:x",
      " b:2:x",
      " c:3:x",
      "t/d:4:x",
    ]);
  });

  it("keep the lines around them, and how they are indented", () => {
    const raw = ["a-b.ts-1-  if (y) {", "a-b.ts:2:    x();", "a-b.ts-3-  }", "--", "a-b.ts:9:  x"];
    expect(textsOf(grouped("grep -rnC1 x .", raw))).toEqual(["a-b.ts", "1-  if (y) {", "2:    x();", "3-  }", "9:  x"]);
  });

  it("are read below headings too", () => {
    expect(textsOf(grouped("rg -n --heading x", ["a.ts", "1:x", "7:  x y", "", "b.ts", "2:x"]))).toEqual([
      "a.ts",
      "1:x",
      "7:  x y",
      "b.ts",
      "2:x",
    ]);
  });

  it("are read without numbers", () => {
    expect(textsOf(grouped("rg x src", ["src/a.ts:x", "src/a.ts:  x y", "src/b.ts:x", "src/b.ts:z x"]))).toEqual([
      "src/a.ts",
      "x",
      "  x y",
      "src/b.ts",
      "x",
      "z x",
    ]);
  });

  it("stay as they are when they are of a single file, or only files and counts", () => {
    expect(grouped("grep -n x a.log", ["1:08:00:01 x", "2:08:00:02 x", "3:08:00:03 x"])).toBeNull();
    expect(
      grouped("grep ERROR a.log", ["2026-01-01T08:00:01Z ERROR x", "2026-01-01T08:00:02Z ERROR x", "2026-01-01T08:00:03Z ERROR"]),
    ).toBeNull();
    expect(grouped("grep -c x a b c", ["a:1", "b:2", "c:3"])).toBeNull();
    expect(grouped("grep -rl x .", ["./a.ts", "./b.ts", "./c.ts"])).toBeNull();
  });

  it("keep what is no match", () => {
    const raw = [
      "a.ts:1:x",
      "grep: secret: Permission denied",
      "a.ts:2:y x",
      "Binary file b.bin matches",
      "a.ts:3:x z",
      "a.ts:4:x w",
      "a.ts:5:x v",
      "a.ts:6:x u",
    ];
    const printed = "2026-01-01T08:00:01.000Z ERROR disk full";
    expect(textsOf(grouped("grep -rn x .", [...raw, printed]))).toEqual(expect.arrayContaining([raw[1], raw[3], printed]));
  });

  it("are cut around what was looked for, and then count as left out", () => {
    const long = `${"a".repeat(1000)}needle${"b".repeat(1000)}`;
    const lines = grouped("grep -rn needle .", [`a.js:1:${long}`, "a.js:2:needle", "a.js:3:needle x"])!;
    expect(lines[1]!.text).toMatch(/^1:… a{100}needleb{194} …$/);
    expect(sumOf(lines).covers).toBe(2);
  });

  it("can be read back", () => {
    const name = fc.stringMatching(/^[a-z]{1,3}(?:-[a-z0-9]{1,2})?\.ts$/);
    const file = fc
      .tuple(fc.array(fc.constantFrom("src", "lib", "x-1"), { maxLength: 3 }), name)
      .map(([parts, last]) => [...parts, last].join("/"));
    const text = fc.stringMatching(/^[\w(){};=, .]{1,20}$/).map((content) => `${content.trim()}x`);
    const rows = fc.array(fc.tuple(text, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(file, rows), { minLength: 3, maxLength: 12, selector: ([path]) => path }), (files) => {
        const places = files.flatMap(([path, found]) => {
          let number = 0;
          return found.map(([content, step]) => {
            number += step;
            return `${path}:${number}:${content}`;
          });
        });
        const lines = grouped("grep -rn x .", places)!;
        expect(placesIn(textsOf(lines)).sort()).toEqual([...places].sort());
        expect(sumOf(lines).covers).toBe(places.length);
      }),
      { numRuns: 50 },
    );
  });
});

describe("a search", () => {
  it.each([
    ["grep -rn foo .", "numbered", ["foo"]],
    ["rg --line-number foo.*barbar src", "numbered", ["barbar"]],
    ["grep -r -e needle src", "unnumbered", ["needle"]],
    ["rg -A 3 foo", "unnumbered", ["foo"]],
    ["ag foo", "numbered", ["foo"]],
    ["grep -nE create(Program|SourceFile) a.js", "numbered", ["Program", "SourceFile"]],
    ["grep -n debounce\\|throttled a.js", "numbered", ["debounce", "throttled"]],
    ["grep -rl foo", "files only", ["foo"]],
    ["rg --files-with-matches foo", "files only", ["foo"]],
    ["grep --count foo a b", "files only", ["foo"]],
  ])("%s", (command, form, wanted) => expect(searchOf(command.split(" "))).toEqual({ form, wanted }));

  it("finds its place in either case", () =>
    expect(excerpt(`${"a".repeat(500)}NEEDLE${"b".repeat(500)}`, ["absent", "needle"])).toContain("NEEDLE"));
});
