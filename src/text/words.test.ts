import { expect, it } from "vitest";
import { grouped, plural } from "./words.ts";

it("plural puts a count before the noun in its number", () => {
  expect([0, 1, 2].map((n) => plural(n, "line"))).toEqual(["0 lines", "1 line", "2 lines"]);
  expect([1, 2].map((n) => plural(n, "entry", "entries"))).toEqual(["1 entry", "2 entries"]);
});

it("grouped writes a count in groups of three digits", () => {
  expect([7, 1234, 1234567].map(grouped)).toEqual(["7", "1,234", "1,234,567"]);
});
