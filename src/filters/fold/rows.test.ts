import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printedLine, sumOf } from "../line.ts";
import { looksFolded, rebuildRows } from "./notation.ts";
import { foldRows } from "./rows.ts";

const fold = (text: string): string =>
  foldRows(text.split("\n").map(printedLine))
    .map(({ text }) => text)
    .join("\n");

/** The words of every row, read back from a folded text as a program would. */
function unfold(text: string): string[] {
  const lines = text.split("\n");
  const rows: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (!looksFolded(lines[at]!)) {
      rows.push(wordsOf(lines[at]!).join(" "));
      continue;
    }
    const first = wordsOf(rows.at(-1)!);
    let folded = lines[at]!.trim();
    // A folded line that is too wide goes on in the next ones.
    while (rebuildRows(first, folded) === null && at + 1 < lines.length) folded += ` ${lines[++at]!.trim()}`;
    rows.push(...(rebuildRows(first, folded) ?? []).map((words) => words.join(" ")));
  }
  return rows;
}

const wordsOf = (text: string): string[] => text.trim().split(/\s+/);

describe("rows of one shape", () => {
  it("are said once, with what differs in the others", () => {
    const compile = (file: string) => `cc -std=c99 -O2 -Wall -Wextra -c ${file}`;
    expect(fold(["alloc.c", "net.c", "sds.c", "read.c"].map(compile).join("\n"))).toBe(
      "cc -std=c99 -O2 -Wall -Wextra -c alloc.c\n+3 for alloc.c: net.c sds.c read.c",
    );
  });

  it("may differ in several places, and in how many words they end with", () => {
    const rows = [
      "alice 12 has surely read nearly all of the whole long book",
      "alice 7 has surely read nearly all of the news",
      "alice 401 has surely read nearly all of the menu twice",
      "alice 3 has surely read nearly all of the map",
    ];
    expect(fold(rows.join("\n"))).toBe(
      "alice 12 has surely read nearly all of the whole long book\n+3 for 12 … whole long book: 7 news | 401 menu twice | 3 map",
    );
  });

  it("share the folder of their files", () => {
    const rows = [12, 4, 190, 77, 5, 61].map((size, n) => `${String(size).padStart(6)} ./src/filters/text/file${n}.ts`);
    expect(fold(rows.join("\n"))).toBe(
      `${rows[0]}\n+5 for 12 … file0.ts: 4 file1.ts | 190 file2.ts | 77 file3.ts | 5 file4.ts | 61 file5.ts`,
    );
  });

  it("must be three, and win enough to be worth it", () => {
    const row = (name: string) => `the very same words in every one of these rows ${name}`;
    expect(fold(["a", "b", "c"].map(row).join("\n"))).toBe(`${row("a")}\n+2 for a: b c`);
    expect(fold(["a", "b"].map(row).join("\n"))).toBe(`${row("a")}\n${row("b")}`);
    expect(fold("is a\nis b\nis c")).toBe("is a\nis b\nis c");
  });

  it("begin a run of their own where they are more like the next ones", () => {
    const [one, other] = [
      (name: string) => `built ${name} for the old target in release mode`,
      (name: string) => `built ${name} for every new board with tests and docs`,
    ];
    expect(
      fold(
        [..."abcd"]
          .map(one)
          .concat([..."efgh"].map(other))
          .join("\n"),
      ),
    ).toBe(`${one("a")}\n+3 for a: b c d\n${other("e")}\n+3 for e: f g h`);
  });

  it("name enough words to tell which place is meant", () => {
    const rows = [
      "load 0 of shard 0 is high today",
      "load 0 of shard 1 is high today",
      "load 0 of shard 2 is high today",
      "load 0 of shard 3 is high today",
    ];
    expect(fold(rows.join("\n"))).toBe(`${rows[0]}\n+3 for shard 0: shard 1 | shard 2 | shard 3`);
  });

  it("stay as they are where they tell of errors, which begin no run and join none", () => {
    const rows = [
      "copied a.txt to the shared host",
      "copied b.txt to the shared host",
      "cannot copy c.txt to the shared host",
      "copied d.txt to the shared host",
    ];
    expect(fold(rows.join("\n"))).toBe(rows.join("\n"));
  });

  it("stay as they are where they are the frames of a trace, which lead to an error", () => {
    for (const frame of [
      '  File "/home/dev/app/worker.py", line N, in step',
      "  /home/dev/app/worker.py:N in step",
      "    at step (/home/dev/app/worker.js:N:7)",
    ]) {
      const trace = [12, 31, 40, 52, 61, 75].map((line) => frame.replace("N", String(line))).join("\n");
      expect(fold(trace)).toBe(trace);
    }
  });

  it("stay as they are where the text already has lines that look like ours", () => {
    const rows = ["say one two three four a", "say one two three four b", "say one two three four c", "+2 for x: y z"];
    expect(fold(rows.join("\n"))).toBe(rows.join("\n"));
  });

  it("stay apart where they begin further in, because that may mean something", () => {
    const rows = ["the same words in a row a", "  the same words in a row b", "    the same words in a row c"];
    expect(fold(rows.join("\n"))).toBe(rows.join("\n"));
  });
});

const word = fc.oneof(
  fc.stringMatching(/^[a-z]{1,6}$/),
  fc.stringMatching(/^\d{1,4}$/),
  fc.constantFrom("|", "…", "for", "+2", "a:", ":", "-", "0", "x", "src/a/b.ts", "src/a/c.ts", "lib/b.ts", "/", "{}", "b.ts"),
);
/** Rows of a few shapes, mixed: some words of a shape stay, others are new in each row. */
const rows = fc
  .array(
    fc.tuple(
      fc.array(word, { minLength: 3, maxLength: 7 }),
      fc.array(fc.array(fc.tuple(fc.nat(6), word), { maxLength: 3 }), { maxLength: 8 }),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  .map((shapes) =>
    shapes.flatMap(([shape, others]) => [
      shape,
      ...others.map((changes) => changes.reduce((row, [at, value]) => row.with(at % row.length, value), shape)),
    ]),
  )
  .map((all) => all.map((words) => words.join(" ")));

it("every row can be read back from a folded text, whatever its words are", () => {
  fc.assert(
    fc.property(rows, (texts) => {
      const before = texts.map(printedLine);
      const after = foldRows(before);
      expect(sumOf(after)).toEqual(sumOf(before));
      if (texts.some(looksFolded)) expect(after).toBe(before);
      else expect(unfold(after.map(({ text }) => text).join("\n"))).toEqual(texts.map((text) => wordsOf(text).join(" ")));
    }),
    { numRuns: 400 },
  );
});

it("a text that is folded again stays as it is, and none gets longer", () => {
  fc.assert(
    fc.property(rows, (texts) => {
      const once = fold(texts.join("\n"));
      expect(once.length).toBeLessThanOrEqual(texts.join("\n").length);
      expect(fold(once)).toBe(once);
    }),
    { numRuns: 200 },
  );
});
