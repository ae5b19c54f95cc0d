import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffsOf } from "./diffs.ts";

const made = (before: string | null, after: string) =>
  createTwoFilesPatch(before === null ? "/dev/null" : "a/x.txt", "b/x.txt", before ?? "", after, undefined, undefined, {
    context: 3,
  }).replace(/^=+\n/, "");

describe("a unified diff for an editor", () => {
  test("a piece of each side, with the lines around it", () => {
    const before = Array.from({ length: 20 }, (_, n) => `line ${n}`).join("\n");
    const after = before.replace("line 2\n", "").replace("line 17", "seventeen");
    expect(diffsOf(made(before, after), { cwd: "/w" })).toEqual([
      {
        path: "/w/x.txt",
        oldText: "line 0\nline 1\nline 2\nline 3\nline 4\nline 5\n",
        newText: "line 0\nline 1\nline 3\nline 4\nline 5\n",
      },
      {
        path: "/w/x.txt",
        oldText: "line 14\nline 15\nline 16\nline 17\nline 18\nline 19",
        newText: "line 14\nline 15\nline 16\nseventeen\nline 18\nline 19",
      },
    ]);
  });

  test("a new file has no old text; the path that is given counts", () => {
    expect(diffsOf(made(null, "a\n"), { cwd: "/w", path: "/else/y" })).toEqual([{ path: "/else/y", oldText: null, newText: "a\n" }]);
  });

  test("lines that look like heads are text", () => {
    const [one] = diffsOf(made("-- a\n@@ -1 +1 @@\n", "++ b\n@@ -1 +1 @@\n"), { cwd: "/w" });
    expect(one).toMatchObject({ oldText: "-- a\n@@ -1 +1 @@\n", newText: "++ b\n@@ -1 +1 @@\n" });
  });

  test("whatever changed: every piece stands in its file", () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "--- x", "+++ y", "@@ -1,2 +1 @@", "", "\\ no"), { maxLength: 12 })
      .map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, (before, after) => {
        for (const { oldText, newText } of diffsOf(made(before, after), { cwd: "/w" })) {
          expect(before).toContain(oldText ?? "");
          expect(after).toContain(newText);
        }
      }),
    );
  });

  test("garbage is nothing", () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(diffsOf(text, { cwd: "/w" }))));
  });
});
