import fc from "fast-check";
import { expect, it } from "vitest";
import { printedLine, sumOf } from "../line.ts";
import { foldRecords, rebuildRecords } from "./records.ts";

const fold = (texts: readonly string[]): string[] => foldRecords(texts.map(printedLine)).map(({ text }) => text);
const about = (name: string, version: string): string[] => [
  `${name}:`,
  `  Installed: ${version}`,
  `  Candidate: ${version}`,
  "    500 http://mirror.example/debian stable/main amd64 Packages",
];

it("records of several lines are said once, with the words that differ, each of them once", () => {
  const texts = [...about("nginx", "1.22.1-9"), ...about("redis-server", "5:7.0.15"), ...about("git", "2.39")];
  expect(fold(texts)).toEqual([...about("nginx", "1.22.1-9"), "+2 × 4 lines for nginx 1.22.1-9: redis-server 5:7.0.15 | git 2.39"]);
});

it("records may have blank lines and a word that only some of them change, and at most twelve lines", () => {
  const machine = (name: string, zone: string) => [`machine ${name} in zone ${zone}`, "", "  runs the ordinary image of all machines"];
  const texts = [...machine("m1", "eu"), ...machine("m2", "eu"), ...machine("m3", "us")];
  expect(fold(texts)).toEqual([...machine("m1", "eu"), "+2 × 3 lines for m1 eu: m2 eu | m3 us"]);
  const long = (name: string, length: number) =>
    Array.from({ length }, (_, n) => `${name} says line ${n} of what ${"it ".repeat(n + 1)}says`);
  expect(fold([...long("one", 12), ...long("two", 12)])).toHaveLength(13);
  expect(fold([...long("one", 13), ...long("two", 13)])).toHaveLength(26);
});

it("a record that tells of an error is none, and stays as it is", () => {
  const texts = [...about("nginx", "1.22.1-9"), ...about("redis", "failed: not found"), ...about("git", "2.39")];
  expect(fold(texts)).toEqual(texts);
});

it("a word that differs in one place and not in another is not said once", () => {
  const texts = [
    "alpha uses port 80 of host 80",
    "  and listens on all of its addresses",
    "alpha uses port 81 of host 80",
    "  and listens on all of its addresses",
  ];
  expect(fold(texts)).toEqual(texts);
});

const word = fc.constantFrom("a", "b", "c", "12", "7.0", "x:", "x", "(b)", "|", "for", "same", "+1", "lines");
const record = fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 });
const records = fc
  .tuple(record, fc.array(fc.array(fc.tuple(word, word), { maxLength: 3 }), { maxLength: 5 }))
  .map(([first, others]) => [
    first,
    ...others.map((changes) => first.map((line) => line.map((each) => changes.find(([from]) => from === each)?.[1] ?? each))),
  ])
  .map((all) =>
    all.flatMap((lines) => lines.map((words, n) => `${"  ".repeat(n)}${words.join(" ")} and the same long words in every record`)),
  );

it("every line of a record can be read back, whatever its words are", () => {
  fc.assert(
    fc.property(records, (texts) => {
      const before = texts.map(printedLine);
      const after = foldRecords(before);
      expect(sumOf(after)).toEqual(sumOf(before));
      const rebuilt: string[] = [];
      for (const { text } of after) {
        const length = Number(/^\+\d+ × (\d+) lines for /.exec(text)?.[1] ?? 0);
        if (length === 0) rebuilt.push(text);
        else rebuilt.push(...(rebuildRecords(rebuilt.slice(-length), text) ?? []));
      }
      expect(rebuilt).toEqual(texts);
    }),
    { numRuns: 300 },
  );
});
