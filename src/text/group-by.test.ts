import { expect, it } from "vitest";
import { endOfRun, groupBy, splitRuns } from "./group-by.ts";

it("groupBy keeps the order in which keys first came, and the order of items in each group", () =>
  expect([...groupBy(["pear", "fig", "plum", "apple", "file"], (word) => word[0]!)]).toEqual([
    ["p", ["pear", "plum"]],
    ["f", ["fig", "file"]],
    ["a", ["apple"]],
  ]));

it("splitRuns keeps together the neighbours that go on with the one before", () => {
  expect(splitRuns([1, 2, 3, 7, 8, 5], (before, item) => item === before + 1)).toEqual([[1, 2, 3], [7, 8], [5]]);
  expect(splitRuns([], () => true)).toEqual([]);
});

it("endOfRun stops at the first item that is none of these, or at the end", () => {
  const isEven = (item: number) => item % 2 === 0;
  expect(endOfRun([1, 2, 4, 5, 6], 1, isEven)).toBe(3);
  expect(endOfRun([1, 2, 4, 5, 6], 4, isEven)).toBe(5);
  expect(endOfRun([1, 2], 0, isEven)).toBe(0);
  expect(endOfRun([2, 2, 2], 0, (_, at) => at < 2)).toBe(2);
});
