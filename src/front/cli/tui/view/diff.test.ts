import { describe, expect, it } from "vitest";
import { withoutStyles } from "../../../../text/width/columns.ts";
import { chooseTheme } from "../theme.ts";
import { diffLines } from "./diff.ts";
import { compareWords } from "./diff-words.ts";

const dark = chooseTheme({ LANG: "C.UTF-8" }, "dark");
const none = chooseTheme({ LANG: "C.UTF-8" }, "none");
const DIFF = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-const a = one;\n+const a = two;\n";

describe("A diff", () => {
  it("marks the words that differ within a line", () => {
    expect(diffLines(DIFF, 40, dark).slice(1)).toEqual([
      dark.del(`-const a = ${dark.delMark("one")};`),
      dark.add(`+const a = ${dark.addMark("two")};`),
    ]);
  });

  it("marks nothing in lines that have little in common", () => {
    expect(compareWords("return parse(line);", "export type Name = string;")).toBeNull();
    expect(compareWords("a ".repeat(5000), "a ".repeat(5000))).toBeNull();
  });

  it("marks where a folded line goes on, so that its rest is no line of its own", () => {
    const long = `@@ -1 +1 @@\n ${"a".repeat(19)}+added?`;
    const lines = diffLines(long, 22, none, { long: "fold" });
    expect(lines.slice(1)).toEqual([` ${"a".repeat(19)}`, "… +added?"]);
    expect(lines.some((line) => /^[+-]/.test(withoutStyles(line)))).toBe(false);
  });

  it("has no more lines than asked for", () => {
    expect(diffLines(DIFF, 40, none, { most: 2 })).toEqual(["@@ -1 +1 @@", "-const a = one;"]);
  });
});
