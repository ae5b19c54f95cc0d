import * as fc from "fast-check";
import { expect, it } from "vitest";
import { readArguments } from "./arguments.ts";

it.each([
  ["", {}],
  ["  ", {}],
  ['{"a":1}', { a: 1 }],
])("reads %j", (text, args) => expect(readArguments(text)).toEqual({ args }));

it.each([
  ['{"a":', "end too early"],
  ['{"a":"x', "end too early"],
  ['{"a":1,}', "position 7"],
  ["hello", "position 0|at the beginning"],
  ["[]", "a list"],
  ['"x"', "a text"],
  ["17", "a number"],
  ["null", "null"],
])("says what is wrong with %j", (text, why) => {
  const { args, problem } = readArguments(text);
  expect(args).toBeUndefined();
  expect(problem).toMatch(new RegExp(why));
});

it("never throws, and repeats nothing of what was written", () =>
  fc.assert(
    fc.property(fc.string(), (text) => {
      const { problem } = readArguments(`SECRET${text}`);
      expect(problem).not.toContain("SECRET");
    }),
  ));
