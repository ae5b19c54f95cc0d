import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { filterText } from "../filter.ts";
import { printedLine } from "../line.ts";
import { builtInRules, rulesWith } from "../rules.ts";
import { runners } from "../runners/index.ts";
import { testSummary } from "./test-summary.ts";

const run = (command: string, raw: string, exitCode: number) => filterText({ command, raw, exitCode }, builtInRules());
const many = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => text(n)).join("\n");

const cargo = (body: string, result = "FAILED. 30 passed; 1 failed") =>
  `running 31 tests\n${many(30, (n) => `test t${n} ... ok`)}\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n${body}\n\nfailures:\n    b\n\ntest result: ${result}; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n`;

describe("what a test says of itself is not what the runner says", () => {
  it("keeps a failing test's own 'test result: ok', and the real one", () => {
    const { text } = run("cargo test", cargo("test result: ok. 99 passed; 0 failed\nthread 'b' panicked at src/lib.rs:1:1:\nboom"), 101);
    expect(text).toContain("---- b ----\ntest result: ok. 99 passed; 0 failed\nthread 'b' panicked at src/lib.rs:1:1:\nboom");
    expect(text).toContain("test result: FAILED. 30 passed; 1 failed");
  });

  it("claims nothing when a passing suite prints FAILED", () => {
    const raw = `${many(30, (n) => `a_test.py::test_${n} PASSED [ ${n}%]`)}\nFAILED to find a coupon\n30 passed in 0.10s\n`;
    const { text } = run("pytest -v -s", raw, 0);
    expect(text).toBe("FAILED to find a coupon\n30 passed in 0.10s\n[-30 lines]");
  });

  it("leaves out a passing test with an error in its name, and does not count it as one", () => {
    const raw = `${many(9, (n) => `test handles_error_${n}_when_denied ... ok`)}\n\ntest result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;
    expect(run("cargo test", raw, 0).text).toBe("test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n[-10 lines]");
  });
});

describe("the exit code", () => {
  it("hides no failure when it is 0", () => {
    const { text, confidence } = run("cargo test || true", cargo("boom"), 0);
    expect(text).toContain("---- b ----\nboom");
    expect(confidence).toBe("Full");
  });

  it("brings the end of the output back when it is not 0 and nothing says why", () => {
    const raw = `${many(60, (n) => `a_test.py::test_${n} PASSED [ ${n}%]`)}\na_test.py::test_60 `;
    const { text, confidence } = run("timeout 60 pytest -v", raw, 124);
    expect(text).toContain("a_test.py::test_59 PASSED");
    expect(text).toContain("a_test.py::test_60");
    expect(text).not.toContain("a_test.py::test_30 ");
    expect(confidence).toBe("Partial");
  });

  it("takes no noise of a passing test for the reason", () => {
    const raw = `${many(60, (n) => `=== RUN   TestA${n}\nerror: expected\n--- PASS: TestA${n} (0.00s)`)}\nFAIL\texample.com/a\t0.1s\nFAIL\n`;
    const { text } = run("go test -v ./...", raw, 1);
    expect(text).toContain("--- PASS: TestA59");
  });
});

describe("whose output it is", () => {
  it("is known only by sums and results of the same runner", () => {
    for (const raw of [
      many(30, (n) => `  ✓ copied file ${n}`),
      `${many(30, (n) => `✓ step ${n}`)}\n30 passed\n`,
      "3 passing trains\n✓ one\n✓ two\n",
    ])
      expect(run("./deploy.sh", raw, 0).rule ?? "").not.toContain("any-tests");
  });

  it("is nobody's when it was searched for, or stands in a commit", () => {
    const raw = `${many(30, (n) => `    ✓ a.test.ts > adds ${n} 1ms`)}\n\n     Test Files  1 passed (1)\n          Tests  30 passed (30)\n`;
    for (const command of ["git log -1", "git -C x show", "grep -r adds .", "rg adds"])
      expect(run(command, raw, 0).rule ?? "").not.toContain("tests");
    expect(run("npm test -- --grep adds", raw, 0).rule).toBe("any-tests");
  });

  it("may be of two, each with its sums", () => {
    const mocha = `  sums\n${many(20, (n) => `    ✔ adds ${n}`)}\n\n  20 passing (3ms)\n`;
    const { text } = run("npm test", `${mocha}\n${cargo("boom")}`, 1);
    expect(text).toContain("20 passing (3ms)");
    expect(text).toContain("---- b ----\nboom");
    expect(text).toContain("test result: FAILED. 30 passed; 1 failed");
    expect(text).not.toContain("adds 3");
  });

  it("may be of several programs of one runner: no sum is lost", () => {
    const raw = `${cargo("boom")}\n     Running tests/b.rs (target/debug/deps/b-1)\n${cargo("bang", "FAILED. 7 passed; 1 failed")}`;
    const { text } = run("cargo test --no-fail-fast", raw, 101);
    expect(text).toContain("30 passed; 1 failed");
    expect(text).toContain("7 passed; 1 failed");
    expect(text).toContain("boom");
    expect(text).toContain("bang");
  });

  it("is nobody's when no test ran, so it stays as it is", () => {
    const raw = "No tests found, exiting with code 1\nRun with `--passWithNoTests` to exit with code 0\n";
    expect(run("npx jest nothing", raw, 1).text).toBe(raw);
  });
});

describe("failures", () => {
  it("with one reason are named above it", () => {
    const block = (name: string) =>
      `___ ERROR at setup of ${name} ___\n\n>       raise OSError("no database")\nE       OSError: no database\n\nconftest.py:4: OSError\n`;
    const raw = `a_test.py EE.                                [100%]\n\n=== ERRORS ===\n${block("test_a")}${block("test_b")}=== 1 passed, 2 errors in 0.1s ===\n`;
    expect(run("pytest", raw, 1).text).toBe(
      'ERROR at setup of test_a\nERROR at setup of test_b\n> raise OSError("no database")\nE OSError: no database\nconftest.py:4 OSError\n1 passed, 2 errors in 0.1s\n[-2 lines]',
    );
  });

  it("keep a place in other people's code when there is no other", () => {
    const raw = `${many(9, (n) => `✔ adds ${n} (1ms)`)}\nℹ tests 10\nℹ pass 9\nℹ fail 1\n\n✖ failing tests:\n\ntest at a.test.js:1:1\n✖ b (1ms)\n  Error: boom\n      at first (node:internal/timers:585:17)\n      at second (node:internal/timers:521:7)\n`;
    expect(run("node --test", raw, 1).text).toContain("Error: boom\nat first (node:internal/timers:585:17)\n[-");
  });

  it("keep a diff that says more than the message, and only then", () => {
    const vitest = (message: string, diff: string) =>
      `${many(9, (n) => ` ✓ a.test.ts > adds ${n} 1ms`)}\n\n FAIL  a.test.ts > b\nAssertionError: ${message}\n\n- Expected\n+ Received\n\n${diff}\n\n ❯ a.test.ts:5:13\n\n Test Files  1 failed (1)\n      Tests  1 failed | 9 passed (10)\n`;
    expect(run("npx vitest run", vitest("expected 1 to be 2", "- 2\n+ 1"), 1).text).not.toContain("Received");
    expect(
      run("npx vitest run", vitest("expected { a: 1, …(1) } to equal { …(2) }", '  {\n    "a": 1,\n-   "b": 3,\n+   "b": 4,\n  }'), 1).text,
    ).toContain('- Expected\n+ Received\n  {\n    "a": 1,\n-   "b": 3,\n+   "b": 4,\n  }');
  });
});

describe("bad input", () => {
  it("is not taken for a test because a line of any length begins like one", () => {
    const raw = `${many(30, (n) => `test t${n} ... ok`)}\ntest ${"x ".repeat(1500)}... ok\n\ntest result: ok. 31 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;
    expect(run("cargo test", raw, 0).text).toContain("x x x");
  });

  it("names a runner that is not there", () => {
    const { warnings } = rulesWith(
      "t.toml",
      '[[rules]]\nname = "x"\nmatch = { prefix = "x" }\nstrategy = { type = "test_summary", runners = ["nose"] }\n',
    );
    expect(warnings.join()).toContain('there is no test runner "nose"');
  });

  it("costs little, whatever it is made of", () => {
    const apply = testSummary.build({ runners: [...runners().keys()] }, () => () => false);
    const about = { exitCode: 0, subject: { forms: ["x"], words: ["x"], verbatim: null } };
    for (const part of HOSTILE) {
      const line = printedLine(part.repeat(1990 / part.length));
      const start = cpuMs();
      apply({ lines: [printedLine("✓ a.test.ts > a 1ms"), ...Array.from({ length: 50 }, () => line)], ...about });
      expect(cpuMs() - start, JSON.stringify(part)).toBeLessThan(3000);
    }
  });
});

/** Pieces of what runners print, over and over. */
const HOSTILE =
  "PASSED (| FAILED |::|_ |= | > |at |│ |#|(1ms|- |x.py:1: in |\t|✓ |E  |1 passed, | (1 tests| - should panic|=> x:1:1|' started|] |1) |) (|: error: |..|.|..F|a.b.c|--- |/site-packages/| (a)| [1ms]| # | ... | Time elapsed: |, Failures: 1|› | +|$.$.".split(
    "|",
  );
