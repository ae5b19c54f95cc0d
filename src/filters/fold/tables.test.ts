import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printedLine, sumOf } from "../line.ts";
import { squeezeTables } from "./tables.ts";

const squeeze = (lines: readonly string[]): string[] => squeezeTables(lines.map(printedLine)).map(({ text }) => text);

describe("a table", () => {
  it("loses the blanks that line up its columns, and keeps its empty cells", () => {
    expect(
      squeeze([
        "% time     seconds     calls    errors syscall",
        "------ ----------- --------- --------- --------",
        " 60.56    0.001253        62           getdents",
        " 13.29    0.000275        64        13 openat",
        "  0.00    0.000000         1           rseq",
        "------ ----------- --------- --------- --------",
        "100.00    0.001528       127        13 total",
      ]),
    ).toEqual([
      "% time  seconds calls errors syscall",
      "60.56 0.001253 62 - getdents",
      "13.29 0.000275 64 13 openat",
      "0.00 0.000000 1 - rseq",
      "100.00 0.001528 127 13 total",
    ]);
  });

  it("says once what all its rows have in a column, and names the column", () => {
    expect(
      squeeze(["USER   PID TTY   COMMAND", "dev      8 ?     node -e 1", "dev     35 ?     php", "dev    107 ?     sleep 20"]),
    ).toEqual(["PID COMMAND (all: USER=dev, TTY=?)", "8  node -e 1", "35 php", "107  sleep 20"]);
  });

  it("says an empty cell otherwise where a cell is a dash", () => {
    expect(squeeze(["NAME     SIZE    OWNER", "a.txt    12      ada", "b.txt            ada lo", "c.txt    -       bob"])).toContain(
      'b.txt ""  ada lo',
    );
  });

  it("ends where another one begins", () => {
    const [first, second] = [
      ["Name      Size   Used", "alpha     12G    3G", "beta      40G    7G", "gamma     40G    9G", "delta     1G     0G"],
      ["              total     free", "Mem:           4096      812", "Swap:             0        0"],
    ];
    expect(squeeze([...first!, ...second!])).toEqual([
      "Name Size Used",
      "alpha 12G 3G",
      "beta 40G 7G",
      "gamma 40G 9G",
      "delta 1G 0G",
      " total free",
      "Mem: 4096 812",
      "Swap: 0 0",
    ]);
  });

  it("ends where the rule below other names has another shape, and columns with a stroke of their own may be empty", () => {
    expect(
      squeeze([
        "status    n   total",
        "--------  --  -----",
        "pending   8   420.0",
        "shipped   16  840.0",
        "cid  name    type     notnull  dflt  pk",
        "---  ------  -------  -------  ----  --",
        "0    id      INTEGER  0              1",
        "1    status  TEXT     1              0",
      ]),
    ).toEqual([
      "status n total",
      "pending 8 420.0",
      "shipped 16 840.0",
      "cid name type notnull pk (empty: dflt)",
      "0 id INTEGER 0 1",
      "1 status TEXT 1 0",
    ]);
  });

  it("loses what is drawn around it: rules, bars and boxes", () => {
    const cells = ["Case Mean Rounds", "parse 1.2 ms 10", "emit 0.8 ms 20"];
    expect(
      squeeze([
        " Case  |  Mean  | Rounds ",
        "-------+--------+--------",
        " parse | 1.2 ms |     10",
        " emit  | 0.8 ms |     20",
        "(2 rows)",
      ]),
    ).toEqual([...cells, "(2 rows)"]);
    expect(
      squeeze([
        "+-------+--------+--------+",
        "| Case  | Mean   | Rounds |",
        "+=======+========+========+",
        "| parse | 1.2 ms | 10     |",
        "+-------+--------+--------+",
        "| emit  | 0.8 ms | 20     |",
        "+-------+--------+--------+",
      ]),
    ).toEqual(cells);
    expect(
      squeeze([
        "┏━━━━━━━┳━━━━━━━━┳━━━━━━━━┓",
        "┃ Case  ┃ Mean   ┃ Rounds ┃",
        "┡━━━━━━━╇━━━━━━━━╇━━━━━━━━┩",
        "│ parse │ 1.2 ms │ 10     │",
        "│ emit  │ 0.8 ms │ 20     │",
        "└───────┴────────┴────────┘",
      ]),
    ).toEqual(cells);
    expect(squeeze(["| Case | Mean | Rounds |", "|------|:----:|-------:|", "| parse | 1.2 ms | 10 |", "| emit | 0.8 ms | 20 |"])).toEqual(
      cells,
    );
  });

  it("is left alone where rules part rows of several lines, or rows have unequal cells", () => {
    const stacked = ["| a | b |", "+---+---+", "| 1 | x |", "|   | y |", "+---+---+", "| 2 | z |", "+---+---+", "| 3 | z |"];
    expect(squeeze(stacked)).toEqual(stacked);
    const torn = ["| a | b |", "|---|---|", "| 1 | x | y |", "| 2 | z |"];
    expect(squeeze(torn)).toEqual(torn);
  });

  it("has its cells side by side where a sign stood between them, and an empty one stays", () => {
    expect(squeeze(["id\tstate\tat", "1\tdone\tnoon sharp", "2\t\tdusk"])).toEqual(["id state at", "1 done  noon sharp", "2 - dusk"]);
    expect(squeeze(["1|ada lo|3.5|shipped", "2|bob|7.0|shipped", "3||1.0|shipped", "4|eve|2.0|shipped"])).toEqual([
      "1  ada lo  3.5 shipped",
      "2 bob 7.0 shipped",
      "3 - 1.0 shipped",
      "4 eve 2.0 shipped",
    ]);
    expect(squeeze(["git | 1:2.39.5 | main", "git | 1:2.39.2 | security", "curl | 7.88.1 | main"])).toEqual([
      "git 1:2.39.5 main",
      "git 1:2.39.2 security",
      "curl 7.88.1 main",
    ]);
    const prose = ["one, two, three, four", "five, six, seven, eight", "a, b, c, d", "e, f, g, h"];
    expect(squeeze(prose)).toEqual(prose);
  });

  it("is not seen in what a compiler points at, nor in a drawn tree", () => {
    const code = ["    5 | int  main(int  argc)", "      |      ^~~~      ~~~~", "    6 | int  x  =  argc;", "      |      ^"];
    const tree = ["├── a    1  x", "├── b    2  y", "└── c    3  z"];
    expect(squeeze(code)).toEqual(code);
    expect(squeeze(tree)).toEqual(tree);
  });
});

const cell = fc.stringMatching(/^[a-z0-9.:/]{0,12}$/);
const table = fc
  .tuple(fc.integer({ min: 3, max: 6 }), fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { minLength: 3, maxLength: 12 }))
  .map(([width, rows]) => rows.map((cells) => cells.slice(0, width)));

it("every word of a table is still there after its blanks went, in its line and order, or said for all", () => {
  fc.assert(
    fc.property(table, (rows) => {
      const widths = rows[0]!.map((_, n) => Math.max(...rows.map((cells) => cells[n]!.length)));
      const texts = rows.map((cells) =>
        cells
          .map((each, n) => each.padEnd(widths[n]! + 2))
          .join("")
          .trimEnd(),
      );
      const before = texts.map(printedLine);
      const after = squeezeTables(before);
      expect(sumOf(after)).toEqual(sumOf(before));
      expect(after.map(({ text }) => text).join("\n").length).toBeLessThanOrEqual(texts.join("\n").length + 60);
      const said = after.flatMap(({ text }) => [...text.matchAll(/\(all: (.*)\)$/g)].map(([, each]) => each!)).join(" ");
      const shown = after.map(({ text }) => text).join("\n");
      for (const value of texts.flatMap((text) => text.split(/\s+/).filter((each) => each !== "")))
        expect(shown.includes(value) || said.includes(value)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
