import fc from "fast-check";
import { expect, it } from "vitest";
import { printedLine, sumOf } from "../line.ts";
import { pointToRepeated } from "./repeated.ts";

const point = (texts: readonly string[]): string[] => pointToRepeated(texts.map(printedLine)).map(({ text }) => text);

const block = [
  "  deploying the shop to the first region",
  "  it has seven services and two queues",
  "  all of them answer within a second",
];

it("a block that was said before is pointed at, by its first words and how long it is", () => {
  expect(point(["eu:", ...block, "us:", ...block, "done"])).toEqual([
    "eu:",
    ...block,
    "us:",
    "(as above, 3 lines: deploying the shop to the first region)",
    "done",
  ]);
});

it("a long line that was said before is pointed at, and a short one said again", () => {
  const long = `    5 | ${"int main(int argc, char **argv) { return argc; } ".repeat(3)}`;
  expect(point(["a:", long, "short", "b:", long, "short"])).toEqual([
    "a:",
    long,
    "short",
    "b:",
    "    (as above: 5 | int main(int argc, char **argv) {…)",
    "short",
  ]);
});

it("what is short of a long line by one character, or of a block by one, is said again", () => {
  const line = (length: number) => `the ${"x".repeat(length - 8)} end`;
  expect(point([line(80), "next", line(80)])[2]).toMatch(/^\(as above: /);
  expect(point([line(79), "next", line(79)])[2]).toBe(line(79));
  const block = (length: number) => ["a".repeat(33), "b".repeat(33), "c".repeat(length - 66)];
  expect(point([...block(100), "next", ...block(100)])).toHaveLength(5);
  expect(point([...block(99), "next", ...block(99)])).toHaveLength(7);
});

it("a long line that looks like an error is said again", () => {
  const error = `error: ${"the same thing went wrong in the same place ".repeat(3)}`;
  expect(point([error, "next", error])).toEqual([error, "next", error]);
});

it("a line is said again where another one begins with the same words", () => {
  const one = `reading ${"x".repeat(60)} from the first of the two shelves, slowly`;
  const other = `reading ${"x".repeat(60)} from the second of the two shelves, slowly`;
  expect(point([one, other, one])).toEqual([one, other, one]);
});

const text = fc.constantFrom(
  "",
  ...block,
  "a",
  "b",
  "c",
  "a line of more than eighty characters, which is long enough to be pointed at, and is",
);

it("whatever is pointed at stands above in full, and no line is lost", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
      const before = texts.map(printedLine);
      const after = pointToRepeated(before);
      expect(sumOf(after)).toEqual(sumOf(before));
      const said = after.map((line) => line.text);
      const rebuilt: string[] = [];
      for (const line of said) {
        const [, count, words] = /^\s*\(as above(?:, (\d+) lines)?: (.*?)…?\)$/.exec(line) ?? [];
        if (words === undefined) rebuilt.push(line);
        else {
          const from = rebuilt.findIndex((each) => each.trim().startsWith(words));
          for (let at = from, left = Number(count ?? 1); left > 0; at++) {
            rebuilt.push(rebuilt[at]!);
            if (rebuilt[at] !== "") left--;
          }
        }
      }
      expect(rebuilt).toEqual(texts);
    }),
    { numRuns: 200 },
  );
});
