import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/cpu.ts";
import { isErrorShaped } from "./errors.ts";

const BAD = `
error: could not compile \`demo\` (lib) due to 2 previous errors
error[E0308]: mismatched types
src/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.
npm ERR! code ERESOLVE
npm error code E404
ERR_PNPM_FETCH_404  GET https://registry.example/x: Not Found - 404
yarn: command not found
bash: foo: No such file or directory
cat: /etc/shadow: Permission denied
main.c:4:5: error: expected ';' before 'return'
main.c:4:5: fatal error: stdio.h: No such file or directory
collect2: error: ld returned 1 exit status
/usr/bin/ld: undefined reference to \`foo'
make: *** [Makefile:3: all] Error 2
make[1]: *** No rule to make target 'x'.  Stop.
ninja: build stopped: subcommand failed.
FAIL src/x.test.ts
FAILED tests/test_a.py::test_add - assert 3 == 4
E       assert 3 == 4
E   ModuleNotFoundError: No module named 'x'
>       assert add(1, 2) == 4
--- FAIL: TestAdd (0.00s)
not ok 3 - adds
  ✗ adds two numbers
  ✖ 2 of 5 failed
 × src/x.test.ts > adds 3ms
  ● math › adds
❌ deploy
5 failed, 283 passed
Tests run: 5, Failures: 0, Errors: 2, Skipped: 0
test result: FAILED. 3 passed; 1 failed; 0 ignored
1 failing
Failures: 1
BUILD FAILURE
BUILD FAILED in 3s
[ERROR] /home/dev/App.java:[3,5] cannot find symbol
Exception in thread "main" java.lang.NullPointerException
Caused by: java.io.IOException: disk full
java.lang.IllegalStateException: closed
Traceback (most recent call last):
ValueError: invalid literal for int() with base 10: 'x'
KeyError: 'name'
RuntimeError: config /etc/app/config.json is invalid
thread 'main' panicked at src/main.rs:3:5:
panic: runtime error: index out of range [5] with length 3
fatal error: all goroutines are asleep - deadlock!
goroutine 1 [running]: panic
Segmentation fault (core dumped)
Killed
[1]    1234 killed     ./server
Aborted (core dumped)
process exited with code 137
exit status 1
Command failed with exit code 2.
subprocess.CalledProcessError: Command '['x']' returned non-zero exit status 1.
Process completed with exit code 1.
received SIGSEGV
OOMKilled
java.lang.OutOfMemoryError: Java heap space
out of memory: kill process
write /data: no space left on device
ERROR: disk full
error: disk full
[error] disk full
[Sun Dec 04 04:47:44 2005] [error] mod_jk child workerEnv in error state 6
2026-11-14T08:12:58Z ERROR payments charge declined
2026-11-14 08:12:58,379 CRITICAL root: stopped
level=error msg="boom"
time="2026-01-01T00:00:00Z" level=fatal msg="stopped"
{"level":"error","msg":"boom"}
E1115 01:13:04.358555   17399 memcache.go:265] "Unhandled" err="x"
F1115 01:13:04.358555   17399 main.go:12] stopped
Nov 15 01:00:00 web kernel: Out of memory: Killed process 123 (node)
<3>SEVERE: unit stopped
10.0.0.1 - - [15/Nov/2026:01:17:59 +0000] "GET /pay HTTP/1.1" 500 123
< HTTP/1.1 503 Service Unavailable
status=502 path=/x
{"url":"/x","statusCode":502}
dial tcp 127.0.0.1:8080: connect: connection refused
Error: connect ECONNREFUSED 127.0.0.1:5432
Error: ENOENT: no such file or directory, open 'x'
getaddrinfo EAI_AGAIN: ENOTFOUND registry
read: connection reset by peer
context deadline: timed out waiting for the condition
Error from server (Forbidden): pods is forbidden
error: failed to push some refs to 'origin'
! [rejected]        main -> main (fetch first)
CONFLICT (content): Merge conflict in a.ts
fatal: not a git repository (or any of the parent directories): .git
Automatic merge failed; fix conflicts and then commit the result.
E: Unable to locate package foo
E: Could not get lock /var/lib/dpkg/lock - open
dpkg: error processing package x (--configure):
ERROR: Could not find a version that satisfies the requirement foo
error: externally-managed-environment
│ Error: creating bucket: AccessDenied: Access Denied
found 3 vulnerabilities (1 high)
Unhandled rejection TypeError: x is not a function
Uncaught ReferenceError: y is not defined
SyntaxError: Unexpected token }
TypeError: Cannot read properties of undefined (reading 'x')
error CS1002: ; expected
App.java:3: error: ';' expected
warning: unused variable; 3 errors
curl: (7) Failed to connect to localhost port 1: Connection refused
wget: unable to resolve host address 'x'
ssh: connect to host x port 22: Connection timed out
rsync error: some files could not be transferred (code 23)
tar: Exiting with failure status due to previous errors
jq: error (at <stdin>:1): Cannot index number
sha256 mismatch for model.safetensors
x.tar.gz: FAILED
Failed password for root from 10.0.0.1 port 22 ssh2
pam_unix(sshd:auth): authentication failure; user=root
ORA-00942: table or view does not exist
ERROR 1064 (42000): You have an error in your SQL syntax
psql: FATAL:  role "x" does not exist
deadlock detected
Bail out!
Worker 0 failed
attempt 0 failed: retrying
Build of v2.0 failed
エラー：在庫が不足しています
合計 300 件、失敗 1 件
错误：文件不存在
오류: 연결할 수 없습니다
Ошибка: файл не найден
Fehler: Datei fehlt
erreur : fichier introuvable
! Undefined control sequence.
Assertion failed: (x > 0), function f, file a.c, line 3.
stack smashing detected
ERROR-42 in unit 7
`;

const FINE = `
0 errors
Found 0 errors. Watching for file changes.
Found 0 errors in 12 files
no errors
No failures
added 12 packages, and audited 13 packages in 1s; found 0 vulnerabilities
test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured
Tests:       12 passed, 12 total
Tests run: 12, Failures: 0, Errors: 0, Skipped: 0
# fail 0
ℹ fail 0
12 examples, 0 failures
12 passing (30ms)
283 passed, 0 failed
    0 Error(s)
✓ 12 tests completed, 0 failing
localhost : ok=2 changed=1 unreachable=0 failed=0 skipped=0
{"errors":0,"ok":12}
err=<nil> took=3ms
error: null
errors: none
completed without errors
completed without error
an error-free run
test error::tests::handles_failure ... ok
  ✓ reports an error when the disk is full (2 ms)
  ✔ rejects invalid input
ok 3 - fails on invalid input
ok  	example.com/errors	0.003s
PASS src/error.test.ts
--- PASS: TestErrorPath (0.00s)
=== RUN   TestFailure
tests/test_x.py::test_error_handling PASSED                              [ 50%]
[       OK ] Suite.HandlesError (0 ms)
[ RUN      ] Suite.HandlesError
2/9 Test #2: error_path .......................   Passed    0.01 sec
Compiling thiserror v1.0.50
Compiling error-chain v0.12.4
added error-ex@1.3.2
src/error.ts
src/errors/index.ts
node_modules/fail-fast/index.js
Unpacking liberror-perl (0.17029-2) ...
INFO server started on port 3000
Finished \`dev\` profile [unoptimized] target(s) in 0.02s
10.0.0.1 - - [15/Nov/2026:01:17:59 +0000] "GET /x HTTP/1.1" 200 500
[INFO] BUILD SUCCESS
Everything up-to-date
nothing to commit, working tree clean
process exited with code 0
exit status 0
Reading package lists... Done
warning: unused variable: \`x\`
npm warn deprecated glob@7.2.3
total 88
commit 1a2b3c4d
const terror = 1;
polled queue=default jobs=0
GET /healthz 200 7ms
terrorism mirror ferret
`;

const linesOf = (text: string): string[] => text.split("\n").filter((line) => line !== "");

it.each([
  "./package/lib/http-errors/invalid.js",
  "same operation-node/on-conflict-node.js",
  "1.2kB src/errors/NotFoundError.ts",
  " lib/fatal/unexpected.go | 12 ++--",
  "node_modules/es-errors/failed/",
])("a name is no error: %s", (text) => expect(isErrorShaped(text)).toBe(false));

it.each([
  "lib/error.js: cannot be read",
  "FAIL lib/fail.test.ts",
  "com.acme.FatalError: x",
  "open /etc/a/b: permission denied",
  "level.error",
])("what stands beside a name still counts: %s", (text) => expect(isErrorShaped(text)).toBe(true));

describe("a line looks like an error", () => {
  it.each(linesOf(BAD))("%s", (line) => expect(isErrorShaped(line)).toBe(true));
});

describe("a line looks fine", () => {
  it.each(linesOf(FINE))("%s", (line) => expect(isErrorShaped(line)).toBe(false));
});

it("the table has more than 120 lines", () => expect(linesOf(BAD).length + linesOf(FINE).length).toBeGreaterThan(160));

it("a line of any length is looked at in no time", () => {
  const lines = ["errors".repeat(5000), `${"no ".repeat(50_000)}x`, "0, ".repeat(50_000), ": ".repeat(100_000), "E".repeat(200_000)];
  const begun = cpuMs();
  for (const line of lines) isErrorShaped(line);
  expect(cpuMs() - begun).toBeLessThan(400);
});
