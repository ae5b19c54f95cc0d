import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountFor } from "../account.ts";
import { filterText } from "../filter.ts";
import { printedLine } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { foldPathRows } from "./path-rows.ts";

const fold = (rows: readonly string[], options = {}): string[] => foldPathRows(rows.map(printedLine), options).map(({ text }) => text);
const filter = (command: string, rows: readonly string[]): string =>
  filterText({ command, raw: `${rows.join("\n")}\n`, exitCode: 0 }, builtInRules()).text.trimEnd();

describe("rows about one path each", () => {
  const files = ["web/src/app.ts", "web/src/menu.ts", "web/src/theme.ts", "web/src/user.ts"];

  it("say a fixed word and the folder once", () => {
    expect(fold(files.map((file) => `[warn] ${file}`))).toEqual(["[warn] web/src: app.ts menu.ts theme.ts user.ts"]);
  });

  it("are told word by word where there are a few", () => {
    const rows = [...files.map((file) => `M\t${file}`), ...files.map((file) => `A\t${file.replace("src", "test")}`)];
    expect(fold(rows)).toEqual(["M web/src: app.ts menu.ts theme.ts user.ts", "A web/test: app.ts menu.ts theme.ts user.ts"]);
  });

  it("keep a value beside each name, and their order", () => {
    const rows = files.map((file, n) => `${90 - n * 7} ${file}`);
    expect(fold(rows)).toEqual(["web/src: 90 app.ts 83 menu.ts 76 theme.ts 69 user.ts"]);
  });

  it("say once what nearly all have before the path", () => {
    const rows = files.map((file, n) => `${n === 5 ? 100755 : 100644} blob ${String(n).repeat(40)}\t${file}`);
    expect(fold(rows, { isGit: true })).toEqual([
      "(100644 blob unless said)",
      "web/src:",
      "0000000000 app.ts",
      "1111111111 menu.ts",
      "2222222222 theme.ts",
      "3333333333 user.ts",
    ]);
  });

  it("of a summary of changes keep how much came and went, not the drawing", () => {
    const rows = [" web/src/app.ts  |   12 +++++++-----", " web/src/menu.ts |  140 ++++++++++++", " web/src/old.png | Bin 120 -> 0 bytes"];
    expect(fold(rows, { isGit: true })).toEqual(["web/src: app.ts|12+- menu.ts|140+ old.png|Bin 120->0"]);
  });

  it("end where a sum or another thing is told", () => {
    const rows = [...files.map((file, n) => `${n} ${file}`), "10 total", " 4 files changed, 10 insertions(+)"];
    expect(fold(rows).slice(1)).toEqual(["10 total", " 4 files changed, 10 insertions(+)"]);
  });

  it("are no branches, packages or images", () => {
    const names = ["  remotes/origin/main", "  remotes/origin/next", "  remotes/origin/fix", "  remotes/origin/docs"];
    expect(fold(names)).toEqual(names);
  });

  it("do not swallow an error", () => {
    const rows = [...files, "cannot read web/src/lost.ts", ...files.map((file) => file.replace("web", "api"))];
    expect(fold(rows)).toContain("cannot read web/src/lost.ts");
  });

  it.each(["git ls-files", "git diff --name-only HEAD~3", "rg -l useTheme | sort", "find . -name '*.ts' | grep -v test | head -50"])(
    "are told by folder though they were chosen: %s",
    (command) => {
      expect(filter(command, files)).toBe("web/src: app.ts menu.ts theme.ts user.ts");
    },
  );

  it.each(["cat list.txt", "./list | grep web", "git grep -l useTheme HEAD", "sort list.txt"])("stay as they are: %s", (command) => {
    expect(filter(command, files)).toBe(files.join("\n"));
  });

  it("lose no value, whatever they are", () => {
    const word = fc.constantFrom(
      "src",
      "lib",
      "a.ts",
      "b.c",
      "x",
      "README",
      "e_1",
      "UPPER",
      "9.9",
      "..",
      "{a",
      "|",
      "12",
      "+-",
      "=>",
      "warn",
    );
    const row = fc
      .tuple(fc.array(word, { maxLength: 2 }), fc.array(word, { minLength: 1, maxLength: 4 }), fc.array(word, { maxLength: 3 }))
      .map(([before, path, after]) => [...before, path.join("/"), ...after].join(" "));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const lines = rows.map(printedLine);
        const told = accountFor(lines, foldPathRows(lines));
        expect({ left: told.left, values: told.values }).toEqual({ left: 0, values: 0 });
      }),
      { numRuns: 100 },
    );
  });
});
