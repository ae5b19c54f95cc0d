import type { FormatName } from "../../src/filters/diagnostics/formats/index.ts";

/** Each: what a tool writes, and what it says: `file:line:column label: message`. */
export const SAID: Readonly<Record<string, { readonly as: FormatName; readonly text: string; readonly says: readonly string[] }>> = {
  "tsc --pretty": {
    as: "pretty",
    text: `src/cart.ts:8:1 - error TS2554: Expected 2 arguments, but got 1.

8 need2("x");
  ~~~~~

  src/cart.ts:7:34
    7 export function need2(a: string, b: number) { return a + b; }
                                       ~~~~~~~~~
    An argument for 'b' was not provided.

Found 1 error in src/cart.ts:8`,
    says: [
      "src/cart.ts:8:1 error TS2554: Expected 2 arguments, but got 1.",
      "src/cart.ts:7:34 note: An argument for 'b' was not provided.",
    ],
  },
  "tsc 7 --pretty, a type over several lines": {
    as: "pretty",
    text: `src/a.ts:7:48 - error TS2322: Type 'A' is not assignable to type 'B'.
  Types of property 'ok' are incompatible.
    Type 'string' is not assignable to type 'boolean'.

7 export const b: B = a;
               ~

  src/b.ts:1:16 - The expected type comes from here.
    1 type B = { ok: boolean };
                 ~~`,
    says: [
      "src/a.ts:7:48 error TS2322: Type 'A' is not assignable to type 'B'. Types of property 'ok' are incompatible. Type 'string' is not assignable to type 'boolean'.",
      "src/b.ts:1:16 note: The expected type comes from here.",
    ],
  },
  tsc: {
    as: "paren",
    text: "app/[id]/(shop)/page.tsx(4,16): error TS2349: This expression is not callable.\n  Type 'Number' has no call signatures.\nother",
    says: ["app/[id]/(shop)/page.tsx:4:16 error TS2349: This expression is not callable. Type 'Number' has no call signatures."],
  },
  msbuild: {
    as: "paren",
    text: "/home/dev/app/A.cs(3,20): error CS0029: Cannot convert [/home/dev/app/app.csproj]\n  /home/dev/app/A.cs(3,20): error CS0029: Cannot convert [/home/dev/app/app.csproj]\n/home/dev/lib/B.cs(1,2): warning CS0168: unused [/home/dev/app/app.csproj]",
    says: [
      "/home/dev/app/A.cs:3:20 error CS0029: Cannot convert",
      "/home/dev/lib/B.cs:1:2 warning CS0168: unused [/home/dev/app/app.csproj]",
    ],
  },
  cl: {
    as: "paren",
    text: "C:\\work\\a.cpp(12): error C2065: 'x': undeclared identifier",
    says: ["C:\\work\\a.cpp:12:0 error C2065: 'x': undeclared identifier"],
  },
  rustc: {
    as: "rustc",
    text: `error[E0308]: mismatched types
  --> src/eval.rs:13:5
   |
 6 | pub fn eval(tokens: &[Token]) -> i32 {
   |                                  --- expected \`i32\` because of return type
...
13 |     total
   |     ^^^^^ expected \`i32\`, found \`f64\`
   |
help: you can convert it
   |
13 |     total.try_into().unwrap()
   |          ++++++++++++++++++++

error: could not compile`,
    says: [
      "src/eval.rs:13:5 error[E0308]: mismatched types (expected `i32` because of return type; expected `i32`, found `f64`); help: you can convert it: .try_into().unwrap()",
    ],
  },
  "rustc, a note of ours and one of the library": {
    as: "rustc",
    text: `error[E0061]: this function takes 1 argument
  --> src/a.rs:17:17
   |
17 |     eval();
   |     ^^^^-- argument #1 is missing
   |
note: function defined here
  --> src/a.rs:6:8
   |
 6 | pub fn eval(tokens: i32) {
   |        ^^^^ -----------
note: required by a bound
  --> /rustc/9fc6b431/library/core/src/lib.rs:1:1
   = note: expected enum \`Option<i32>\`
              found type \`i32\``,
    says: [
      "src/a.rs:17:17 error[E0061]: this function takes 1 argument (argument #1 is missing); note: required by a bound; expected enum `Option<i32>`, found type `i32`",
      "src/a.rs:6:8 note: function defined here",
    ],
  },
  "clippy, which names a lint once": {
    as: "rustc",
    text: `warning: unused variable: \`x\`
 --> src/a.rs:4:25
  |
4 | let x = 3;
  |     ^ help: prefix it with an underscore: \`_x\`
  |
  = note: \`#[warn(unused_variables)]\` (part of \`#[warn(unused)]\`) on by default

warning: unused variable: \`y\`
 --> src/b.rs:5:2
  |
5 | let y = 3;
  |     ^

warning: length comparison to zero
 --> src/c.rs:5:43
  |
5 | v.len() == 0
  | ^^^^^^^^^^^^ help: using \`is_empty\` is clearer
  |
  = help: for further information visit https://rust-lang.github.io/rust-clippy/rust-1.95.0/index.html#len_zero`,
    says: [
      "src/a.rs:4:25 warning: unused variable: `x` (unused_variables)",
      "src/b.rs:5:2 warning: unused variable: `y` (unused_variables)",
      "src/c.rs:5:43 warning: length comparison to zero (len_zero)",
    ],
  },
  "ruff in full": {
    as: "rustc",
    text: `F401 [*] \`os\` imported but unused
 --> app/main.py:1:8
  |
1 | import os
  |        ^^
  |
help: Remove unused import: \`os\`

Found 1 error.`,
    says: ["app/main.py:1:8 F401: `os` imported but unused"],
  },
  "ruff of old": {
    as: "colon",
    text: `app/main.py:1:8: F401 [*] \`os\` imported but unused
  |
1 | import os
  |        ^^ F401
  |
  = help: Remove unused import: \`os\``,
    says: ["app/main.py:1:8 F401: [*] `os` imported but unused"],
  },
  gcc: {
    as: "colon",
    text: `In file included from /usr/include/stdio.h:1,
                 from src/store.c:3:
src/store.c: In function ‘store_open’:
src/store.c:7:6: error: no member named ‘nmae’; did you mean ‘name’?
    7 |   s->nmae = name;
      |      ^~~~
      |      name
src/store.c:14:3: error: ‘retrun’ undeclared
src/store.c:14:3: note: each undeclared identifier is reported only once for each function it appears in
src/list.c:3:5: note: previous definition of ‘list’
src/main.c:2:10: fatal error: missing.h: No such file or directory
    2 | #include <missing.h>
      |          ^~~~~~~~~~~
compilation terminated.
make: *** [all] Error 1`,
    says: [
      "src/store.c:7:6 error: no member named ‘nmae’; did you mean ‘name’?",
      "src/store.c:14:3 error: ‘retrun’ undeclared",
      "src/list.c:3:5 note: previous definition of ‘list’",
      "src/main.c:2:10 fatal error: missing.h: No such file or directory",
    ],
  },
  "g++ deep in a header": {
    as: "colon",
    text: `In file included from t.cpp:3:
/usr/include/c++/12/bits/predefined_ops.h: In instantiation of ‘bool less(Key)’:
/usr/include/c++/12/bits/stl_algo.h:1819:14:   required from ‘void std::sort(Key)’
t.cpp:11:12:   required from here
/usr/include/c++/12/bits/predefined_ops.h:45:23: error: no match for ‘operator<’
   45 |       { return *__it1 < *__it2; }
      |                ~~~~~~~^~~~~~~~
/usr/include/c++/12/bits/stl_iterator.h:1246:5: note: candidate: ‘template<class T> bool operator<(T)’
 1246 |     operator<(const T& a)
      |     ^~~~~~~~
/usr/include/c++/12/bits/stl_iterator.h:1246:5: note:   template argument deduction/substitution failed:
t.cpp:11:12: note:   ‘Key’ is not derived from ‘T’`,
    says: ["/usr/include/c++/12/bits/predefined_ops.h:45:23 error: no match for ‘operator<’", "t.cpp:11:12 note: required from here"],
  },
  "gcc 15 with candidates": {
    as: "colon",
    text: `t.cpp:5:3: error: no matching function for call to ‘f(int)’
    5 |   f(1);
      |   ^
  • there are 2 candidates
    • candidate 1: ‘void f()’
      t.cpp:1:6:
          1 | void f();
            |      ^
t.cpp:6:1: error: other`,
    says: ["t.cpp:5:3 error: no matching function for call to ‘f(int)’", "t.cpp:6:1 error: other"],
  },
  clang: {
    as: "colon",
    text: `src/store.c:8:15: note: place parentheses around the assignment
  if (s->size = 4) printf("%d", name);
              ^
      (          )
src/list.c:5:5: error: conflicting types for 'list'
int list(int other) { return other; }
    ^
2 errors generated.`,
    says: ["src/store.c:8:15 note: place parentheses around the assignment", "src/list.c:5:5 error: conflicting types for 'list'"],
  },
  javac: {
    as: "colon",
    text: `src/Desk.java:5: error: cannot find symbol
  void add(String n) { nams.add(n); }
                       ^
  symbol:   variable nams
  location: class Desk
src/Desk.java:3: warning: [unchecked] unchecked conversion
  List<String> names = new ArrayList();
                       ^
  required: List<String>
  found:    ArrayList
5 errors`,
    says: [
      "src/Desk.java:5:0 error: cannot find symbol: variable nams in class Desk",
      "src/Desk.java:3:0 warning: [unchecked] unchecked conversion required: List<String> found: ArrayList",
    ],
  },
  "mypy --pretty": {
    as: "colon",
    text: `app/store.py:6: error: Incompatible default for argument "size" (default has
type "str", argument has type "int")  [assignment]
        def __init__(self, path: str, size: int = "3"):
                                                  ^~~
app/main.py:2: error: stubs not installed
app/main.py:2: note: See https://mypy.readthedocs.io/en/stable/running_mypy.html
Found 2 errors in 2 files`,
    says: [
      'app/store.py:6:0 error: Incompatible default for argument "size" (default has type "str", argument has type "int") [assignment]',
      "app/main.py:2:0 error: stubs not installed",
    ],
  },
  "flake8 and pylint": {
    as: "colon",
    text: "************* Module app.main\napp/main.py:1:0: C0114: Missing module docstring (missing-module-docstring)\napp/main.py:2:1: F401 'os' imported but unused",
    says: ["app/main.py:1:0 C0114: Missing module docstring (missing-module-docstring)", "app/main.py:2:1 F401: 'os' imported but unused"],
  },
  pyright: {
    as: "colon",
    text: '/home/dev/main.py\n  /home/dev/main.py:8:7 - error: Cannot access attribute "remove"\n    \u00a0\u00a0Attribute "remove" is unknown (reportAttribute)\n1 error',
    says: ['/home/dev/main.py:8:7 error: Cannot access attribute "remove" Attribute "remove" is unknown (reportAttribute)'],
  },
  "the form unix": {
    as: "colon",
    text: "/a/b.js:1:5: 'cache' is never used. [Error/no-unused-vars]",
    says: ["/a/b.js:1:5 Error: 'cache' is never used. (no-unused-vars)"],
  },
  eslint: {
    as: "stylish",
    text: `/home/dev/a.js
  2:3   error    Parsing error: Unexpected keyword 'return'
  10:1  warning  This  line has a length of 116  max-len

/home/dev/b.js
  1:5  error  'x' is not defined  @scope/no-undef

✖ 3 problems`,
    says: [
      "/home/dev/a.js:2:3 error: Parsing error: Unexpected keyword 'return'",
      "/home/dev/a.js:10:1 warning: This line has a length of 116 (max-len)",
      "/home/dev/b.js:1:5 error: 'x' is not defined (@scope/no-undef)",
    ],
  },
  "ruff grouped": {
    as: "stylish",
    text: "app/main.py:\n  1:8 F401 [*] `os` imported but unused",
    says: ["app/main.py:1:8 F401: [*] `os` imported but unused"],
  },
  biome: {
    as: "biome",
    text: `src/routes.js:9:3 lint/style/useConst  FIXABLE  ━━━━━━━━━━━━━━━━━━━━━━━

  ! This let declares a variable that is only assigned once.

     7 │ }
   > 9 │   let path = "/data/" + name;
       │   ^^^

  i Safe fix: Use const instead.

    9    │ - let·path
       9 │ + const·path

./src/panel.js format ━━━━━━━━━━━━━━━━━━━━

  × Formatter would have printed the following content:

    1 │ - a
Checked 2 files in 5ms.`,
    says: [
      "src/routes.js:9:3 warning: This let declares a variable that is only assigned once. (lint/style/useConst)",
      "src/panel.js:0:0 error: Formatter would have printed the following content (format)",
    ],
  },
  oxlint: {
    as: "box",
    text: `  ! eslint(no-unused-vars): Variable 'cache' is declared but never used.
   ,-[src/api/routes.js:1:5]
 1 | var cache = {};
   :     ^^|^^
   :       \`-- 'cache' is declared here
 2 | export function find(list, id) {
   \`----
  help: Consider removing this declaration.`,
    says: [
      "src/api/routes.js:1:5 warning: eslint(no-unused-vars): Variable 'cache' is declared but never used. ('cache' is declared here)",
    ],
  },
  rolldown: {
    as: "box",
    text: `[UNRESOLVED_IMPORT] Could not resolve './absent.js' in src/main.js
   ╭─[ src/main.js:1:49 ]
   │
 1 │ import './absent.js'
   │        ──────┬──────
   │              ╰──────── Module not found.
───╯`,
    says: ["src/main.js:1:49 [UNRESOLVED_IMPORT] Could not resolve './absent.js' in src/main.js (Module not found.)"],
  },
  shellcheck: {
    as: "shellcheck",
    text: `In deploy.sh line 2:
cd $DIR
^-----^ SC2164 (warning): Use 'cd ... || exit' in case cd fails.
   ^--^ SC2086 (info): Double quote to prevent globbing.

Did you mean:
cd "$DIR" || exit

For more information:
  https://www.shellcheck.net/wiki/SC2164 -- Use 'cd ...`,
    says: [
      "deploy.sh:2:1 warning SC2164: Use 'cd ... || exit' in case cd fails.",
      "deploy.sh:2:4 info SC2086: Double quote to prevent globbing.",
    ],
  },
  webpack: {
    as: "webpack",
    text: `ERROR in ./src/index.js 41:21-57
Module not found: Error: Can't resolve './x.js' in '/home/dev'
resolve './x.js' in '/home/dev'
  no extension
    /home/dev/x.js doesn't exist

webpack 5.0 compiled with 1 error`,
    says: ["./src/index.js:41:21 ERROR: Module not found: Error: Can't resolve './x.js' in '/home/dev'"],
  },
  maven: {
    as: "maven",
    text: `[ERROR] /home/dev/Desk.java:[8,3] cannot find symbol
  symbol:   class Missing
  location: class shop.Desk
[INFO] BUILD FAILURE
[ERROR] /home/dev/Desk.java:[8,3] cannot find symbol
[ERROR]   symbol:   class Missing
[ERROR]   location: class shop.Desk
[ERROR] -> [Help 1]`,
    says: ["/home/dev/Desk.java:8:3 ERROR: cannot find symbol: class Missing in class shop.Desk"],
  },
  go: {
    as: "go",
    text: "# example.com/shop\n./main.go:5:65: undefined: missing\nvet: store/store.go:14:29: too many return values\n\thave (string, nil)\n\twant (*Store, error)",
    says: ["./main.go:5:65 undefined: missing", "store/store.go:14:29 vet: too many return values have (string, nil) want (*Store, error)"],
  },
  "golangci-lint": {
    as: "go",
    text: "cmd/main.go:12:6: func `unused` is unused (unused)\nfunc unused() {}\n     ^",
    says: ["cmd/main.go:12:6 func `unused` is unused (unused)"],
  },
  prettier: {
    as: "prettier",
    text: '[warn] src/a.js\n[error] src/b.js: SyntaxError: Unexpected token, expected "," (2:10)\n[error]   1 | export function half( {\n[error] > 2 |   return 1;\n[error]     |          ^\n[warn] Code style issues found in 1 file.',
    says: ["src/a.js:0:0 needs formatting", 'src/b.js:2:10 [error]: SyntaxError: Unexpected token, expected ","'],
  },
};
