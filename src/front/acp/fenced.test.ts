import fc from "fast-check";
import { expect, test } from "vitest";
import { fenced } from "./fenced.ts";

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
