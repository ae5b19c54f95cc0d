import { expect, it } from "vitest";
import { rollbackWords } from "./rollback-words.ts";

it.each([
  ["rolled back after exit code 1: 2 restored, 0 removed", "rolled back: 2 restored"],
  ["rolled back after exit code 2: 0 restored, 3 removed (moved meanwhile, and put right where it is now: a)", "rolled back: 3 removed"],
  ["rolled back after exit code 1: 1 restored, 1 removed", "rolled back: 1 restored, 1 removed"],
  ["rolled back after exit code 1: 0 restored, 0 removed", "rolled back: nothing had changed"],
  ["all is as it was", "rolled back"],
])("%s", (rollback, words) => expect(rollbackWords({ rollback })).toBe(words));

it("nothing, where nothing was undone", () => expect([rollbackWords(undefined), rollbackWords({})]).toEqual([null, null]));
