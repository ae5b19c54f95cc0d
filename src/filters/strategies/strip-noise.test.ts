import { describe, expect, it } from "vitest";
import { printedLine, sumOf } from "../line.ts";
import { trustedPattern, untrustedPattern } from "../patterns.ts";
import type { Test } from "../strategy.ts";
import { stripNoise } from "./strip-noise.ts";

type Options = Partial<Parameters<typeof stripNoise.options.parse>[0] & object>;

const subject = { forms: [], words: [], verbatim: null };
function strip(options: Options, text: string, compile: (pattern: string) => Test = trustedPattern) {
  const lines = text.split("\n").map(printedLine);
  const result = stripNoise.build(stripNoise.options.parse({ patterns: [], ...options }), compile)({ lines, exitCode: 0, subject })!;
  const { covers, errors } = sumOf(lines);
  const kept = sumOf(result.lines);
  const left = { lines: covers - kept.covers, errors: errors - kept.errors - (result.harmless ?? 0) };
  return { text: result.lines.map((line) => line.text).join("\n"), confidence: result.confidence, left };
}

describe("a very long output", () => {
  const long = (at: number): string => Array.from({ length: 20_000 }, (_, n) => (n === at ? "get a" : `said ${n}`)).join("\n");
  const left = (at: number): number => strip({ patterns: ["^get "] }, long(at)).left.lines;

  it("is read to its end where something known is at its beginning, at its end or anywhere it is looked at", () =>
    expect([7, 19_993, 1000 + 20 * 37].map(left)).toEqual([1, 1, 1]));

  it("stays as it is where what is known stands alone between lines that are looked at", () => expect(left(1000 + 20 * 37 + 1)).toBe(0));
});

describe("patterns", () => {
  it("lines that match are left out, and counted", () =>
    expect(strip({ patterns: ["^get "] }, "get a\nstored\nget b")).toEqual({
      text: "stored",
      confidence: "Full",
      left: { lines: 2, errors: 0 },
    }));

  it("nothing to leave out: Fallback", () => expect(strip({ patterns: ["^get "] }, "stored").confidence).toBe("Fallback"));

  it("errors among them are counted, unless they are known to be none", () => {
    const text = "get http-error\nget can't be cached\nerror: full";
    expect(strip({ patterns: ["^get "] }, text).left).toEqual({ lines: 2, errors: 2 });
    expect(strip({ patterns: ["^get "], harmless: true }, text).left).toEqual({ lines: 2, errors: 0 });
    expect(strip({ patterns: ["^get "], harmless: true }, text).text).toBe("error: full");
  });

  it("when all is noise, the last of it stays", () => expect(strip({ patterns: ["^get "] }, "get 1%\nget 80%\n").text).toBe("get 80%"));

  it("patterns that refer back keep their groups beside others", () =>
    expect(strip({ patterns: ["^(a)x", String.raw`^(\d+)/\1$`] }, "ax\n3/3\n3/4").text).toBe("3/4"));

  it("patterns of others run on the linear engine", () => {
    expect(strip({ patterns: ["^get ", "^put "] }, "get a\nput b\nc", untrustedPattern).text).toBe("c");
    expect(() => strip({ patterns: ["(?=a)"] }, "a", untrustedPattern)).toThrow();
    expect(() => strip({ replace: [{ pattern: "(?=a)", with: "b" }] }, "a", untrustedPattern)).toThrow();
  });
});

describe("blocks", () => {
  const blocks = [["^Usage:", "^  -", "^See "]];

  it("neighbouring lines go together", () =>
    expect(strip({ blocks }, "failed: no lock\nUsage: x\n  --a\n  --b\nSee help\ndone").text).toBe("failed: no lock\ndone"));

  it("a block that is not complete is none", () => {
    const text = "Usage: x\n  --a\ndone\nSee help";
    expect(strip({ blocks }, text).text).toBe(text);
  });

  it("a line in between breaks it", () => {
    const text = "Usage: x\n  --a\nERROR: disk full\n  --b\nSee help";
    expect(strip({ blocks }, text).text).toBe(text);
  });

  it("one begins where another broke off", () =>
    expect(strip({ blocks }, "Usage: x\n  --a\nUsage: y\n  --b\nSee help").text).toBe("Usage: x\n  --a"));

  it("looks at every line about once, however often one begins", () => {
    let tests = 0;
    const counting = (pattern: string): Test => {
      const test = trustedPattern(pattern);
      return (line) => {
        tests++;
        return test(line);
      };
    };
    strip({ blocks: [["^a", "^[ab]", "^c"]] }, "a\nb\n".repeat(5000), counting);
    expect(tests).toBeLessThan(60_000);
  });
});

describe("replace", () => {
  it.each([trustedPattern, untrustedPattern])("the first pattern that matches says it more shortly (%o)", (compile) => {
    const replace = [
      { pattern: "^npm (code .*)$", with: "$1" },
      { pattern: "^npm (.*)$", with: "> $1" },
    ];
    expect(strip({ replace }, "npm code E404\nnpm not here\nother", compile)).toEqual({
      text: "code E404\n> not here\nother",
      confidence: "Full",
      left: { lines: 0, errors: 0 },
    });
  });

  it("neighbours with a label become one line, which stands for all of them", () => {
    const replace = [{ pattern: String.raw`^old (\S+): .*$`, with: "$1", label: "old: " }];
    const { text, left } = strip({ replace }, "old a@1: failed us\nold b@2: too slow\nERROR: disk full\nold c@3: bad");
    expect(text).toBe("old: a@1, b@2\nERROR: disk full\nold: c@3");
    expect(left).toEqual({ lines: 0, errors: 0 });
  });

  it("neighbours of another kind begin a line of their own", () => {
    const replace = [
      { pattern: "^get (.*)$", with: "$1", label: "got " },
      { pattern: "^put (.*)$", with: "$1", label: "kept " },
    ];
    expect(strip({ replace }, "get a\nget b\nput c\nget d").text).toBe("got a, b\nkept c\ngot d");
  });

  it("of a person's pattern the linear engine makes the replacement too", () =>
    expect(strip({ replace: [{ pattern: "(?i)^old (.*)$", with: "$1" }] }, "OLD a", untrustedPattern).text).toBe("a"));

  it("every place that matches", () => expect(strip({ replace: [{ pattern: "  ", with: " " }] }, "    a  b").text).toBe("  a b"));

  it("what comes out as it went in is no change", () =>
    expect(strip({ replace: [{ pattern: "^(a.*)$", with: "$1" }] }, "abc").confidence).toBe("Fallback"));
});

describe("squeeze", () => {
  const squeeze = (text: string) => strip({ squeeze: true }, text).text;

  it("columns move together, and an empty cell stays one", () =>
    expect(
      squeeze(
        [
          "NAME         STATUS    VOLUME     CAPACITY   AGE",
          "data-db-0    Bound     pvc-1f0c   20Gi       21d",
          "data-db-1    Pending                         4m",
        ].join("\n"),
      ),
    ).toBe("NAME STATUS VOLUME CAPACITY AGE\ndata-db-0 Bound pvc-1f0c 20Gi 21d\ndata-db-1 Pending - - 4m"));

  it("cells with a space in them stay apart", () =>
    expect(squeeze("ID     AGE            NAME\n3f2a   2 weeks ago    web\n9b1c   1 day ago      db")).toBe(
      "ID AGE NAME\n3f2a  2 weeks ago  web\n9b1c  1 day ago  db",
    ));

  it("columns where nothing is go, and what all rows share is said once", () =>
    expect(
      squeeze(
        [
          "NAMESPACE   NAME    READY   GATES",
          "shop        api-1   1/1     <none>",
          "shop        api-2   0/1     <none>",
          "shop        db-0    1/1     <none>",
        ].join("\n"),
      ),
    ).toBe("NAME READY (all: NAMESPACE=shop; empty: GATES)\napi-1 1/1\napi-2 0/1\ndb-0 1/1"));

  it("two columns with the same cells are one with both names", () =>
    expect(
      squeeze(
        [
          "Package   Current   Wanted   Latest   Location",
          "glob      7.2.3     7.2.3    14.0.4   node_modules/glob",
          "q         1.5.1     1.5.1    2.0.3    node_modules/q",
        ].join("\n"),
      ),
    ).toBe("Package Current=Wanted Latest Location\nglob 7.2.3 14.0.4 node_modules/glob\nq 1.5.1 2.0.3 node_modules/q"));

  it("a number in the first row names no column", () =>
    expect(
      squeeze(["0         0         file   a", "12        12        file   b", "731       731       file   c"].join("\n")),
    ).not.toMatch(/=|all:/));

  it("two rows share nothing", () =>
    expect(squeeze("NAMESPACE   NAME    READY\nshop        api-1   1/1\nshop        api-2   1/1")).toBe(
      "NAMESPACE NAME READY\nshop api-1 1/1\nshop api-2 1/1",
    ));

  it("numbers that stand at the right end of their column", () =>
    expect(squeeze("Package  Current   Latest\nexpress   4.22.3    5.3.0\nuuid       3.4.0   14.0.3")).toBe(
      "Package Current Latest\nexpress 4.22.3 5.3.0\nuuid 3.4.0 14.0.3",
    ));

  it("columns with tabs", () =>
    expect(squeeze("NAME   \tREVISION\tSTATUS  \nshop   \t7       \tdeployed\ningress\t2       \tfailed  ")).toBe(
      "NAME REVISION STATUS\nshop 7 deployed\ningress 2 failed",
    ));

  it("a message between the rows stays as it is and ends the table, and so does what comes after", () =>
    expect(
      squeeze("NAME   READY   STATUS\nweb    1/1     Running\nERROR: disk full\ndb     0/1     Pending\n\nsome   text   here   below"),
    ).toBe("NAME READY STATUS\nweb 1/1 Running\nERROR: disk full\ndb     0/1     Pending\n\nsome   text   here   below"));

  it("rows with more or fewer tabs are no table", () => {
    const text = "NAME   \tREVISION\tSTATUS  \nshop   \t7       \nERROR: disk \t full \t now \t here";
    expect(squeeze(text)).toBe(text);
  });

  it.each(["plain words", "Key:    value\nOther:  thing", "  indented   text  without   header"])("no table: %j", (text) =>
    expect(squeeze(text)).toBe(text),
  );

  it("every line is accounted for", () =>
    expect(strip({ squeeze: true }, "A   B   C\n1   2   3\nerror: x   y   z").left).toEqual({ lines: 0, errors: 0 }));
});
