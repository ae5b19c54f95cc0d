import { expect, it } from "vitest";
import { keepRecent } from "./keep-recent.ts";

it("keepRecent drops the entry that was kept longest ago, and an entry that is kept again is the latest", () => {
  const entries = new Map<string, number>();
  for (const key of ["a", "b", "c"]) keepRecent(entries, key, 1, 3);
  expect(keepRecent(entries, "a", 2, 3)).toBe(2);
  keepRecent(entries, "d", 1, 3);
  expect([...entries]).toEqual([
    ["c", 1],
    ["a", 2],
    ["d", 1],
  ]);
});
