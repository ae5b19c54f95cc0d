import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isErrorShaped } from "../errors.ts";
import { lineOf, sumOf } from "../line.ts";
import { groupByRule } from "./group-by-rule.ts";

interface Said {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly rule: string;
  readonly message: string;
}

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const message = fc.oneof(
  name.map((one) => `'${one}' is not defined`),
  name.map((one) => `cannot find name '${one}' in this scope`),
  fc.tuple(name, name).map(([one, other]) => `type '${one}' does not fit '${other}'`),
  fc.tuple(name, name, name).map(([a, b, c]) => `'${a}' of '${b}' hides '${c}'`),
  fc.integer({ min: 81, max: 200 }).map((width) => `line too long (${width} of 80)`),
  fc.constantFrom("empty block", "duplicate case label", "unexpected end of input"),
);
const said: fc.Arbitrary<Said> = fc.record({
  file: fc.constantFrom("src/api/routes", "src/api/users", "src/ui/panel", "lib/store", "main"),
  line: fc.integer({ min: 1, max: 300 }),
  column: fc.integer({ min: 1, max: 80 }),
  severity: fc.constantFrom("error", "warning"),
  rule: fc.constantFrom("no-undef", "max-len", "no-empty"),
  message,
});
const several = fc.array(said, { minLength: 1, maxLength: 40 });

/** How tools would write them, and what is then said of each place. */
const TOOLS: Record<
  string,
  { readonly write: (all: readonly Said[]) => readonly string[]; readonly says: (one: Said) => readonly [string, string] }
> = {
  tsc: {
    write: (all) => all.map((one) => `${one.file}.ts(${one.line},${one.column}): ${one.severity} TS${one.rule.length}00: ${one.message}`),
    says: (one) => [`${one.file}.ts`, `${one.severity} TS${one.rule.length}00: ${one.message}`],
  },
  "tsc --pretty": {
    write: (all) =>
      all.flatMap((one) => [
        `${one.file}.ts:${one.line}:${one.column} - ${one.severity} TS1: ${one.message}`,
        "",
        `${one.line} some source here`,
        `${" ".repeat(String(one.line).length + 1 + one.column)}~~~`,
        "",
      ]),
    says: (one) => [`${one.file}.ts`, `${one.severity} TS1: ${one.message}`],
  },
  gcc: {
    write: (all) =>
      all.flatMap((one) => [
        `${one.file}.c: In function ‘run’:`,
        `${one.file}.c:${one.line}:${one.column}: ${one.severity}: ${one.message} [-W${one.rule}]`,
        `${String(one.line).padStart(5)} |   some(source);`,
        `      |   ${" ".repeat(one.column)}^~~~`,
      ]),
    says: (one) => [`${one.file}.c`, `${one.severity}: ${one.message} [-W${one.rule}]`],
  },
  clang: {
    write: (all) =>
      all.flatMap((one) => [
        `${one.file}.c:${one.line}:${one.column}: ${one.severity}: ${one.message}`,
        "  some(source);",
        `${" ".repeat(one.column)}^~~~`,
      ]),
    says: (one) => [`${one.file}.c`, `${one.severity}: ${one.message}`],
  },
  flake8: {
    write: (all) => all.map((one) => `${one.file}.py:${one.line}:${one.column}: E${one.rule.length}01 ${one.message}`),
    says: (one) => [`${one.file}.py`, `E${one.rule.length}01: ${one.message}`],
  },
  go: {
    write: (all) => ["# example.com/shop", ...all.map((one) => `${one.file}.go:${one.line}:${one.column}: ${one.message}`)],
    says: (one) => [`${one.file}.go`, one.message],
  },
  eslint: {
    write: (all) =>
      all.flatMap((one) => [`/home/dev/${one.file}.js`, `  ${one.line}:${one.column}  ${one.severity}  ${one.message}  ${one.rule}`, ""]),
    says: (one) => [`/home/dev/${one.file}.js`, `${one.severity}: ${one.message} (${one.rule})`],
  },
  rustc: {
    write: (all) =>
      all.flatMap((one) => [
        `${one.severity}: ${one.message}`,
        `  --> ${one.file}.rs:${one.line}:${one.column}`,
        "   |",
        `${String(one.line).padStart(2)} |   some(source);`,
        "   |   ^^^^",
        "",
      ]),
    says: (one) => [`${one.file}.rs`, `${one.severity}: ${one.message}`],
  },
  esbuild: {
    write: (all) =>
      all.flatMap((one) => [
        `✘ [ERROR] ${one.message}`,
        "",
        `    ${one.file}.js:${one.line}:${one.column}:`,
        `      ${one.line} │ some(source)`,
        "        ╵   ~~~",
        "",
      ]),
    says: (one) => [`${one.file}.js`, `ERROR: ${one.message}`],
  },
  maven: {
    write: (all) => all.map((one) => `[ERROR] /home/dev/${one.file}.java:[${one.line},${one.column}] ${one.message}`),
    says: (one) => [`/home/dev/${one.file}.java`, `ERROR: ${one.message}`],
  },
};

const apply = groupByRule.build(groupByRule.options.parse({}), () => () => false);
const group = (texts: readonly string[]) =>
  apply({ lines: texts.map(lineOf), exitCode: 1, subject: { forms: [], words: [], verbatim: null } });
const shown = (texts: readonly string[]) => group(texts)!.lines.map(({ text }) => text);

/** Reads our own form back: what is said of which line of which file. */
function told(lines: readonly string[]): Set<string> {
  const facts = new Set<string>();
  let folder = "";
  for (const [n, text] of lines.entries()) {
    const next = lines[n + 1] ?? "";
    if (text.startsWith("(in ")) folder = text.slice(4, -1);
    else if (/^[# ]/.test(text)) continue;
    else if (/^ [\d,]+ \S/.test(next)) {
      for (let row = n + 1; /^ [\d,]+ \S/.test(lines[row] ?? ""); row++) {
        const [, at, what] = /^ ([\d,]+) (.*)$/.exec(lines[row]!)!;
        for (const line of at!.split(",")) facts.add(`${folder}${text}:${line} ${what}`);
      }
    } else if (/^ \S/.test(next)) {
      for (const place of next.trim().split(" ")) {
        const [, file, at] = /^([^:]+):(.*)$/.exec(place)!;
        for (const [, line, names] of at!.matchAll(/(\d+)(?::\d+)?(?:\(([^()]*)\))?/g))
          facts.add(`${folder}${file}:${line} ${fill(text, names)}`);
      }
    } else {
      const [, file, at, what] = /^([^:]+):(\d+(?:,\d+)*)(?::\d+)?: (.*)$/.exec(text)!;
      for (const line of at!.split(",")) facts.add(`${folder}${file}:${line} ${what}`);
    }
  }
  return facts;
}

function fill(text: string, names = ""): string {
  let filled = text;
  for (const one of names.split(",")) filled = filled.replace("…", one);
  return filled;
}

describe.each(Object.entries(TOOLS))("%s", (_, { write, says }) => {
  const facts = (all: readonly Said[]) =>
    new Set(
      all.map((one) => {
        const [file, what] = says(one);
        return `${file}:${one.line} ${what}`;
      }),
    );

  it("every place and every message is told, and nothing else", () =>
    fc.assert(
      fc.property(several, (all) => {
        expect(told(shown(write(all)))).toEqual(facts(all));
      }),
    ));

  it("in any order", () =>
    fc.assert(
      fc.property(
        several.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length }))),
        ([all, shuffled]) => {
          expect(told(shown(write(shuffled)))).toEqual(facts(all));
        },
      ),
    ));

  const stranger = fc.constantFrom("ERROR: disk full", "fatal: the mirror is gone", "Killed", "  panic: out of memory");
  it("a line that is nobody's stays, wherever it stands", () =>
    fc.assert(
      fc.property(several, stranger, fc.nat(), (all, line, at) => {
        const lines = write(all);
        const read = group(lines.toSpliced(at % (lines.length + 1), 0, line));
        if (read) expect(read.lines.map(({ text }) => text).join("\n")).toContain(line.trim());
      }),
    ));

  it("counts no error as left out, and no line twice", () =>
    fc.assert(
      fc.property(several, (all) => {
        const lines = write(all).map(lineOf);
        const { lines: kept, harmless = 0 } = group(write(all))!;
        expect(sumOf(kept).errors + harmless).toBe(sumOf(lines).errors);
        expect(sumOf(kept).covers).toBeLessThanOrEqual(sumOf(lines).covers);
      }),
    ));
});

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
      " src/f1.ts:1,3,5,7,9,11 src/f0.ts:2,4,6,8,10,12",
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
      ` src/f.ts:${times(11, (n) => `${n}(x${n})`).join(",")}`,
    ]);
  });

  it("three names that differ would be a riddle: each is said in full", () => {
    const lines = times(12, (n) => `src/f.ts(${n},1): error TS1: '${"x".repeat(n)}' of '${"y".repeat(n)}' hides '${"z".repeat(n)}'`);
    expect(shown(lines)[3]).toBe(" 3 error TS1: 'xxx' of 'yyy' hides 'zzz'");
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

  it("what a tool says of every failure goes, and is no error", () => {
    const { lines, harmless } = group(["[ERROR] /a/D.java:[8,3] 'x' is gone", "[ERROR] -> [Help 1]", "[INFO] BUILD FAILURE"])!;
    expect(lines.map(({ text }) => text)).toEqual(["/a/D.java:8:3: ERROR: 'x' is gone", "[INFO] BUILD FAILURE"]);
    expect(harmless).toBe(1);
  });

  it("repetitions at the end are told once and counted", () => {
    const { lines } = group(["a.cs(1,2): error CS1: no", "Build FAILED.", "a.cs(1,2): error CS1: no", "    1 Error(s)"])!;
    expect(lines.map(({ text }) => text)).toEqual(["a.cs:1:2: error CS1: no", "Build FAILED.", "    1 Error(s)"]);
    expect(sumOf(lines)).toEqual({ text: "", covers: 3, errors: 4 });
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
  const one = lineOf("a.ts(1,2): error TS1: no");
  expect(careful({ lines: [one], ...about })).toBeNull();
  expect(careful({ lines: [one, lineOf("b.c:1:2: error: other"), lineOf("b.c:3:2: error: more")], ...about })!.lines[0]).toBe(one);
});

describe("hostile text is read in time", () => {
  const HOSTILE = ["a.c:", "(", "'", "a_", "^ ", "| ", " --> ", "1:1 ", "  ", "╭─[", "━", "a(", "note: ", "`"];
  it.each(HOSTILE)(
    "%j",
    (part) => {
      const long = part.repeat(8000 / part.length);
      const heads = [
        "src/a.c:1:1: error: ",
        "error: ",
        "CMake Error at ",
        "In file included from ",
        "  1:1  error  ",
        "ERROR in ",
        "vet: ",
      ];
      group(Array.from({ length: 400 }, (_, n) => (n % 8 === 7 ? long : heads[n % 8]! + long)));
      group(Array.from({ length: 40_000 }, () => part));
    },
    10_000,
  );

  it("one file with more rows than a call takes arguments", () => {
    const rows = Array.from({ length: 150_000 }, (_, n) => `  ${n}:1  error  no  x`);
    expect(shown(["/a/b.js", ...rows]).length).toBeLessThan(4);
  }, 20_000);
});

it("the strangers above look like errors", () => expect(["ERROR: disk full", "fatal: the mirror is gone"].every(isErrorShaped)).toBe(true));
