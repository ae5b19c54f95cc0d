import fc from "fast-check";
import { expect, test } from "vitest";
import { bounded, fenced, plain } from "./plain.ts";

test("what hides or turns text around is spelled out", () => {
  expect(plain("a\u202eb\u0007c\r\nd\te\u{e0041}")).toBe("a\\u202eb\\u0007c\nd\te\\ue0041");
});

test("nothing in a text ends its block", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("`", "``", "```", "````", "\n", "x")).map((parts) => parts.join("")),
      (text) => {
        const lines = fenced(text).split("\n");
        const fence = lines[0]!;
        expect(lines.at(-1)).toBe(fence);
        expect(lines.slice(1, -1).some((line) => line.startsWith(fence))).toBe(false);
      },
    ),
  );
});

test("a long text keeps its beginning and its end, and says how much is gone", () => {
  expect(bounded("x".repeat(10), 10)).toHaveLength(10);
  expect(bounded(`begin${"x".repeat(1000)}end`, 20)).toMatch(/^begin.*\[… 988 characters left out …\].*end$/s);
});
