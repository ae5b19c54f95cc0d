/** Small projects for the rows, added to the home of test/stress/box/home.mjs. No package is loaded from anywhere: what a project needs is written here. */
export const PROJECTS = `
cd {{home}}; printf '*.swp\\n' > .config/git/ignore; git config --global core.excludesFile {{home}}/.config/git/ignore
repo pkg; mkdir -p src/pkg/{test,src,node_modules/.bin,node_modules/hello}; echo node_modules > src/pkg/.gitignore
echo '{"name":"pkg","version":"1.0.0","scripts":{"test":"node -e \\"console.log(\\\\\\"tests ok\\\\\\")\\"","dev":"node src/server.mjs"}}' > src/pkg/package.json
echo 'import test from "node:test"; test("adds", () => {});' > src/pkg/test/a.test.mjs
echo 'import http from "node:http"; http.createServer((q, r) => r.end("hello " + q.url)).listen(Number(process.env.PORT), "127.0.0.1");' > src/pkg/src/server.mjs
printf '#!/bin/sh\\necho hello from bin\\n' > src/pkg/node_modules/hello/run; chmod +x src/pkg/node_modules/hello/run; ln -s ../hello/run src/pkg/node_modules/.bin/hello; echo '{"name":"hello","version":"1.0.0","bin":"run"}' > src/pkg/node_modules/hello/package.json; seal pkg
mkdir -p src/mono/node_modules/@m; ln -s ../../packages/lib src/mono/node_modules/@m/lib; echo 'module.exports = 42;' > src/mono/packages/lib/index.cjs; echo '{"name":"@m/lib","main":"index.cjs"}' > src/mono/packages/lib/package.json
echo 'console.log("answer", require("@m/lib"));' > src/mono/packages/app/test.cjs; echo node_modules > src/mono/.gitignore; seal mono
repo husky; mkdir -p src/husky/.husky/_; printf '#!/bin/sh\\necho hook ran > .hook-ran\\n' > src/husky/.husky/_/pre-commit; chmod +x src/husky/.husky/_/pre-commit; echo .hook-ran > src/husky/.gitignore; seal husky; git -C src/husky config core.hooksPath .husky/_
repo py; printf 'import unittest\\nclass T(unittest.TestCase):\\n    def test_a(self): self.assertEqual(1, 1)\\n' > src/py/test_a.py; printf '.venv\\n__pycache__\\n' > src/py/.gitignore
if command -v python3 > /dev/null; then python3 -m venv --without-pip src/py/.venv; echo 'word = "helped"' > "$(echo src/py/.venv/lib/python3*/site-packages)/helper.py"; fi; seal py
repo c; printf 'all: a\\na: a.c\\n\\tcc -o a a.c\\ntest: a\\n\\t./a\\n' > src/c/Makefile; printf '#include <stdio.h>\\nint main(void) { puts("c ok"); return 0; }\\n' > src/c/a.c; printf 'cmake_minimum_required(VERSION 3.10)\\nproject(a C)\\nadd_executable(a a.c)\\n' > src/c/CMakeLists.txt; printf 'a\\nbuild\\n' > src/c/.gitignore; seal c
repo rust; mkdir -p src/rust/src; printf '[package]\\nname = "r"\\nversion = "0.1.0"\\nedition = "2021"\\n' > src/rust/Cargo.toml; printf 'fn add(a: i32, b: i32) -> i32 { a + b }\\n#[test]\\nfn adds() { assert_eq!(add(1, 2), 3); }\\nfn main() { println!("rust {}", add(1, 2)); }\\n' > src/rust/src/main.rs; echo target > src/rust/.gitignore; seal rust
repo go; printf 'module example.org/g\\n\\ngo 1.19\\n' > src/go/go.mod; printf 'package main\\n\\nimport "fmt"\\n\\nfunc add(a, b int) int { return a + b }\\nfunc main() { fmt.Println("go", add(1, 2)) }\\n' > src/go/main.go; printf 'package main\\n\\nimport "testing"\\n\\nfunc TestAdd(t *testing.T) { if add(1, 2) != 3 { t.Fatal() } }\\n' > src/go/main_test.go; seal go
repo java; printf 'public class A { public static void main(String[] a) { System.out.println("java ok"); } }\\n' > src/java/A.java; echo out > src/java/.gitignore; seal java
`;
