import { describe, expect, it } from "vitest";
import { speakersOf } from "../command.ts";
import { filterText } from "../filter.ts";
import { printedLine } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { closingAt } from "./closers.ts";
import { cutBlocks } from "./cut.ts";

const filtered = (command: string, texts: readonly string[]) =>
  filterText({ command, raw: texts.join("\n"), exitCode: 0 }, builtInRules()).text;
const cut = (command: string, texts: readonly string[]) =>
  cutBlocks(texts.map(printedLine), speakersOf(command)).map(({ as, lines, closedBy }) => `${as} ${lines.length} ${closedBy}`);

const PYTEST = [
  ...Array.from({ length: 9 }, (_, n) => `tests/test_a.py::test_${n} PASSED                [ ${n + 1}0%]`),
  "",
  "9 passed in 0.02s",
];
const NPM = ["> app@1.0.0 test", "> vitest run", ""];
const VITEST = [
  " RUN  v3.2.4 /app",
  ...Array.from({ length: 9 }, (_, n) => ` ✓ test/t${n}.test.ts (3 tests) ${n}ms`),
  " Test Files  9 passed (9)",
  "      Tests  27 passed (27)",
  "   Duration  1.20s (transform 10ms, setup 0ms)",
];
const LOG = ["1a2b3c4 cart: add", "2b3c4d5 cart: sum", "3c4d5e6 start"];

describe("the sums of a runner", () => {
  it("end its block, so that chosen lines behind it stay and what is above is shortened", () => {
    expect(cut("pytest -v && git log --oneline -3", [...PYTEST, ...LOG])).toEqual(["pytest 11 0", "null 3 null"]);
    expect(filtered("pytest -v && git log --oneline -3", [...PYTEST, ...LOG])).toBe(["9 passed in 0.02s", ...LOG, "[-9 lines]"].join("\n"));
  });

  it("end the block of the script that began it", () => {
    const text = filtered("npm test; cat notes.txt", [...NPM, ...VITEST, "  kept   as", "it  is"]);
    expect(text).not.toContain("t3.test.ts");
    expect(text).toContain("  kept   as\nit  is");
  });

  it("take with them what belongs to them", () => {
    const jest = ["Tests:       3 passed, 3 total", "Snapshots:   0 total", "Time:        1.2 s", "Ran all test suites.", "x"].map(
      printedLine,
    );
    expect(closingAt(jest, 0)?.end).toBe(4);
  });

  it("of mocha take the failures below with them, whatever a message looks like", () => {
    const mocha = [
      "  8 passing (9ms)",
      "  1 failing",
      "",
      "  1) Cart",
      "       adds:",
      "",
      "+ actual - expected",
      "",
      "      at a (/x/a.js:1:2)",
      "",
    ];
    expect(closingAt([...mocha, "const a = 1;"].map(printedLine), 0)?.end).toBe(9);
  });

  it("that may be anybody's word end nothing without what stands before them", () => {
    expect(closingAt(["OK"].map(printedLine), 0)).toBeNull();
    expect(closingAt(["Ran 3 tests in 0.01s", "", "OK"].map(printedLine), 2)?.end).toBe(3);
  });

  it("are not taken for the beginning of another run", () => {
    const go = ["ok  \tshop/a\t0.01s", "ok  \tshop/b\t0.01s", "ok  \tshop/c\t0.01s"];
    expect(cut("go test ./... && git log --oneline -3", [...go, ...LOG])).toEqual(["go 3 0", "null 3 null"]);
  });

  it("end nothing where no command on the line could have printed them", () => {
    expect(cut("./deploy; cat notes.txt", [...PYTEST, ...LOG])).toEqual(["null 14 null"]);
  });

  it("are looked for only beside a text that was asked for", () => {
    expect(cut("pytest -v && ls", [...PYTEST, ...LOG])).toEqual(["null 14 null"]);
  });
});

describe("a text behind a run", () => {
  it("stays when it quotes the same run", () => {
    const quoted = ["# How to test", ...PYTEST.filter((line) => line !== "")];
    expect(filtered("pytest -v; cat README", [...PYTEST, ...quoted])).toBe(["9 passed in 0.02s", ...quoted, "[-9 lines]"].join("\n"));
  });

  it("before a run makes its block doubtful where nothing opens it", () => {
    const raw = [...LOG, ...PYTEST.filter((line) => line !== "")];
    expect(filtered("git log --oneline -3 && pytest -v && cat x", [...raw, "x"])).toBe([...raw, "x"].join("\n"));
  });
});

describe("a loop that shows files", () => {
  const loop = "for p in a b; do npx vitest run; cat $p/notes; done";

  it("keeps them, and shortens a run that is opened and summed up", () => {
    const text = filtered(loop, [...VITEST, "  notes   of a", ...VITEST, "  notes   of b"]);
    expect(text).not.toContain("t3.test.ts");
    expect(text).toContain("  notes   of a");
    expect(text).toContain("  notes   of b");
  });

  it("keeps a run that nothing opens: the text of a file may stand above its sums", () => {
    const raw = ["notes of a", ...PYTEST.filter((line) => line !== ""), "notes of b"];
    expect(filtered("for p in a b; do cat $p; pytest -v; done", raw)).toBe(raw.join("\n"));
  });

  it("keeps a run that nothing sums up", () => {
    const broken = VITEST.slice(0, 9);
    expect(filtered(loop, [...broken, "  notes   of a"])).toContain("t3.test.ts");
  });
});
