import { describe, expect, it } from "vitest";
import { printedLine } from "../line.ts";
import { shortCoverage } from "./coverage.ts";

const short = (text: string): string =>
  shortCoverage(text.split("\n").map(printedLine))
    .map((line) => line.text)
    .join("\n");

describe("a table of coverage", () => {
  it("of istanbul keeps rows of which something is missed, its sums, and no padding", () =>
    expect(
      short(`done
----------|---------|----------|---------|---------|-------------------
File      | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s
----------|---------|----------|---------|---------|-------------------
All files |     100 |      100 |     100 |     100 |
 src      |     100 |      100 |     100 |     100 |
  a.ts    |     100 |      100 |     100 |     100 |
  b.ts    |   91.66 |       50 |     100 |   91.66 | 12-14
----------|---------|----------|---------|---------|-------------------
bye   now
 c.ts     |     100 |      100 |     100 |     100 |`),
    ).toBe(`done
File | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s
All files | 100 | 100 | 100 | 100
  b.ts | 91.66 | 50 | 100 | 91.66 | 12-14
bye   now
 c.ts     |     100 |      100 |     100 |     100 |`));

  it("of coverage.py keeps rows of which something is missed, and its sum", () =>
    expect(
      short(`Name         Stmts   Miss  Cover   Missing
------------------------------------------
app/a.py        12      0   100%
app/b.py        40      3    92%   7-9
------------------------------------------
TOTAL           52      0   100%

10 passed`),
    ).toBe(`Name Stmts Miss Cover Missing
app/b.py 40 3 92% 7-9
TOTAL 52 0 100%

10 passed`));

  it("of Go keeps functions of which something is missed, and its sum", () =>
    expect(
      short(`example.org/x/a.go:12:\t\tOpen\t\t100.0%
example.org/x/a.go:30:\t\tClose\t\t66.7%
total:\t\t\t(statements)\t100.0%
a.go:3:4: 100.0%`),
    ).toBe(`example.org/x/a.go:30: Close 66.7%
total: (statements) 100.0%
a.go:3:4: 100.0%`));

  it("is looked for in other texts and not found, so that these stay the lines they are", () => {
    const lines = ["File a.ts", "Name of the rose", "main.go:12: not a table", "----", "x | 100 | 100 | 100 | 100 |"].map(printedLine);
    expect(shortCoverage(lines)).toEqual(lines);
    const plain = ["nothing", "of the kind"].map(printedLine);
    expect(shortCoverage(plain)).toBe(plain);
  });
});
