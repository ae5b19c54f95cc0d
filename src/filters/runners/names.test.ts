import { describe, expect, it } from "vitest";
import { subjectOf } from "../command.ts";
import { printedLine } from "../line.ts";
import { sanitise } from "../sanitise.ts";
import { testSummary } from "../strategies/test-summary.ts";

const shown = (runner: string, raw: string, exitCode: number): string[] => {
  const apply = testSummary.build({ runners: [runner] }, () => () => false);
  const result = apply({ lines: sanitise(raw).map(printedLine), exitCode, subject: subjectOf("npm test")! });
  return result?.lines.map(({ text }) => text) ?? ["(left alone)"];
};

describe("groups", () => {
  it("are named with the failing tests in them, by node's TAP", () => {
    const raw =
      "TAP version 13\n# Subtest: cart\n    # Subtest: adds\n    ok 1 - adds\n    # Subtest: prices\n        # Subtest: rounds\n        not ok 1 - rounds\n          ---\n          location: '/p/a.test.js:5:3'\n          error: 'boom'\n          ...\n        1..1\n    not ok 2 - prices\n      ---\n      location: '/p/a.test.js:4:3'\n      error: '1 subtest failed'\n      ...\n    1..2\nnot ok 1 - cart\n  ---\n  location: '/p/a.test.js:1:1'\n  error: '1 subtest failed'\n  ...\n# Subtest: last\nnot ok 2 - last\n  ---\n  location: '/p/a.test.js:9:1'\n  error: 'bang'\n  ...\n1..2\n# tests 3\n# fail 2";
    expect(shown("tap", raw, 1)).toEqual([
      "not ok 1 - cart > prices > rounds",
      "at /p/a.test.js:5:3",
      "boom",
      "not ok 2 - last",
      "at /p/a.test.js:9:1",
      "bang",
      "1..2",
      "tests 3",
      "fail 2",
    ]);
  });

  it("stay where no test in them says their name", () => {
    const raw =
      "        not ok 1 - rounds\n          ---\n          error: 'boom'\n          ...\n        1..1\nnot ok 1 - cart\n  ---\n  error: '1 subtest failed'\n  ...\n1..1\n# tests 1\n# fail 1";
    expect(shown("tap", raw, 1)).toEqual(["not ok 1 - rounds", "boom", "not ok 1 - cart", "1..1", "tests 1", "fail 1"]);
  });

  it("tell tests of one name apart, in node's list", () => {
    const list = "▶ cart\n  ✖ adds (0.7ms)\n✖ cart (2ms)\n▶ desk\n  ✖ adds (0.7ms)\n✖ desk (2ms)\nℹ tests 2\nℹ fail 2";
    expect(shown("node", list, 1)).toEqual(expect.arrayContaining(["✖ cart > adds", "✖ desk > adds"]));
    const whole = `${list}\n\n✖ failing tests:\n\ntest at a.test.js:5:3\n✖ adds (0.7ms)\n  Error: one\n\ntest at a.test.js:8:3\n✖ adds (0.7ms)\n  Error: two`;
    expect(
      shown("node", whole, 1)
        .slice(2)
        .map((text) => text.trim()),
    ).toEqual(["test at a.test.js:5:3", "✖ cart > adds", "Error: one", "test at a.test.js:8:3", "✖ desk > adds", "Error: two"]);
  });
});

it("the message of vitest goes with the name above it, all its lines, if it comes again; others stay", () => {
  const raw =
    " ❯ a.test.js (2 tests | 1 failed) 9ms\n   × cart > called 12ms\n     → expected spy to be called\n\nReceived: \n\n  1st spy call:\n\nERROR: disk full\n   ✓ cart > adds 1ms\n\n FAIL  a.test.js > cart > called\nAssertionError: expected spy to be called\n\nReceived: \n\n  1st spy call:\n\n ❯ a.test.js:5:13\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)";
  expect(shown("vitest", raw, 1)).toEqual([
    "ERROR: disk full",
    "FAIL a.test.js > cart > called",
    "AssertionError: expected spy to be called",
    "Received:",
    "  1st spy call:",
    "❯ a.test.js:5:13",
    "Test Files  1 failed (1)",
    "Tests  1 failed | 1 passed (2)",
  ]);
});

describe("skipped tests", () => {
  const SKIPPED: Readonly<Record<string, readonly [skip: (n: number) => string, sums: string, stays: readonly string[]]>> = {
    go: [
      (n) => `=== RUN   TestS${n}\n    a_test.go:5: needs docker ${n}\n--- SKIP: TestS${n} (0.00s)`,
      "PASS\nok  \tex.com/a\t0.004s",
      ["    a_test.go:5: needs docker 1", "--- SKIP: TestS1"],
    ],
    unittest: [
      (n) => `test_s${n} (t.T.test_s${n}) ... skipped 'flaky on ci'`,
      "\nRan 9 tests in 0.001s\n\nOK (skipped=9)",
      ["test_s1 (t.T.test_s1) ... skipped 'flaky on ci'"],
    ],
    mocha: [(n) => `    - pend ${n}`, "\n  1 passing (9ms)\n  9 pending", ["- pend 1"]],
    cargo: [
      (n) => `test s${n} ... ignored, needs network`,
      "\ntest result: ok. 1 passed; 0 failed; 9 ignored; 0 measured; 0 filtered out; finished in 0.00s",
      ["test s1 ... ignored, needs network"],
    ],
    vitest: [(n) => ` ↓ a.test.ts > s${n}`, "\n Test Files  1 passed (1)\n      Tests  1 passed | 9 skipped (10)", ["↓ a.test.ts > s1"]],
    node: [(n) => `﹣ s${n} (0.1ms) # needs docker`, "ℹ tests 9\nℹ skipped 9", ["﹣ s1 # needs docker"]],
    tap: [(n) => `ok ${n} - s # SKIP needs docker`, "1..9\n# tests 9\n# skipped 9", ["ok 1 - s # SKIP needs docker"]],
  };

  const of = (runner: string, count: number) => {
    const [skip, sums] = SKIPPED[runner]!;
    return shown(runner, [...Array.from({ length: count }, (_, n) => skip(n + 1)), sums].join("\n"), 0);
  };
  const SILENT = ["mocha", "vitest", "go"];

  it.each(Object.entries(SKIPPED))("%s: one is named, with the reason", (runner, [, , stays]) => {
    expect(of(runner, 1).slice(0, stays.length)).toEqual(stays);
  });

  it.each(SILENT)("%s: a few are named; of many the sums are enough", (runner) => {
    expect(of(runner, 5)).toHaveLength(of(runner, 6).length + 5 * SKIPPED[runner]![2].length);
    expect(of(runner, 6).join("\n")).not.toMatch(/docker|pend \d|↓/);
  });

  it.each(Object.keys(SKIPPED).filter((runner) => !SILENT.includes(runner)))("%s: a reason is said once, with how many", (runner) => {
    const [first, ...others] = of(runner, 9);
    expect(first).toBe(`${SKIPPED[runner]![2][0]} (×9)`);
    expect(others.join("\n")).not.toMatch(/docker|flaky|network/);
  });
});

it("go says how a program ended that did more than fail a test", () => {
  const raw = (code: number) => `--- FAIL: TestA (0.00s)\nexit status ${code}\nFAIL\tex.com/a\t0.005s`;
  expect(shown("go", raw(2), 1)).toContain("exit status 2");
  expect(shown("go", raw(1), 1)).not.toContain("exit status 1");
});
