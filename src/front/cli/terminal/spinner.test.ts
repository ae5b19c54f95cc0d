import fc from "fast-check";
import { expect, it } from "vitest";
import { columnsOf } from "../../../text/width/columns.ts";
import { elapsed, spinnerLine } from "./spinner.ts";

it("the spinner shows what runs, for how long, and the end of what is typed", () => {
  expect(spinnerLine("⠋", "bash", "2.3 s", "", 60)).toBe("⠋ bash 2.3 s");
  expect(spinnerLine("⠋", "bash", "2.3 s, 14 s in all", "and then\nmore", 60)).toBe("⠋ bash 2.3 s, 14 s in all  > and then more");
  expect(spinnerLine("⠋", "bash", "2.3 s", "a".repeat(100), 30)).toBe(`⠋ bash 2.3 s  > ${"a".repeat(14)}`);
  expect(spinnerLine("⠋", "l".repeat(100), "2.3 s", "", 30)).toBe(`⠋ ${"l".repeat(21)}… 2.3 s`);
});

it("the spinner never fills more than its line", () => {
  const text = fc.string({ unit: fc.constantFrom("a", " ", "長", "🙂", "é", "\n", "\t"), maxLength: 120 });
  fc.assert(
    fc.property(text, text, fc.integer({ min: 20, max: 120 }), (label, typed, width) => {
      const line = spinnerLine("⠋", label.replace(/\s/g, " "), "59 min 59 s", typed, width);
      expect(columnsOf(line)).toBeLessThanOrEqual(width);
      expect(line).not.toMatch(/[\n\t]/);
    }),
  );
});

it("the spinner tells time in few words", () => {
  expect([0, 1234, 9940, 9960, 59_400, 64_000, 3_600_000].map(elapsed)).toEqual([
    "0.0 s",
    "1.2 s",
    "9.9 s",
    "10 s",
    "59 s",
    "1 min 4 s",
    "60 min 0 s",
  ]);
});
