import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { regexProblem, regexSearch } from "./policy-regex.ts";

const PARTS = [
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
  "(?i)A",
  "é",
  "\\.",
  "x{0,2}",
];
const pattern = fc
  .array(fc.constantFrom(...PARTS), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join("").replace(/^(.*)\(\?i\)/, "(?i)$1"));
const text = fc
  .array(fc.constantFrom("a", "b", "c", "A", " ", "\n", ".", "x", "é", "\u{1f600}", "_", "1"), { maxLength: 30 })
  .map((parts) => parts.join(""));

test("together they find what each finds alone", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(pattern, { minLength: 1, maxLength: 12 }),
      fc.array(text, { minLength: 1, maxLength: 5 }),
      (given, texts) => {
        const patterns = given.filter((one) => regexProblem(one) === null);
        const search = regexSearch(patterns);
        for (const one of texts) {
          const alone = patterns.flatMap((expression, n) => (RE2JS.compile(expression).matcher(one).find() ? [n] : []));
          expect([...search(one)].sort((a, b) => a - b)).toEqual(alone);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("too large together, they are searched one by one", () => {
  const patterns = Array.from({ length: 40 }, (_, n) => `(?:[a-z${n}]{1,500}x){1,2}${n}end`);
  const search = regexSearch(patterns);
  expect(search("ax7end")).toEqual(patterns.flatMap((one, n) => (RE2JS.compile(one).matcher("ax7end").find() ? [n] : [])));
});

test("no expression and no text make it wait", () => {
  const patterns = ["(a*)*b", "(a|aa)+$", "(?:a.{0,200}){3}b", "(x+x+)+y"];
  const began = performance.now();
  regexSearch(patterns)("a".repeat(200_000));
  expect(performance.now() - began).toBeLessThan(10_000);
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
});
test("a good one has no problem", () => expect(regexProblem("^a+$")).toBeNull());
