import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { regexProblem, regexSearch } from "./regex.ts";
import { literalIn } from "./regex-literal.ts";

test("an expression is found anywhere in a text", () => {
  expect(["ab", "xabx", "b", "AB"].map(regexSearch("ab"))).toEqual([true, true, false, false]);
});

test("the quick way finds what the plain one finds", () => {
  const parts = [
    "a",
    "b",
    "ab",
    ".",
    "\\s",
    "\\w+",
    "[a-c]",
    "^",
    "$",
    "\\b",
    "(a|b)",
    "a*",
    "b+?",
    "(?:ab){2,3}",
    "\\n",
    "é",
    "\\.",
    "x{0,2}",
    "|",
    "ks",
    "bk*",
    "ab+",
    "(?:c|)",
    "[^]a]",
    "\\[",
    "(a(b)c)?",
    "x{2}",
    "{",
    "\\Qa|b\\E",
    "(?-i)",
    "(?i:b)",
  ];
  const pattern = fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 6 }).map((some) => some.join(""));
  const letters = [
    "a",
    "b",
    "c",
    "A",
    " ",
    "\n",
    ".",
    "x",
    "é",
    "\u{1f600}",
    "_",
    "1",
    "k",
    "s",
    "K",
    "S",
    "\u212a",
    "\u017f",
    "\u0130",
    "[",
    "|",
    "{",
  ];
  const text = fc.array(fc.constantFrom(...letters), { maxLength: 20 }).map((some) => some.join(""));
  fc.assert(
    fc.property(pattern, fc.boolean(), fc.array(text, { minLength: 1, maxLength: 5 }), (plain, folds, texts) => {
      const expression = folds ? `(?i)${plain}` : plain;
      fc.pre(regexProblem(expression) === null);
      const search = regexSearch(expression);
      for (const one of texts) expect(search(one)).toBe(RE2JS.compile(expression).matcher(one).find());
    }),
    { numRuns: 400 },
  );
});

test.each<[string, ReturnType<typeof literalIn>]>([
  ["git\\s+push\\s+.*--force.*release-7", { text: "release-7", letters: "exact" }],
  ["(?i)password-7\\s*=", { text: "word-7", letters: "any case" }],
  ["^rm$", { text: "rm", letters: "exact" }],
  ["a\\.b*c", { text: "a.", letters: "exact" }],
  ["ab+c", { text: "ab", letters: "exact" }],
  ["(?:abc)?d", { text: "d", letters: "exact" }],
  ["abc|d", null],
  ["(?P<x>abc)def", null],
  ["\\d+", null],
  ["abc(?i)def", null],
  ["a{0}", null],
])("%s needs %j", (pattern, literal) => expect(literalIn(pattern)).toEqual(literal));

test.each([
  ["a(?=b)", "RE2 has no look-around"],
  ["(?<!a)b", "RE2 has no look-around"],
  ["(a)\\1", "RE2 has no back references"],
])("%s: what RE2 leaves out is named", (pattern, words) => expect(regexProblem(pattern)).toContain(words));

describe("nothing makes it wait", () => {
  const some = Array.from({ length: 1_000_000 }, (_, n) => ((n * 2654435761) % 7 < 3 ? "a" : "b")).join("");
  test.each(["(a*)*c", "(a|aa)+$", "(x+x+)+y", "[ab]{0,300}a[ab]{300}c?$", "(?:a.{0,200}){3}c"])("%s", (pattern) => {
    const began = cpuMs();
    const search = regexSearch(pattern);
    for (const length of [10_000, 100_000, 1_000_000]) search(some.slice(0, length));
    expect(cpuMs() - began).toBeLessThan(20_000);
  });
  test("what could take too long is not searched, and says so", () => {
    expect(regexSearch("[ab]{0,300}a[ab]{300}c")(some)).toBeNull();
    expect(regexSearch("c")(some)).toBe(false);
  });
});

test.each([
  ["(", "missing closing )"],
  ["[z-a]", "invalid character class range"],
  ["(?=x)", "invalid"],
  ["(a)\\1", "invalid escape sequence"],
  ["a{2000}", "invalid"],
])("%s is none", (pattern, why) => {
  expect(regexProblem(pattern)).toContain(why);
  expect(regexProblem(pattern)).toContain(why);
  expect(() => regexSearch(pattern)).toThrow(why);
});
test("a good one has no problem", () => expect(regexProblem("^a+$")).toBeNull());
