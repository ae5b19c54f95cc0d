import { expect, it } from "vitest";
import { grouped, plural } from "./words.ts";

it("plural puts a count before the noun in its number", () => {
  expect([0, 1, 2].map((n) => plural(n, "line"))).toEqual(["0 lines", "1 line", "2 lines"]);
  expect([1, 2].map((n) => plural(n, "entry", "entries"))).toEqual(["1 entry", "2 entries"]);
});

it("grouped writes a count in groups of three digits", () => {
  expect([7, 1234, 1234567].map(grouped)).toEqual(["7", "1,234", "1,234,567"]);
});

it.each([0, 999, 1000, 123_456, -1, -999, -1000, -1_234_567, Number.MAX_SAFE_INTEGER, 2 ** 60, 0.5, 1234.5])(
  "grouped writes %d as people read it in English",
  (count) => expect(grouped(count)).toBe(count.toLocaleString("en-US")),
);
