import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterText } from "../filter.ts";
import { printedLine, sumOf } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { readBeginnings, shareBeginnings } from "./beginnings.ts";

const share = (texts: readonly string[]): string[] =>
  shareBeginnings(texts.map(printedLine)).flatMap(({ lines }) => lines.map(({ text }) => text));

describe("rows that begin alike", () => {
  it("say their beginning once, and go on one blank in", () => {
    expect(
      share(["db-1 eu-west-1 running postgres 15.4", "db-1 eu-west-1 running postgres 15.5", "db-1 eu-west-1 stopped redis 7", "web one"]),
    ).toEqual(["db-1 eu-west-1 …", " running postgres 15.4", " running postgres 15.5", " stopped redis 7", "web one"]);
  });

  it("are named by the first word of a beginning that was said before", () => {
    const rows = (letter: string, n: number) => `${letter}0ffee12 (Ada Lovelace 2026-02-11 10:12:14 +0100 ${n}) line ${n}`;
    const told = share([rows("a", 1), rows("b", 2), rows("a", 3), rows("b", 4)]);
    expect(told).toEqual([
      "a0ffee12 (Ada Lovelace 2026-02-11 10:12:14 +0100 …",
      " 1) line 1",
      "b0ffee12 (Ada Lovelace 2026-02-11 10:12:14 +0100 …",
      " 2) line 2",
      "a0ffee12 …",
      " 3) line 3",
      "b0ffee12 …",
      " 4) line 4",
    ]);
  });

  it("stand side by side where each goes on with one word", () => {
    expect(share(["src/filters/fold/a.ts", "src/filters/fold/b.ts", "src/filters/fold/c.ts"])).toEqual([
      "src/filters/fold/… ×3: a.ts b.ts c.ts",
    ]);
  });

  it("are left alone where what follows would be taken for one of them", () => {
    const rows = ["db-1 eu-west-1 a 15.4", "db-1 eu-west-1 b 15.5", "db-1 eu-west-1 c 15.6", "  further in"];
    expect(share(rows)).toEqual(rows);
  });

  it("keep the code of git blame to the last blank, and every commit", () => {
    const code = ["export function add(a, b) {", "  if (a) {", "\treturn a  +  b;", "  }", "", "  return b;", "}"];
    const raw = code.map(
      (text, n) => `${n === 3 ? "5c2615a6" : "^a88520d"} (Ada 2026-02-1${n === 3 ? 2 : 1} 09:00:00 +0000 ${n + 1}) ${text}`,
    );
    const { text, mark } = filterText({ command: "git blame add.js", raw: `${raw.join("\n")}\n`, exitCode: 0 }, builtInRules());
    expect(text.split("\n")[1]).toBe(" 1) export function add(a, b) {");
    expect(readBeginnings(text.split("\n"))).toEqual(raw);
    expect(mark).toBeNull();
  });
});

const word = fc.constantFrom(
  "src/",
  "a.ts",
  "net.ipv4.conf.all.",
  "x",
  "2026-02-11",
  "…",
  "×3:",
  "",
  " ",
  "Ada Lovelace",
  "10:12:14",
  "(b",
);
const line = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(" ").trimEnd());
const family = fc
  .tuple(line, fc.array(line, { minLength: 1, maxLength: 6 }))
  .map(([front, rests]) => rests.map((rest) => `${front} ${rest}`));

it("every line can be read back from what is shared, whatever stands around it", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          family,
          line.map((each) => [each]),
        ),
        { maxLength: 8 },
      ),
      (parts) => {
        const before = parts.flat().map(printedLine);
        const segments = shareBeginnings(before);
        const after = segments.flatMap(({ lines }) => lines);
        const texts = after.map(({ text }) => text);
        expect(segments.some(({ isTold }) => isTold) ? readBeginnings(texts) : texts).toEqual(before.map(({ text }) => text));
        expect(sumOf(after)).toEqual(sumOf(before));
      },
    ),
    { numRuns: 400 },
  );
});
