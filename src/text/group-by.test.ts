import { expect, it } from "vitest";
import { groupBy } from "./group-by.ts";

it("groupBy keeps the order in which keys first came, and the order of items in each group", () =>
  expect([...groupBy(["pear", "fig", "plum", "apple", "file"], (word) => word[0]!)]).toEqual([
    ["p", ["pear", "plum"]],
    ["f", ["fig", "file"]],
    ["a", ["apple"]],
  ]));
