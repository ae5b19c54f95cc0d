// What somebody who debugs would ask of each output, the answer, and the rule by which a reader finds it (tasks-reader.mjs).
// Written from the raw outputs; each rule must find the right answer there, which the bench checks first.

/** `recorded` is a folder of test/golden/recorded; the log is made by tasks-ways.mjs. */
export const TASKS = [
  {
    recorded: "unittest-subtests",
    questions: [
      { ask: "which test ended with an error?", expect: "test_unknown_tier_is_refused", take: /^ERROR: (\w+)/ },
      { ask: "which exception?", expect: "KeyError: 'platinum'", from: /^ERROR: test_unknown/, within: 12, take: /^(\w+Error: .+)$/ },
      {
        ask: "in which line of discount.py?",
        expect: "7",
        from: /^ERROR: test_unknown/,
        within: 12,
        take: /discount\.py(?:", line |:)(\d+), in discounted|pricing\/discount\.py:(\d+)/,
      },
      { ask: "which tier failed?", expect: "gold", from: /^FAIL: test_tiers/, take: /tier='(\w+)'/ },
      { ask: "what did it get?", expect: "88.00", from: /^FAIL: test_tiers/, within: 8, take: /Decimal\('([\d.]+)'\) != / },
      { ask: "and for the German comma?", expect: "1250", from: /^FAIL: test_german_comma/, within: 8, take: /Decimal\('([\d.]+)'\) != / },
      { ask: "how many tests ran?", expect: "37", take: /^Ran (\d+) tests/ },
      { ask: "how many failures?", expect: "2", take: /failures=(\d+)/ },
    ],
  },
  {
    recorded: "cargo-workspace",
    questions: [
      { ask: "which crate has the test of thirds?", expect: "ledger", take: /-p (\w+) --test rounding/ },
      { ask: "which other crate fails?", expect: "parser", take: /-p (\w+) --lib/ },
      {
        ask: "what was left?",
        expect: "9999",
        from: /rounding_of_thirds.*panicked|panicked.*rounding\.rs/,
        within: 4,
        take: /left: (\d+)/,
      },
      {
        ask: "at which line?",
        expect: "crates/parser/src/lib.rs:12",
        from: /reads_one_digit.*panicked/,
        within: 1,
        take: /([\w/]+\.rs:\d+)/,
      },
      { ask: "what was expected of one digit?", expect: "Some(1250)", from: /reads_one_digit.*panicked/, within: 5, take: /right: (\S+)/ },
      { ask: "how many targets failed?", expect: "2", take: /error: (\d+) targets failed/ },
    ],
    never: [/all tests passed/i],
  },
  {
    recorded: "go-panic",
    questions: [
      { ask: "which test panicked?", expect: "TestNextOfMissingJob", take: /^--- FAIL: (\w+)/ },
      {
        ask: "what was the panic?",
        expect: "invalid memory address or nil pointer dereference",
        take: /^\s*panic: runtime error: (.+?)(?: \[|$)/,
      },
      { ask: "in which own line?", expect: "queue/queue.go:9", from: /^\s*panic:/, within: 20, take: /(queue\/queue\.go:\d+)/ },
      { ask: "which line of the test?", expect: "queue_test.go:25", from: /^\s*panic:/, within: 20, take: /(queue_test\.go:\d+)/ },
      { ask: "what did Key return?", expect: "acme/9", take: /store_test\.go:7: Key\(\) = "([^"]+)"/ },
      { ask: "how many packages failed?", expect: "2", pick: "count", take: /^FAIL\s+example\.com/ },
    ],
    never: [/FAIL: TestNeverReached/],
  },
  {
    recorded: "make-parallel",
    questions: [
      { ask: "which file does not compile?", expect: "frame.c:5", take: /(\w+\.c:\d+):\d+: error/ },
      { ask: "why?", expect: "size", take: /error: .*no member named .(\w+)./ },
      { ask: "which target failed?", expect: "frame.o", take: /\*\*\* \[Makefile:\d+: (\S+)\]/ },
      { ask: "which variable may be uninitialised?", expect: "sum", take: /warning: .(\w+). may be used uninitialized/ },
      { ask: "where is the unused variable?", expect: "ring.c:3", take: /(\w+\.c:\d+):\d+: warning: unused variable/ },
      { ask: "where is the unused parameter?", expect: "main.c:2", take: /(\w+\.c:\d+):\d+: warning: unused parameter/ },
    ],
  },
  {
    recorded: "cmake-package",
    questions: [
      { ask: "which package is missing?", expect: "GeoTiles", take: /configuration file provided by "(\w+)"/ },
      { ask: "in which version?", expect: "3.2", take: /requested version ([\d.]+)/ },
      { ask: "which line asks for it?", expect: "CMakeLists.txt:11", take: /CMake Error at (\S+:\d+)/ },
      { ask: "which variable may name its folder?", expect: "GeoTiles_DIR", take: /"(\w+_DIR)"/ },
      { ask: "which function is not there?", expect: "strlcpy", take: /Looking for (\w+) - not found|not found: (\w+)/ },
      { ask: "where is the log of errors?", expect: "build/CMakeFiles/CMakeError.log", take: /(build\/CMakeFiles\/CMakeError\.log)/ },
    ],
    never: [/Looking for stdint\.h - not found/, /Build files have been written/],
  },
  {
    recorded: "git-chain",
    questions: [
      { ask: "which commit was made?", expect: "72adc29", take: /\[main ([0-9a-f]{7})\]/ },
      { ask: "how many files changed?", expect: "4", take: /(\d+) files? changed/ },
      { ask: "which branch reached the remote?", expect: "feature/pool", take: /\[new branch\]\s+HEAD -> (\S+)/ },
      { ask: "which branch was refused?", expect: "main", take: /\[remote rejected\]\s+\w+ -> (\w+)/ },
      { ask: "by which rule?", expect: "14", take: /main is protected.*\(rule (\d+)\)/ },
      { ask: "what was renamed?", expect: "docs/{a.md => guide.md}", take: /rename (\S+ => \S+)/ },
    ],
    never: [/\[remote rejected\] HEAD -> feature/],
  },
  {
    recorded: "npm-workspaces",
    questions: [
      { ask: "which package fails?", expect: "@shop/mail@1.4.0", take: /^(?:npm error )?workspace (\S+)/ },
      { ask: "which test?", expect: "mail shows cents with two digits", take: /^\s*not ok \d+ - (.+)$/ },
      { ask: "where?", expect: "mail.test.js:5", from: /not ok 2/, within: 25, take: /(mail\.test\.js:\d+)/ },
      { ask: "what was expected?", expect: "Order 7: 10.50 EUR", from: /not ok 2/, within: 25, take: /expected: '(.+)'|^\s*- '(.+)'/ },
      { ask: "what came?", expect: "Order 7: 10.5 EUR", from: /not ok 2/, within: 25, take: /actual: '(.+)'|^\s*\+ '(.+)'/ },
      { ask: "how did the run end?", expect: "failed", pick: "verdict" },
      { ask: "how many tests has search?", expect: "15", from: /@shop\/search/, within: 100, take: /(?:^|# )tests (\d+)/ },
      { ask: "how many tests has cart?", expect: "12", from: /@shop\/cart/, within: 100, take: /(?:^|# )tests (\d+)/ },
    ],
    never: [/workspace @shop\/(?:cart|search)/],
  },
  {
    recorded: "compose-up",
    questions: [
      { ask: "which service ended?", expect: "api-1", take: /^(\S+) exited with code/ },
      { ask: "with which code?", expect: "137", take: /exited with code (\d+)/ },
      { ask: "which request failed?", expect: "/orders/4040", take: /ERROR GET (\S+) 500/ },
      {
        ask: "what did the database say?",
        expect: "remaining connection slots are reserved for superuser connections",
        take: /FATAL: {2}(.+)$/,
      },
      { ask: "in which own line?", expect: "/app/src/db/pool.js:48", take: /\((\/app\/src\/db\/\w+\.js:\d+)/ },
      { ask: "on which port is the database?", expect: "5432", take: /listening on IPv4 .* port (\d+)/ },
      { ask: "which version is it?", expect: "15.6", take: /PostgreSQL ([\d.]+)/ },
    ],
    never: [/(?:web|db)-1 exited with code/],
  },
  {
    recorded: null,
    command: "python3 worker.py | tee worker.log",
    questions: [
      { ask: "which order was refused?", expect: "58213", take: /charge refused order=(\d+)/ },
      { ask: "why?", expect: "card_expired", take: /charge refused .*code=(\w+)/ },
      { ask: "when?", expect: "11:06:00", take: /(\d\d:\d\d:\d\d)\S* ERROR payments charge refused/ },
      {
        ask: "what could not be written?",
        expect: "KeyError: 'ledger_id'",
        from: /cannot write ledger/,
        within: 5,
        take: /^(\w+Error: .+)$/,
      },
      { ask: "which dead letter?", expect: "dl-77120", take: /dead letter id=(\S+)/ },
      { ask: "how many mail hosts timed out?", expect: "3", pick: "distinct", take: /\bmail-(\d)\b/ },
    ],
  },
  {
    recorded: "pytest-scary",
    questions: [
      { ask: "how did the run end?", expect: "passed", pick: "verdict" },
      { ask: "how many passed?", expect: "12", take: /(\d+) passed/ },
      { ask: "how many were skipped?", expect: "1", take: /(\d+) skipped/ },
      { ask: "why?", expect: "needs a real queue", take: /SKIP(?:PED)?\b.*?[:(] ?(needs a real queue)/ },
      { ask: "which known failure is left?", expect: "test_known_failure", take: /XFAIL.*::(\w+)/ },
    ],
    never: [/\b[1-9]\d* failed\b/],
  },
  {
    recorded: "tap-tee",
    questions: [
      { ask: "how did the run end?", expect: "failed", pick: "verdict" },
      { ask: "which test failed?", expect: "147", take: /^\s*not ok (\d+)/ },
      { ask: "what was expected?", expect: "2026-03-29T01:30:00+01:00", from: /^\s*not ok 147/, within: 5, take: /expected: '(.+)'/ },
      { ask: "what came?", expect: "2026-03-29T03:30:00+02:00", from: /^\s*not ok 147/, within: 5, take: /actual: +'(.+)'/ },
      { ask: "where?", expect: "test/import.sh line 88", from: /^\s*not ok 147/, within: 6, take: /at: (.+)$/ },
    ],
    never: [/240 (?:tests )?pass/i, /all (?:240 )?(?:tests )?pass/i],
  },
  {
    recorded: "python-chain",
    questions: [
      { ask: "which file is modified?", expect: "app/slots.py", take: /^ ?M (\S+)/ },
      { ask: "which file is new?", expect: "notes.txt", take: /^\?\? (\S+)/ },
      {
        ask: "which exception?",
        expect: "TypeError: '<' not supported between instances of 'dict' and 'dict'",
        take: /^E +(TypeError: .+)$/,
      },
      { ask: "in which line?", expect: "app/slots.py:3", take: /(app\/slots\.py:\d+)/ },
      {
        ask: "what did test_edge get?",
        expect: "[] == [{'start': 9}]",
        from: /_ test_edge _|test_edge$|test_edge\b/,
        within: 12,
        take: /^E +(?:AssertionError: )?assert (.+)$/,
      },
      { ask: "how many failed?", expect: "2", take: /(\d+) failed/ },
      { ask: "how large are the tests?", expect: "12K", take: /^(\S+)\s+tests$/ },
      { ask: "which commit is the last?", expect: "6ea1e45", take: /^([0-9a-f]{7}) start/ },
    ],
  },
];
