import { describe, expect, it } from "vitest";
import { SAID } from "../../../test/cases/diagnostics.ts";
import { printedLine } from "../line.ts";
import { DIAGNOSTIC_FORMATS, type FormatName } from "./formats/index.ts";
import { readDiagnosticParts } from "./read.ts";

const all = Object.keys(DIAGNOSTIC_FORMATS).filter((name) => name !== "bare") as FormatName[];
const read = (text: string, formats: readonly FormatName[]) => readDiagnosticParts(text.split("\n").map(printedLine), formats, 1);

describe.each(Object.entries(SAID))("%s", (_, { as, text, says }) => {
  const told = (formats: readonly FormatName[]) =>
    read(text, formats)?.parts.flatMap((part) =>
      "found" in part
        ? part.found.map(
            ({ file, line, column, label, message }) => `${file}:${line}:${column} ${[label, message].filter(Boolean).join(": ")}`,
          )
        : [],
    );
  it("says what it says", () => expect(told([as])).toEqual(says));
  it("says the same to all formats together", () => expect(told(all)).toEqual(says));
});

describe("none of these is a diagnostic", () => {
  it.each([
    "12:30:05: error: disk full",
    "2026-11-15 12:30:05: error: disk full",
    "db.example.com:5432: error: connection refused",
    "Error: something at line 5",
    "src/main.c:12:  printf(x);",
    "README.md:3: see the notes",
    "    main_test.go:12: want 3, got 4",
    "tests/test_a.py:12: AssertionError",
    "/lib/site.py:12: DeprecationWarning: old",
    "    at run (/home/dev/app/src/run.js:10:5)",
    "thread 'main' panicked at src/main.rs:3:5:",
    "error: could not compile `calc` (lib) due to 9 previous errors",
    "warning: `calc` (lib) generated 3 warnings",
    "make: *** [Makefile:12: x.o] Error 1",
    "Building src/a.ts(12 of 40)",
    "src/a.js",
    "| a | b |",
  ])("%s", (text) => expect(read(`${text}\n${text}`, all)).toBeNull());
});

it("what a test of go logs is indented, and no diagnostic even where they are expected", () => {
  expect(read("--- FAIL: TestAdd\n    main_test.go:12: want 3, got 4", ["go", "bare"])).toBeNull();
  expect(read("# example.com/a\nmain.go:1:2: undefined: x\nrunning\nmain.go:12: a log line", ["go"])?.parts).toHaveLength(4);
});
