import fc from "fast-check";
import pc from "picocolors";
import { expect, it } from "vitest";
import { columnsOf } from "../../../text/width/columns.ts";
import { briefDiff } from "./diff-view.ts";

const plain = pc.createColors(false);
const colour = pc.createColors(true);
const DIFF = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+\tthree\n";

it("the view of a diff shows the hunks, plain or in colour", () => {
  expect(briefDiff(DIFF, 20, 60, plain)).toEqual({ lines: ["  @@ -1,2 +1,2 @@", "   one", "  -two", "  +    three"], left: 0 });
  expect(briefDiff(DIFF, 20, 60, colour).lines.slice(2)).toEqual(["  \u001b[31m-two\u001b[39m", "  \u001b[32m+    three\u001b[39m"]);
});

it("the view of a diff counts what is left", () => {
  const long = `@@ -0,0 +1,65 @@\n${"+x\n".repeat(65)}`;
  const { lines, left } = briefDiff(long, 20, 60, plain);
  expect([lines.length, left]).toEqual([20, 46]);
});

it("the view of a diff keeps every line in its line, and obeys nothing in it", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "+", "-", "@", "\t", "\u001b", "\r", "長", "\u0007"), maxLength: 200 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.integer({ min: 40, max: 100 }), (all, width) => {
      for (const shown of briefDiff(all.join("\n"), 20, width, plain).lines) {
        expect(columnsOf(shown)).toBeLessThanOrEqual(width);
        expect(shown).not.toMatch(/\p{Cc}/u);
      }
    }),
  );
});
