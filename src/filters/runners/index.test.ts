import { describe, expect, it } from "vitest";
import { subjectOf } from "../command.ts";
import { printedLine } from "../line.ts";
import { sanitise } from "../sanitise.ts";
import { testSummary } from "../strategies/test-summary.ts";
import { runners } from "./index.ts";

const shown = (runner: string, raw: string, exitCode: number): string[] => {
  const apply = testSummary.build({ runners: [runner] }, () => () => false);
  const result = apply({ lines: sanitise(raw).map(printedLine), exitCode, subject: subjectOf("npm test")! });
  return result?.lines.map(({ text }) => text) ?? ["(left alone)"];
};

/** What each runner prints of a test that passes and one that fails, and what stays. */
const SAMPLES: Readonly<Record<string, { readonly raw: string; readonly stays: readonly string[] }>> = {
  bun: {
    raw: "bun test v1.3.0\n\na.test.ts:\n(pass) adds [0.2ms]\n1 | x\n2 | expect(1).toBe(2);\n              ^\nerror: expect(received).toBe(expected)\n      at <anonymous> (/p/a.test.ts:2:11)\n(fail) fails [0.1ms]\n\n 1 pass\n 1 fail\nRan 2 tests across 1 file. [9.00ms]",
    stays: [
      "2| expect(1).toBe(2);",
      "error: expect(received).toBe(expected)",
      "at /p/a.test.ts:2:11",
      "(fail) fails",
      "1 pass",
      "1 fail",
      "Ran 2 tests across 1 file.",
    ],
  },
  cargo: {
    raw: "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\nthread 'b' panicked at src/lib.rs:3:5:\nboom\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\nfailures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
    stays: [
      "---- b ----",
      "thread 'b' panicked at src/lib.rs:3:5:",
      "boom",
      "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out",
    ],
  },
  ctest: {
    raw: "Test project /p/b\n    Start 1: a\n1/2 Test #1: a ........   Passed    0.01 sec\n    Start 2: b\n2/2 Test #2: b ........***Failed    0.01 sec\nassertion: 1 == 2\n\n50% tests passed, 1 tests failed out of 2\n\nTotal Test time (real) =   0.03 sec\n\nThe following tests FAILED:\n\t  2 - b (Failed)\nErrors while running CTest",
    stays: ["#2 b ***Failed", "assertion: 1 == 2", "50% tests passed, 1 tests failed out of 2"],
  },
  dotnet: {
    raw: "Starting test execution, please wait...\n  Passed P.A.Adds [2 ms]\n  Failed P.A.Fails [3 ms]\n  Error Message:\n   Assert.Equal() Failure\n  Stack Trace:\n     at P.A.Fails() in /p/A.cs:line 9\n   at System.Reflection.X()\n\nFailed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2, Duration: 9 ms - P.dll (net8.0)",
    stays: [
      "Failed P.A.Fails",
      "Assert.Equal() Failure",
      "at /p/A.cs:9",
      "Failed!  - Failed:     1, Passed:     1, Skipped:     0, Total:     2, Duration: 9 ms - P.dll (net8.0)",
    ],
  },
  go: {
    raw: "=== RUN   TestA\n    a_test.go:5: an error that was expected\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    a_test.go:9: got 1, want 2\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\texample.com/a\t0.004s",
    stays: ["    a_test.go:9: got 1, want 2", "--- FAIL: TestB", "FAIL example.com/a"],
  },
  gradle: {
    raw: "p.A > adds PASSED\n\np.A > fails FAILED\n    java.lang.AssertionError: boom\n        at org.junit.Assert.fail(Assert.java:89)\n        at p.A.fails(A.java:7)\n\n2 tests completed, 1 failed\n\nBUILD FAILED in 4s",
    stays: [
      "p.A > fails FAILED",
      "java.lang.AssertionError: boom",
      "at p.A.fails(A.java:7)",
      "2 tests completed, 1 failed",
      "BUILD FAILED in 4s",
    ],
  },
  gtest: {
    raw: "[==========] Running 2 tests from 1 test suite.\n[ RUN      ] A.Adds\nnoise of a passing test\n[       OK ] A.Adds (0 ms)\n[ RUN      ] A.Fails\na.cc:9: Failure\n[  FAILED  ] A.Fails (0 ms)\n[==========] 2 tests from 1 test suite ran. (1 ms total)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.Fails\n\n 1 FAILED TEST",
    stays: [
      "a.cc:9: Failure",
      "[  FAILED  ] A.Fails",
      "2 tests from 1 test suite ran.",
      "[  PASSED  ] 1 test.",
      "[  FAILED  ] 1 test, listed below:",
    ],
  },
  jest: {
    raw: "PASS ./a.test.js\nFAIL ./b.test.js\n  sums\n    ✓ adds (2 ms)\n    ✕ fails (1 ms)\n\n  ● sums › fails\n\n    expect(received).toBe(expected)\n\n    Expected: 2\n    Received: 1\n\n      1 | it(\n    > 2 |   expect(1).toBe(2);\n        |             ^\n      3 | });\n\n      at Object.<anonymous> (b.test.js:2:13)\n      at run (node_modules/jest-circus/x.js:1:1)\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 2 passed, 3 total\nSnapshots:   0 total\nTime:        0.5 s",
    stays: [
      "FAIL ./b.test.js",
      "● sums › fails",
      "expect(received).toBe(expected)",
      "Expected: 2",
      "Received: 1",
      "> 2| expect(1).toBe(2);",
      "at b.test.js:2:13",
      "Test Suites: 1 failed, 1 passed, 2 total",
      "Tests:       1 failed, 2 passed, 3 total",
    ],
  },
  minitest: {
    raw: "Run options: --seed 7\n\n# Running:\n\n.F\n\nFinished in 0.01s, 9.0 runs/s, 9.0 assertions/s.\n\n  1) Failure:\nA#test_b [test/a_test.rb:8]:\nExpected: 2\n  Actual: 1\n\n2 runs, 2 assertions, 1 failures, 0 errors, 0 skips",
    stays: [
      "Run options: --seed 7",
      "A#test_b [test/a_test.rb:8]:",
      "Expected: 2",
      "  Actual: 1",
      "2 runs, 2 assertions, 1 failures, 0 errors, 0 skips",
    ],
  },
  mocha: {
    raw: "  sums\n    ✔ adds\n    1) fails\n\n  1 passing (3ms)\n  1 failing\n\n  1) sums\n       fails:\n\n      AssertionError: expected 1 to equal 2\n      + expected - actual\n\n      -1\n      +2\n      \n      at Context.<anonymous> (a.spec.js:9:12)\n      at process.processImmediate (node:internal/timers:484:21)",
    stays: ["1 passing (3ms)", "1 failing", "1) sums", " fails:", "AssertionError: expected 1 to equal 2", "at a.spec.js:9:12"],
  },
  node: {
    raw: "▶ sums\n  ✔ adds (0.5ms)\n  ✖ fails (0.7ms)\n✖ sums (2ms)\nℹ tests 2\nℹ pass 1\nℹ fail 1\nℹ duration_ms 50\n\n✖ failing tests:\n\ntest at a.test.js:5:3\n✖ fails (0.7ms)\n  AssertionError [ERR_ASSERTION]: 1 == 2\n      at TestContext.<anonymous> (/p/a.test.js:6:12)\n      at Test.run (node:internal/test_runner/test:1:2) {\n    generatedMessage: true,\n    actual: 1,\n    expected: 2,\n    operator: '=='\n  }",
    stays: [
      "tests 2",
      "pass 1",
      "fail 1",
      "test at a.test.js:5:3",
      "✖ sums > fails",
      "AssertionError [ERR_ASSERTION]: 1 == 2",
      "at /p/a.test.js:6:12",
    ],
  },
  phpunit: {
    raw: "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n.F                  2 / 2 (100%)\n\nTime: 00:00.005, Memory: 4.00 MB\n\nThere was 1 failure:\n\n1) ATest::testB\nFailed asserting that 1 is identical to 2.\n\n/p/ATest.php:7\n\nFAILURES!\nTests: 2, Assertions: 2, Failures: 1.",
    stays: [
      "1) ATest::testB",
      "Failed asserting that 1 is identical to 2.",
      "/p/ATest.php:7",
      "FAILURES!",
      "Tests: 2, Assertions: 2, Failures: 1.",
    ],
  },
  playwright: {
    raw: "Running 2 tests using 1 worker\n\n  ✓  1 a.spec.ts:3:1 › adds (14ms)\n  ✘  2 a.spec.ts:5:1 › fails (9ms)\n\n\n  1) a.spec.ts:5:1 › fails ────────\n\n    Error: boom\n\n      4 | x\n    > 5 | y\n        | ^\n        at /p/a.spec.ts:5:1\n\n  1 failed\n    a.spec.ts:5:1 › fails ────────\n  1 passed (1.2s)",
    stays: ["1) a.spec.ts:5:1 › fails", "Error: boom", "> 5| y", "at /p/a.spec.ts:5:1", "1 failed", "1 passed (1.2s)"],
  },
  pytest: {
    raw: "=== test session starts ===\nplatform linux -- Python 3.11.2, pytest-8.0.0\ncollected 2 items\n\na_test.py .F                [100%]\n\n=== FAILURES ===\n___ test_b ___\n\n    def test_b():\n        x = 1\n>       assert x == 2\nE       assert 1 == 2\n\na_test.py:5: AssertionError\n--- Captured stdout call ---\nhello\n=== short test summary info ===\nFAILED a_test.py::test_b - assert 1 == 2\n=== 1 failed, 1 passed in 0.03s ===",
    stays: [
      "FAILED a_test.py::test_b",
      "> assert x == 2",
      "E assert 1 == 2",
      "a_test.py:5 AssertionError",
      "Captured stdout call:",
      "hello",
      "1 failed, 1 passed in 0.03s",
    ],
  },
  rspec: {
    raw: ".F\n\nFailures:\n\n  1) A fails\n     Failure/Error: expect(1).to eq(2)\n\n       expected: 2\n            got: 1\n\n       (compared using ==)\n     # ./a_spec.rb:3:in `block'\n     # /usr/share/gems/rspec-core/example.rb:263:in `run'\n\nFinished in 0.02 seconds (files took 0.1 seconds to load)\n2 examples, 1 failure\n\nFailed examples:\n\nrspec ./a_spec.rb:2 # A fails",
    stays: [
      "1) A fails # ./a_spec.rb:2",
      "Failure/Error: expect(1).to eq(2)",
      "  expected: 2",
      "       got: 1",
      "# ./a_spec.rb:3",
      "2 examples, 1 failure",
    ],
  },
  surefire: {
    raw: "[INFO] Running p.ATest\n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.05 s <<< FAILURE! - in p.ATest\n[ERROR] b(p.ATest)  Time elapsed: 0.01 s  <<< FAILURE!\njava.lang.AssertionError: boom\n\tat org.junit.Assert.fail(Assert.java:89)\n\tat p.ATest.b(ATest.java:7)\n\n[INFO] Results:\n[INFO] \n[ERROR] Failures: \n[ERROR]   ATest.b:7 boom\n[INFO] \n[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0",
    stays: [
      "b(p.ATest) FAILURE",
      "java.lang.AssertionError: boom",
      "at p.ATest.b(ATest.java:7)",
      "Tests run: 2, Failures: 1, Errors: 0, Skipped: 0",
    ],
  },
  tap: {
    raw: "TAP version 13\nok 1 - adds\n  ---\n  duration_ms: 1.5\n  ...\nnot ok 2 - fails\n  ---\n  duration_ms: 1.2\n  location: '/p/a.test.js:5:3'\n  failureType: 'testCodeFailure'\n  error: 'boom'\n  stack: |-\n    TestContext.<anonymous> (/p/a.test.js:6:12)\n    Test.run (node:internal/test_runner/test:1:2)\n  ...\n1..2\n# tests 2\n# pass 1\n# fail 1\n# duration_ms 50",
    stays: ["not ok 2 - fails", "at /p/a.test.js:5:3", "boom", "at /p/a.test.js:6:12", "1..2", "tests 2", "pass 1", "fail 1"],
  },
  unittest: {
    raw: 'test_a (t.T.test_a) ... ok\ntest_b (t.T.test_b) ... FAIL\n\n======================================================================\nFAIL: test_b (t.T.test_b)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File "/usr/lib/python3.11/unittest/case.py", line 57, in run\n    self._call()\n  File "/p/t.py", line 5, in test_b\n    self.assertEqual(1, 2)\n    ^^^^^^^^^^^^^^^^^^^^^^\nAssertionError: 1 != 2\n\n----------------------------------------------------------------------\nRan 2 tests in 0.001s\n\nFAILED (failures=1)',
    stays: [
      "FAIL: test_b (t.T.test_b)",
      "/p/t.py:5 in test_b",
      "  self.assertEqual(1, 2)",
      "AssertionError: 1 != 2",
      "Ran 2 tests in 0.001s",
      "FAILED (failures=1)",
    ],
  },
  vitest: {
    raw: " RUN  v3.0.0 /p\n\nstdout | a.test.ts > sums > adds\nnoise of a passing test\n\nstderr | a.test.ts > sums > fails\na hint\n\n ❯ a.test.ts (2 tests | 1 failed) 9ms\n   ✓ sums > adds 1ms\n   × sums > fails 2ms\n     → expected 1 to be 2\n\n⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯\n\n FAIL  a.test.ts > sums > fails\nAssertionError: expected 1 to be 2\n\n- Expected\n+ Received\n\n- 2\n+ 1\n\n ❯ a.test.ts:5:13\n      4| x\n      5|   expect(1).toBe(2);\n       |             ^\n      6| y\n\n⎯⎯⎯⎯[1/1]⎯\n\n Test Files  1 failed (1)\n      Tests  1 failed | 1 passed (2)\n   Start at  10:00:00\n   Duration  300ms",
    stays: [
      "stderr | a.test.ts > sums > fails",
      "a hint",
      "FAIL a.test.ts > sums > fails",
      "AssertionError: expected 1 to be 2",
      "❯ a.test.ts:5:13",
      "5| expect(1).toBe(2);",
      "Test Files  1 failed (1)",
      "Tests  1 failed | 1 passed (2)",
    ],
  },
  jasmine: {
    raw: "Randomized with seed 63921\nStarted\n..F\n\nFailures:\n1) Cart sums\n  Message:\n    Expected 1 to be 2.\n  Stack:\n        at <Jasmine>\n        at UserContext.<anonymous> (file:///p/spec/a.mjs:4:82)\n        at <Jasmine>\n\n3 specs, 1 failure\nFinished in 0.071 seconds",
    stays: ["1) Cart sums", "Expected 1 to be 2.", "at file:///p/spec/a.mjs:4:82", "3 specs, 1 failure"],
  },
  prove: {
    raw: "#   Failed test 'sum'\n#   at t/a.t line 3.\n#          got: '2'\n#     expected: '3'\n# Looks like you failed 1 test of 6.\nt/a.t .. \nDubious, test returned 1 (wstat 256, 0x100)\nFailed 1/6 subtests \nt/b.t .. ok\n\nTest Summary Report\n-------------------\nt/a.t (Wstat: 256 (exited 1) Tests: 6 Failed: 1)\n  Failed test:  3\nFiles=2, Tests=11,  1 wallclock secs ( 0.01 usr  0.01 sys +  0.07 cusr  0.04 csys =  0.13 CPU)\nResult: FAIL",
    stays: [
      "Failed test 'sum'",
      "at t/a.t:3",
      "  got: '2'",
      "  expected: '3'",
      "t/a.t (Wstat: 256 (exited 1) Tests: 6 Failed: 1)",
      "  Failed test:  3",
      "Files=2, Tests=11",
      "Result: FAIL",
    ],
  },
  sanitizer: {
    raw: "=================================================================\n==85==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000030 at pc 0x564a27cfa2a5 bp 0x7ffdbc1a8f10 sp 0x7ffdbc1a8f08\nREAD of size 4 at 0x602000000030 thread T0\n    #0 0x564a27cfa2a4 in sum /p/a.c:6\n    #1 0x7efe70245249 in __libc_start_call_main ../sysdeps/nptl/libc_start_call_main.h:58\n    #2 0x564a27cfa110 in _start (/p/asan+0x1110)\n\nfreed by thread T0 here:\n    #0 0x7efe704b76a8 in __interceptor_free ../../src/libsanitizer/asan/asan_malloc_linux.cpp:52\n    #1 0x564a27cfa39c in main /p/a.c:7\n\nSUMMARY: AddressSanitizer: heap-use-after-free /p/a.c:6 in sum\nShadow bytes around the buggy address:\n  0x0c047fff7fb0: 00 00 00 00\n=>0x0c047fff8000: fa fa 00[fd]\nShadow byte legend (one shadow byte represents 8 application bytes):\n  Addressable:           00\n==85==ABORTING",
    stays: [
      "ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000030",
      "READ of size 4 at 0x602000000030 thread T0",
      "  at sum /p/a.c:6",
      "freed by thread T0 here:",
      "  at main /p/a.c:7",
      "SUMMARY: AddressSanitizer: heap-use-after-free /p/a.c:6 in sum",
    ],
  },
  valgrind: {
    raw: "==37== Memcheck, a memory error detector\n==37== Copyright (C) 2002-2022, and GNU GPL'd, by Julian Seward et al.\n==37== Command: ./plain\n==37== \n==37== Invalid read of size 4\n==37==    at 0x1091A2: sum (a.c:6)\n==37==    by 0x109232: main (a.c:7)\n==37==  Address 0x4a43090 is 0 bytes inside a block of size 16 free'd\n==37==    at 0x484417B: free (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)\n==37==    by 0x109226: main (a.c:8)\n==37== \n==37== LEAK SUMMARY:\n==37==    definitely lost: 32 bytes in 2 blocks\n==37==    indirectly lost: 0 bytes in 0 blocks\n==37== For lists of detected and suppressed errors, rerun with: -s\n==37== ERROR SUMMARY: 1 errors from 1 contexts (suppressed: 0 from 0)",
    stays: [
      "Invalid read of size 4",
      "  at sum (a.c:6)",
      "  at main (a.c:7)",
      "Address 0x4a43090 is 0 bytes inside a block of size 16 free'd",
      "  at main (a.c:8)",
      "LEAK SUMMARY:",
      "definitely lost: 32 bytes in 2 blocks",
      "ERROR SUMMARY: 1 errors from 1 contexts",
    ],
  },
  "junit-xml": {
    raw: '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n\t<testsuite name="store" tests="3" failures="1">\n\t\t<testcase name="keeps 1" time="0.1"/>\n\t\t<testcase name="keeps 2" time="0.1">\n\t\t\t<failure message="7 is not 8">\n    at keeps (/p/a.test.js:2:96)\n    at run (node:internal/x:1:2)\n\t\t\t</failure>\n\t\t</testcase>\n\t\t<testcase name="keeps 3" time="0.1"/>\n\t</testsuite>\n</testsuites>',
    stays: [
      '\t<testsuite name="store" tests="3" failures="1">',
      '\t\t<testcase name="keeps 2" time="0.1">',
      '\t\t\t<failure message="7 is not 8">',
      "at keeps (/p/a.test.js:2:96)",
    ],
  },
  any: {
    raw: "  ✓ adds two amounts\n  ✓ rounds half up\n  ✗ refuses a negative\n    expected 3 and got 4\n  ✓ prints cents\n\nTotal: 4\nPassed: 3\nFailed: 1",
    stays: ["  ✗ refuses a negative", "    expected 3 and got 4", "Total: 4", "Passed: 3", "Failed: 1"],
  },
};

describe.each([...runners().keys()])("%s", (name) => {
  const { raw, stays } = SAMPLES[name]!;

  it("keeps the failing test, why it failed, where, and the sums", () => {
    expect(shown(name, raw, 1)).toEqual(stays);
  });

  it("is known by its lines alone", () => {
    const apply = testSummary.build({}, () => () => false);
    const result = apply({ lines: sanitise(raw).map(printedLine), exitCode: 1, subject: subjectOf("./ci.sh")! });
    expect(result?.lines.map(({ text }) => text)).toEqual(stays);
  });
});
