import { describe, expect, it } from "vitest";
import { accountFor } from "../account.ts";
import { printedLine, sumOf } from "../line.ts";
import { shortTraces } from "./traces.ts";

const short = (text: string) => shortTraces(text.split("\n").map(printedLine));
const textOf = (text: string): string =>
  short(text)
    .lines.map((line) => line.text)
    .join("\n");

describe("a trace", () => {
  it("keeps the exception, its causes, the program's own frames and where it happened", () => {
    const raw = `Exception in thread "main" java.lang.RuntimeException: x
	at java.base/java.util.HashMap.get(HashMap.java:1)
	at org.springframework.web.A.b(A.java:2)
	at com.acme.Shop.place(Shop.java:42)
	at org.apache.catalina.C.d(C.java:3)
	at java.base/java.lang.Thread.run(Thread.java:4)
Caused by: java.io.IOException: disk full
	at com.acme.Disk.write(Disk.java:7)
	... 4 more
`;
    expect(textOf(raw)).toBe(`Exception in thread "main" java.lang.RuntimeException: x
	at java.base/java.util.HashMap.get(HashMap.java:1)
    … 1 frame
	at com.acme.Shop.place(Shop.java:42)
    … 2 frames
Caused by: java.io.IOException: disk full
	at com.acme.Disk.write(Disk.java:7)
    … 4 frames
`);
  });

  it("shows the top of the stack where nothing is the program's own", () => {
    const frames = Array.from({ length: 6 }, (_, n) => `    at fn${n} (node:internal/x:${n}:1)`);
    expect(textOf(["TypeError: x", ...frames].join("\n"))).toBe(["TypeError: x", ...frames.slice(0, 3), "    … 3 frames"].join("\n"));
  });

  it("of Python ends where it happened, and loses its carets", () => {
    const raw = `Traceback (most recent call last):
  File "/home/dev/app.py", line 6, in boot
    load(x)
    ^^^^^^^
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return d.decode(s)
           ^^^^^^^^^^^
  File "/usr/lib/python3.11/json/decoder.py", line 353, in raw_decode
    raise JSONDecodeError("Expecting value", s, err.value) from None
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)`;
    expect(textOf(raw)).toBe(`Traceback (most recent call last):
  File "/home/dev/app.py", line 6, in boot
    load(x)
    … 1 frame
  File "/usr/lib/python3.11/json/decoder.py", line 353, in raw_decode
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)`);
  });

  it("of .NET, Ruby and PHP loses the frames of libraries too", () => {
    const raw = `Unhandled exception. System.InvalidOperationException: x
   at Shop.Orders.Place(Int32 id) in /home/dev/Orders.cs:line 12
   at System.Threading.Tasks.Task.InnerInvoke()
   at Microsoft.AspNetCore.Routing.EndpointMiddleware.Invoke(HttpContext c)
app.rb:3:in 'load': boom (RuntimeError)
	from app.rb:5:in 'boot'
	from /usr/lib/ruby/gems/3.1.0/gems/rack-2.2/lib/rack.rb:9:in 'call'
Stack trace:
#0 /home/dev/app.php(3): total()
#1 /home/dev/vendor/laravel/a.php(9): run()
#2 {main}`;
    expect(textOf(raw)).toBe(`Unhandled exception. System.InvalidOperationException: x
   at Shop.Orders.Place(Int32 id) in /home/dev/Orders.cs:line 12
    … 2 frames
app.rb:3:in 'load': boom (RuntimeError)
	from app.rb:5:in 'boot'
    … 1 frame
Stack trace:
#0 /home/dev/app.php(3): total()
    … 2 frames`);
  });

  it("counts what it left out, and takes no frame for an error", () => {
    const raw =
      "java.lang.Error: x\n\tat com.acme.A.b(A.java:1)\n\tat org.apache.Log.error(Log.java:9)\n\tat java.base/java.lang.Error.init(E.java:2)";
    const { lines, harmless } = short(raw);
    expect(sumOf(lines).covers).toBe(2);
    expect(sumOf(lines).errors + harmless).toBe(sumOf(raw.split("\n").map(printedLine)).errors);
  });

  it("is not what a numbered list is", () => {
    const list = ["1: std::fs", "2: std::io", "3: core::fmt", "4: std::env", "5: std::net"].map((line) => `  ${line}`).join("\n");
    expect(textOf(list)).toBe(list);
  });

  it.each([
    "at noon we met (at the gate)",
    "  12: std::process::exit(1)",
    "main.go(12)",
    "from a.rb import b",
    "#1 fixed",
    "run(all)",
    "    at com.acme.Own.frame(Own.java:1)",
  ])("is not what this line is, or keeps it: %s", (line) => expect(textOf(`a\n${line}\nb`)).toBe(`a\n${line}\nb`));

  it("of Python shows source text only where it happened in the program, and not what is raised", () => {
    const raw = `Traceback (most recent call last):
  File "/home/dev/app.py", line 9, in <module>
    main()
  File "/home/dev/app.py", line 6, in main
    rows = load(path, limit=3)
           ^^^^^^^^^^^^^^^^^^^
  File "/home/dev/rows.py", line 2, in load
    return limit / 0
           ~~~~~~^~~
ZeroDivisionError: division by zero

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/dev/app.py", line 12, in <module>
    raise RuntimeError("no rows") from None
RuntimeError: no rows`;
    expect(textOf(raw)).toBe(`Traceback (most recent call last):
  File "/home/dev/app.py", line 9, in <module>
  File "/home/dev/app.py", line 6, in main
  File "/home/dev/rows.py", line 2, in load
    return limit / 0
ZeroDivisionError: division by zero

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/home/dev/app.py", line 12, in <module>
RuntimeError: no rows`);
  });

  it("of Go is seen where a call stands above its place", () => {
    const raw = `goroutine 1 [running]:
main.load(0x1, 0x2)
\t/home/dev/app/main.go:12 +0x1d
net/http.(*conn).serve(0xc0001)
\t/usr/local/go/src/net/http/server.go:1930 +0x5d
net/http.(*Server).Serve(0xc0002)
\t/usr/local/go/src/net/http/server.go:2960 +0x6d
exit status 2`;
    expect(textOf(raw)).toBe(`goroutine 1 [running]:
main.load(0x1, 0x2)
\t/home/dev/app/main.go:12 +0x1d
    … 2 frames
exit status 2`);
  });

  it("of a group of exceptions keeps each of them, behind its line", () => {
    const raw = `  + Exception Group Traceback (most recent call last):
  |   File "/home/dev/jobs.py", line 9, in <module>
  |     asyncio.run(main())
  |   File "/usr/lib/python3.11/asyncio/runners.py", line 190, in run
  |     return runner.run(main)
  |            ^^^^^^^^^^^^^^^^
  |   File "/usr/lib/python3.11/asyncio/taskgroups.py", line 145, in __aexit__
  |     raise me from None
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/home/dev/jobs.py", line 4, in worker
    |     send(n)
    |   File "/home/dev/jobs.py", line 2, in send
    |     raise ConnectionError(f"worker {n} lost")
    | ConnectionError: worker 1 lost
    +---------------- 2 ----------------
    | KeyError: 'id'
    +------------------------------------`;
    expect(textOf(raw)).toBe(`  + Exception Group Traceback (most recent call last):
  |   File "/home/dev/jobs.py", line 9, in <module>
  |     asyncio.run(main())
    … 1 frame
  |   File "/usr/lib/python3.11/asyncio/taskgroups.py", line 145, in __aexit__
  | ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)
  +-+- 1
    |   File "/home/dev/jobs.py", line 4, in worker
    |   File "/home/dev/jobs.py", line 2, in send
    | ConnectionError: worker 1 lost
    +-- 2
    | KeyError: 'id'`);
    // The lines before each exception are told by their numbers.
    const lines = raw.split("\n").map(printedLine);
    expect(accountFor(lines, shortTraces(lines).lines)).toEqual({ left: 8, partly: 0, values: 0 });
  });

  it("of Node loses the source drawn above it where a frame tells the same place, and the version", () => {
    const raw = `/home/dev/web/src/cart.js:12
  throw new RangeError('empty cart');
  ^

RangeError: empty cart
    at total (/home/dev/web/src/cart.js:12:9)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)

Node.js v22.1.0`;
    expect(textOf(raw).trim()).toBe(`RangeError: empty cart
    at total (/home/dev/web/src/cart.js:12:9)
    … 1 frame`);
  });

  it("of Node keeps the place that only the drawing tells", () => {
    const raw = `/home/dev/web/src/cart.js:3
const total = ;
              ^

SyntaxError: Unexpected token ';'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)
    at Module._compile (node:internal/modules/cjs/loader:1554:14)`;
    expect(textOf(raw)).toContain("/home/dev/web/src/cart.js:3\nconst total = ;");
  });
});
