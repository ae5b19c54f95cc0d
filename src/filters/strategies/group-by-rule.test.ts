import { describe, expect, it } from "vitest";
import { filterText } from "../filter.ts";
import { printedLine, sumOf } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { groupByRule } from "./group-by-rule.ts";

const apply = groupByRule.build(groupByRule.options.parse({}), () => () => false);
const group = (texts: readonly string[]) =>
  apply({ lines: texts.map(printedLine), exitCode: 1, subject: { forms: [], words: [], verbatim: null } });
const shown = (texts: readonly string[]) => group(texts)!.lines.map(({ text }) => text);

describe("few", () => {
  it("are told one by one, with the column; the source where the message names nothing", () => {
    expect(
      shown(["src/a.c:7:6: error: expected expression", "    7 |   x = ;", "      |       ^", "src/a.c:9:1: warning: unused variable ‘y’"]),
    ).toEqual(["src/a.c:7:6: error: expected expression", "  x = ;", "src/a.c:9:1: warning: unused variable ‘y’"]);
  });

  it("say the same thing once", () => {
    expect(shown(["a.ts(1,2): error TS1: no", "b.ts(3,4): error TS1: no"])).toEqual(["error TS1: no", " a.ts:1:2 b.ts:3:4"]);
  });
});

describe("many", () => {
  const times = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n + 1));

  it("by message, when it is said of several places", () => {
    expect(shown(times(12, (n) => `src/f${n % 2}.ts(${n},1): error TS1: no`))).toEqual([
      "error TS1: no",
      " src/f1.ts lines 1,3,5,7,9,11 src/f0.ts lines 2,4,6,8,10,12",
    ]);
  });

  it("by file, when every message is another", () => {
    const words = "ape bee cat dog eel fox gnu hen ibis jay kite".split(" ");
    expect(shown(words.map((word, n) => `src/f.ts(${n + 1},1): error TS1: ${word}`))).toEqual([
      "src/f.ts",
      ...words.map((word, n) => ` ${n + 1} error TS1: ${word}`),
    ]);
  });

  it("names that differ stand with their places", () => {
    expect(shown(times(11, (n) => `src/f.ts(${n},1): error TS2304: Cannot find name 'x${n}'.`))).toEqual([
      "error TS2304: Cannot find name '…'.",
      ` src/f.ts lines ${times(11, (n) => `${n} 'x${n}'`).join(",")}`,
    ]);
  });

  it("names that are no plain words stay in their messages", () => {
    const lines = times(11, (n) => `src/f.ts(${n},1): error TS2315: Type '${n < 4 ? `Hash<H${n}>` : `x${n}`}' is not generic.`);
    expect(shown(lines)).toContain(" 1 error TS2315: Type 'Hash<H1>' is not generic.");
    expect(shown(lines).join("\n")).not.toMatch(/Hash<H\d>(?!' is not generic)/);
  });

  it("two names that differ stay in their messages", () => {
    const lines = times(17, (n) => `src/f.ts(${n},1): error TS2322: Type 'a${n}' is not 'b${n}'.`);
    expect(shown(lines)[3]).toBe(" 3 error TS2322: Type 'a3' is not 'b3'.");
  });

  it("files of which the same lines are meant stand together", () => {
    const lines = [1, 2, 3, 4].flatMap((n) => [`f${n}.ts(1,1)`, `f${n}.ts(7,1)`, `g${n}.ts(${n},1)`]);
    expect(shown(lines.map((place) => `${place}: error TS1: no`))).toEqual([
      "error TS1: no",
      " g1.ts:1 g2.ts:2 g3.ts:3 g4.ts:4",
      " lines 1,7 of f1.ts f2.ts f3.ts f4.ts",
    ]);
  });

  it("files without a message are said to need formatting", () => {
    const check = times(20, (n) => `[warn] src/f${n}.ts`);
    expect(shown(["Checking formatting...", ...check]).slice(0, 2)).toEqual(["Checking formatting...", "needs formatting:"]);
    expect(shown(["Checking formatting...", check[0]!])[1]).toBe("src/f1.ts: needs formatting");
  });

  it("three names that differ would be a riddle: each is said in full", () => {
    const lines = times(17, (n) => `src/f.ts(${n},1): error TS1: '${"x".repeat(n)}' of '${"y".repeat(n)}' hides '${"z".repeat(n)}'`);
    expect(shown(lines)[3]).toBe(" 3 error TS1: 'xxx' of 'yyy' hides 'zzz'");
  });

  it("but not very many are told with their columns where together they would be hardly shorter", () => {
    const lines = times(14, (n) => `f${n}.c:${n}:7: error: wrong${" in its own way".repeat(n)}`);
    expect(shown(lines)[2]).toBe("f3.c:3:7: error: wrong in its own way in its own way in its own way");
  });

  it("are told with each source line once, and with no long one", () => {
    const lines = [
      "a.c:1:1: error: not this way",
      "go();",
      "^",
      "a.c:1:4: error: nor that way",
      "go();",
      "   ^",
      "a.c:2:1: error: nor like this",
      "x".repeat(120),
      "^",
    ];
    expect(shown(lines)).toEqual([
      "a.c:1:1: error: not this way",
      "  go();",
      "a.c:1:4: error: nor that way",
      "a.c:2:1: error: nor like this",
    ]);
  });

  it("say the folder of all once", () => {
    const lines = times(12, (n) => `/home/dev/shop/src/f${n % 3}.ts(${n},1): error TS1: no`);
    expect(shown(lines)[0]).toBe("(in /home/dev/shop/src/)");
    expect(shown(lines).slice(1).join("\n")).not.toContain("/home");
  });
});

describe("what stands between", () => {
  it("is kept, in its place", () => {
    expect(shown(["start", "a.ts(1,2): error TS1: no", "", "half way", "b.ts(3,4): error TS1: yes", "Found 2 errors."])).toEqual([
      "start",
      "a.ts:1:2: error TS1: no",
      "half way",
      "b.ts:3:4: error TS1: yes",
      "Found 2 errors.",
    ]);
  });

  it("does not part a row from its file", () => {
    expect(shown(["/home/dev/a.js", "  1:2  error  one  x", "ERROR: disk full", "  3:4  error  two  y"])).toEqual([
      "/home/dev/a.js:1:2: error: one (x)",
      "ERROR: disk full",
      "/home/dev/a.js:3:4: error: two (y)",
    ]);
  });

  it("a bad line below a caret is no proposal", () => {
    expect(shown(["a.c:1:2: error: 'x' is gone", "int y;", "    ^", "  Killed"]).join("\n")).toContain("Killed");
    expect(shown(["a.c:1:2: error: 'x' is gone", "int y;", "    ^", "    =="])).toEqual(["a.c:1:2: error: 'x' is gone"]);
  });

  it("what a compiler expected in a header of the system stays, and its candidates there go", () => {
    const error = "a.c:4:10: warning: passing argument 1 of 'strlen' makes pointer from integer without a cast";
    const note = "/usr/include/string.h:407:35: note: expected 'const char *' but argument is of type 'int'";
    const candidate = "/usr/include/c++/12/bits/basic_string.h:6: note: candidate: 'void f(int)'";
    const frame = ["  407 | extern size_t strlen (const char *__s)", "      |               ~~~~~~~~~~~~^~~"];
    expect(shown([error, "    4 |   strlen(x);", "      |          ^", note, ...frame])).toContain(note);
    expect(shown([error, "    4 |   strlen(x);", "      |          ^", candidate, ...frame])).not.toContain(candidate);
  });

  it("repetitions at the end are told once and counted", () => {
    const { lines } = group(["a.cs(1,2): error CS1: no", "Build FAILED.", "a.cs(1,2): error CS1: no", "    1 Error(s)"])!;
    expect(lines.map(({ text }) => text)).toEqual(["a.cs:1:2: error CS1: no", "Build FAILED.", "    1 Error(s)"]);
    expect(sumOf(lines)).toEqual({ covers: 3, errors: 4 });
  });
});

it("a text without diagnostics is left alone", () => expect(group(["all is well", "12:30:05: error: disk full"])).toBeNull());

it("what was grouped is not read again", () => {
  const first = group(["a.ts(1,2): error TS1: no", "b.ts(3,4): error TS1: yes"])!;
  expect(apply({ lines: first.lines, exitCode: 1, subject: { forms: [], words: [], verbatim: null } })).toBeNull();
});

it("one alone is not enough where nobody knows the command", () => {
  const careful = groupByRule.build(groupByRule.options.parse({ at_least: 2 }), () => () => false);
  const about = { exitCode: 1, subject: { forms: [], words: [], verbatim: null } } as const;
  const one = printedLine("a.ts(1,2): error TS1: no");
  expect(careful({ lines: [one], ...about })).toBeNull();
  expect(careful({ lines: [one, printedLine("b.c:1:2: error: other"), printedLine("b.c:3:2: error: more")], ...about })!.lines[0]).toBe(
    one,
  );
});

describe("the rules that use it", () => {
  const raw = Array.from({ length: 12 }, (_, n) => `src/a.c:${n + 1}:2: error: no`).join("\n");
  const filtered = (command: string) => filterText({ command, raw, exitCode: 1 }, builtInRules());

  it.each(["gcc -c src/a.c", "make", "npm run lint", "./ci.sh", "cd web && just check"])("%s", (command) => {
    expect(filtered(command).text).toBe("error: no\n src/a.c lines 1,2,3,4,5,6,7,8,9,10,11,12");
  });

  it.each(["rg -n error: src", "grep -rn error: .", "git grep -n error:", "cat build.out"])(
    "lines that were searched for or read are none of theirs: %s",
    (command) => {
      expect(filtered(command).steps.filter(({ strategy }) => strategy === "group_by_rule")).toEqual([]);
    },
  );
});

describe("hostile text is read in time", () => {
  const HOSTILE = ["a.c:", "(", "'", "a_", "^ ", "| ", " --> ", "1:1 ", "  ", "╭─[", "━", "a(", "note: ", "`"];
  it.each(HOSTILE)("%j", (part) => {
    const long = part.repeat(8000 / part.length);
    const heads = ["src/a.c:1:1: error: ", "error: ", "CMake Error at ", "In file included from ", "  1:1  error  ", "ERROR in ", "vet: "];
    group(Array.from({ length: 400 }, (_, n) => (n % 8 === 7 ? long : heads[n % 8]! + long)));
    group(Array.from({ length: 8000 }, () => part));
  });

  it("one file with more rows than a call takes arguments", () => {
    const rows = Array.from({ length: 150_000 }, (_, n) => `  ${n}:1  error  no  x`);
    expect(shown(["/a/b.js", ...rows]).length).toBeLessThan(4);
  });
});

describe("the same words of one line", () => {
  it("are counted where they are said of several columns", () => {
    const others = Array.from({ length: 10 }, (_, n) => `  ${n + 3}:1  error  'a' is not defined  no-undef`);
    const z = (column: number) => `  2:${column}  error  'z' is not defined  no-undef`;
    expect(shown(["/p/a.js", z(16), z(20), ...others]).join("\n")).toContain("2 (2 times) error: 'z' is not defined");
    expect(shown(["/p/a.js", z(16), z(16), ...others]).join("\n")).not.toContain("times");
  });

  it("are told apart by a caret where no column is named", () => {
    const at = (caret: number, margin = "") =>
      ["A.java:2: error: int cannot be a String", "  f(3); g(4);", `${" ".repeat(caret)}^`].map((text, n) =>
        n === 0 ? text : margin + text,
      );
    expect(shown([...at(4), ...at(10)])).toEqual(["error: int cannot be a String", " A.java:2 (2 times)"]);
    expect(shown([...at(4), ...at(4)])).toEqual(["A.java:2: error: int cannot be a String", "  f(3); g(4);"]);
    // The second time it is only moved to the right, or without a caret.
    expect(shown([...at(4), ...at(4, "  ")])).toEqual(["A.java:2: error: int cannot be a String", "  f(3); g(4);"]);
    expect(shown([...at(4), at(4)[0]!])).toEqual(["A.java:2: error: int cannot be a String", "  f(3); g(4);"]);
  });
});
