import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/cpu.ts";
import { MOST_FINDINGS, type Parser } from "./finding.ts";
import { parseGoVet } from "./go-vet.ts";
import { parseBiome, parseCargo, parseEslint, parseOxlint, parsePyright, parseRuff } from "./json-formats.ts";
import { parseGcc, parseMypy, parseTsc } from "./line-formats.ts";

const PARSERS: Record<string, Parser> = {
  biome: parseBiome,
  cargo: parseCargo,
  eslint: parseEslint,
  gcc: parseGcc,
  goVet: parseGoVet,
  mypy: parseMypy,
  oxlint: parseOxlint,
  pyright: parsePyright,
  ruff: parseRuff,
  tsc: parseTsc,
};

/** `file:line:col severity code message` of each finding, and what was not understood. */
const told = (parse: Parser, stdout: string, stderr = "") => {
  const { findings, garbage } = parse({ stdout, stderr });
  return [...findings.map((f) => `${f.file}:${f.line}:${f.col} ${f.severity} ${f.code ?? "-"} ${f.message}`), `garbage ${garbage}`];
};

const rustc = (message: object) => JSON.stringify({ reason: "compiler-message", package_id: "demo 0.1.0", message });
const span = (line: number, column: number, primary: boolean) => ({
  file_name: "src/main.rs",
  line_start: line,
  column_start: column,
  is_primary: primary,
});

describe("cargo", () => {
  it("takes the primary span, and leaves the compiler's remarks about its own messages out", () => {
    const lines = [
      rustc({ level: "error", message: "mismatched types", code: { code: "E0308" }, spans: [span(9, 9, false), span(4, 18, true)] }),
      rustc({ level: "warning", message: "length comparison to zero", code: { code: "clippy::len_zero" }, spans: [span(4, 8, true)] }),
      rustc({ level: "error", message: "aborting due to 1 previous error", code: null, spans: [] }),
      rustc({ level: "warning", message: "2 warnings emitted", code: null, spans: [] }),
      rustc({
        level: "failure-note",
        message: "For more information about this error, try `rustc --explain E0308`.",
        code: null,
        spans: [],
      }),
      rustc({ level: "error", message: "linking with `cc` failed", code: null, spans: [] }),
      '{"reason":"compiler-artifact","target":{"name":"demo"}}',
      '{"reason":"build-finished","success":false}',
    ];
    expect(told(parseCargo, lines.join("\n"))).toEqual([
      "src/main.rs:4:18 error E0308 mismatched types",
      "src/main.rs:4:8 warning clippy::len_zero length comparison to zero",
      "null:null:null error - linking with `cc` failed",
      "garbage 0",
    ]);
  });
  it("counts what a build script printed between, and messages of no known shape", () => {
    const lines = ["hello from build.rs", rustc({ level: "error", spans: [] }), "{broken", '{"no":"reason"}', "", "[]"];
    expect(told(parseCargo, lines.join("\n"))).toEqual(["garbage 5"]);
  });
});

it("tsc: places, findings of no file, and lines that go on with the one before", () => {
  const text = [
    "src/a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.",
    "src/b (old).ts(12,3): error TS2345: Argument of type '{}' is not assignable.",
    "  Property 'x' is missing in type '{}'.\r",
    "error TS18003: No inputs were found in config file.",
    "something else",
  ].join("\n");
  expect(told(parseTsc, text)).toEqual([
    "src/a.ts:1:7 error TS2322 Type 'string' is not assignable to type 'number'.",
    "src/b (old).ts:12:3 error TS2345 Argument of type '{}' is not assignable.\nProperty 'x' is missing in type '{}'.",
    "null:null:null error TS18003 No inputs were found in config file.",
    "garbage 1",
  ]);
});

it("eslint: severity 2 and what cannot be parsed are errors", () => {
  const files = [
    {
      filePath: "/w/a.js",
      messages: [
        { ruleId: "no-unused-vars", severity: 2, message: "'a' is never used.", line: 1, column: 5 },
        { ruleId: null, fatal: true, severity: 1, message: "Parsing error: Unexpected token", line: 2, column: 1 },
        { ruleId: "no-console", severity: 1, message: "Unexpected console statement.", line: 3 },
        { odd: true },
      ],
    },
    { filePath: "/w/b.js", messages: [] },
    { filePath: "/w/c.js" },
  ];
  expect(told(parseEslint, JSON.stringify(files))).toEqual([
    "/w/a.js:1:5 error no-unused-vars 'a' is never used.",
    "/w/a.js:2:1 error - Parsing error: Unexpected token",
    "/w/a.js:3:null warning no-console Unexpected console statement.",
    "garbage 2",
  ]);
});

it("biome: as version 2 writes it, and version 1", () => {
  const at = (line: number, column: number) => ({ path: "a.js", start: { line, column }, end: { line, column } });
  const report = {
    summary: { errors: 3 },
    diagnostics: [
      { severity: "error", message: "Using == may be unsafe.", category: "lint/suspicious/noDoubleEquals", location: at(3, 7) },
      { severity: "error", message: "Formatter would have printed the following content:", category: "format", location: at(0, 0) },
      { severity: "information", message: "Use const.", category: "lint/style/useConst", location: at(1, 1) },
      { severity: "warning", description: "Old.", message: [{ elements: [], content: "Old." }], location: { path: { file: "b.js" } } },
    ],
  };
  expect(told(parseBiome, `${JSON.stringify(report)}\n`, "The json reporter is experimental")).toEqual([
    "a.js:3:7 error lint/suspicious/noDoubleEquals Using == may be unsafe.",
    "a.js:null:null error format The file is not formatted.",
    "a.js:1:1 info lint/style/useConst Use const.",
    "b.js:null:null warning - Old.",
    "garbage 0",
  ]);
});

it("oxlint: as it is written now, and as eslint writes it", () => {
  const entry = {
    message: "`debugger` statement is not allowed",
    code: "eslint(no-debugger)",
    severity: "error",
    filename: "test.js",
    labels: [{ span: { offset: 0, length: 9, line: 5, column: 1 } }],
  };
  const expected = ["test.js:5:1 error eslint(no-debugger) `debugger` statement is not allowed", "garbage 0"];
  expect(told(parseOxlint, JSON.stringify({ diagnostics: [entry], number_of_files: 1 }))).toEqual(expected);
  const older = [
    { filePath: "test.js", messages: [{ ruleId: "eslint(no-debugger)", severity: 2, message: entry.message, line: 5, column: 1 }] },
  ];
  expect(told(parseOxlint, JSON.stringify(older))).toEqual(expected);
  expect(told(parseOxlint, "no json")).toEqual(["garbage 1"]);
});

it("ruff: a broken rule is a warning, a file that cannot be parsed an error", () => {
  const list = [
    { code: "F401", filename: "/w/a.py", location: { row: 1, column: 8 }, message: "`os` imported but unused", url: "" },
    { code: null, filename: "/w/b.py", location: { row: 2, column: 1 }, message: "SyntaxError: Expected an expression" },
    { code: "invalid-syntax", filename: "/w/b.py", location: { row: 3, column: 1 }, message: "Expected `)`" },
  ];
  expect(told(parseRuff, JSON.stringify(list))).toEqual([
    "/w/a.py:1:8 warning F401 `os` imported but unused",
    "/w/b.py:2:1 error - SyntaxError: Expected an expression",
    "/w/b.py:3:1 error invalid-syntax Expected `)`",
    "garbage 0",
  ]);
});

it("pyright: its lines and columns count from 0", () => {
  const start = { line: 3, character: 0 };
  const list = [
    { file: "/w/a.py", severity: "error", message: 'Import "x" could not be resolved', range: { start }, rule: "reportMissingImports" },
    { file: "/w/a.py", severity: "information", message: "No place" },
  ];
  expect(told(parsePyright, `No configuration file found.\n${JSON.stringify({ generalDiagnostics: list })}\n`)).toEqual([
    '/w/a.py:4:1 error reportMissingImports Import "x" could not be resolved',
    "/w/a.py:null:null info - No place",
    "garbage 0",
  ]);
});

it("mypy is read line by line", () => {
  const text = [
    'a.py:2:12: error: Incompatible return value type (got "int", expected "str")  [return-value]',
    "a.py:5:1: note: See https://example.org/x.html#missing-imports",
    "b.py: error: Source file found twice under different module names",
    "mypy: error: Cannot find config file",
    "Found 2 errors in 1 file (checked 3 source files)",
    "?",
  ].join("\n");
  expect(told(parseMypy, text)).toEqual([
    'a.py:2:12 error return-value Incompatible return value type (got "int", expected "str")',
    "a.py:5:1 info - See https://example.org/x.html#missing-imports",
    "b.py:null:null error - Source file found twice under different module names",
    "null:null:null error - Cannot find config file",
    "garbage 1",
  ]);
});

it("gcc and clang are read alike", () => {
  const text = [
    "In file included from b.cpp:1:",
    "./h.h:1:18: error: use of undeclared identifier 'nope'",
    "a.c: In function ‘main’:",
    "a.c:2:7: warning: unused variable ‘x’ [-Wunused-variable]",
    "a.c:4: note: each undeclared identifier is reported only once",
    "a.c:1:10: fatal error: missing.h: No such file or directory",
    "compilation terminated.",
    "gcc: error: unrecognized command-line option ‘-fwhat’",
    "2 errors generated.",
    "segmentation",
  ].join("\n");
  expect(told(parseGcc, "", text)).toEqual([
    "./h.h:1:18 error - use of undeclared identifier 'nope'",
    "a.c:2:7 warning -Wunused-variable unused variable ‘x’",
    "a.c:4:null info - each undeclared identifier is reported only once",
    "a.c:1:10 error - missing.h: No such file or directory",
    "null:null:null error - unrecognized command-line option ‘-fwhat’",
    "garbage 1",
  ]);
});

it("go vet: JSON for what it found, text for what does not compile, wherever they are printed", () => {
  const found = { demo: { printf: [{ posn: "/w/main.go:6:2", message: 'format %d has arg "x" of wrong type string' }, {}] } };
  const json = JSON.stringify(found, null, "\t");
  const text = ["# demo", json, "{}", "# demo/bad", "vet: bad/b.go:3:12: undeclared name: f", "./c.go:1:1: expected 'package'"].join("\n");
  const expected = [
    "bad/b.go:3:12 error - undeclared name: f",
    "./c.go:1:1 error - expected 'package'",
    '/w/main.go:6:2 warning printf format %d has arg "x" of wrong type string',
    "garbage 1",
  ];
  expect(told(parseGoVet, "", text)).toEqual(expected);
  expect(told(parseGoVet, text)).toEqual(expected);
  expect(told(parseGoVet, `{\n\t"demo": {`)).toEqual(["garbage 1"]);
});

describe.each(Object.entries(PARSERS))("%s", (_, parse) => {
  const shapes = fc.jsonValue({ maxDepth: 6 }).map((value) => JSON.stringify(value));
  const likely = fc
    .array(
      fc.constantFrom("{", "}", "[", "]", '"', ":", "1", "a.c", " error: ", "(", ")", ",", "TS1", '"message"', '"diagnostics"', "\n", "\0"),
    )
    .map((parts) => parts.join(""));
  const entries = fc
    .jsonValue({ maxDepth: 4 })
    .map((value) => JSON.stringify({ reason: "compiler-message", message: value, diagnostics: value, generalDiagnostics: [value, null] }));

  it("never throws, and gives places that are numbers from 1 or nothing", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), shapes, likely, entries), fc.string(), (stdout, stderr) => {
        const { findings, garbage } = parse({ stdout, stderr });
        expect(garbage).toBeGreaterThanOrEqual(0);
        for (const { line, col, message, file } of findings) {
          for (const number of [line, col]) expect(number === null || (Number.isSafeInteger(number) && number > 0)).toBe(true);
          expect(typeof message).toBe("string");
          expect(file === null || typeof file === "string").toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });
  it("is done soon with a lot of nothing", () => {
    const started = cpuMs();
    for (const text of [
      "\n".repeat(1e6),
      "x".repeat(1e6),
      "a:1:".repeat(2e5),
      "[".repeat(2e5),
      `${"a".repeat(9000)}${":".repeat(9000)}\n`.repeat(100),
    ])
      parse({ stdout: text, stderr: text });
    expect(cpuMs() - started).toBeLessThan(20_000);
  });
});

it("reading stops after the most anybody could want", () => {
  const stderr = Array.from({ length: MOST_FINDINGS + 10 }, (_, n) => `a.c:${n + 1}: error: x`).join("\n");
  expect(parseGcc({ stdout: "", stderr }).findings).toHaveLength(MOST_FINDINGS);
});
