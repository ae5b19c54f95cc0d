import { describe, expect, it } from "vitest";
import { realOutputs } from "../../../test/stress/property/outputs.ts";
import { sanitise } from "../sanitise.ts";
import { OPENERS, openingAt } from "./openers.ts";

const opened = (text: string, next = ""): string | null => openingAt(text, next)?.as ?? null;

describe("openers", () => {
  it.each([
    ["On branch main", "", "git status"],
    ["diff --git a/x b/x", "", "git diff"],
    ["commit 1a2b3c4d5e6f7a8b9c0d (HEAD -> main)", "Author: A <a@b.example>", "git log"],
    ["[main (root-commit) 1a2b3c4] first", "", "git commit"],
    ["To git@host.example:a/b.git", "", "git push"],
    ["> @acme/app@1.0.0 lint", "> eslint .", "npm run lint"],
    ["added 12 packages in 3s", "", "npm install"],
    ["app@1.0.0 /home/me/app", "├── a@1.0.0", "npm ls"],
    ["   Compiling serde v1.0.200", "", "cargo build"],
    ["running 12 tests", "", "cargo test"],
    ["running 2 tests from ./a_test.ts", "", "deno test"],
    ["=== RUN   TestAdd", "", "go test"],
    ["ok  \tx.example/y\t0.01s", "", "go test"],
    ["# x.example/y", "./a.go:3:2: undefined: b", "go build"],
    ["===== test session starts =====", "", "pytest"],
    ["PASS src/a.test.ts (5.1 s)", "", "jest"],
    [" RUN  v3.2.4 /app", "", "vitest run"],
    ["make[1]: Entering directory '/a'", "", "make"],
    ["cc -Wall -O2 -c -o a.o a.c", "", "make"],
    ["-- The C compiler identification is GNU 12.2.0", "", "cmake ."],
    ["[INFO] Scanning for projects...", "", "mvn test"],
    ["total 12", "-rw-r--r-- 1 me me 3 Jan  1 10:00 a", "ls -l"],
    ["vite v5.4.1 building for production...", "", "vite build"],
  ])("%j begins what is known", (text, next, as) => {
    expect(opened(text, next)).toBe(as);
  });

  it.each([
    ["total 12", "and more"],
    ["# Heading", "text"],
    ["commit 1a2b3c4d5e6f7a8b9c0d", "to it"],
    ["> app@1.0.0 test", "quoted"],
    ["On branch lines we build", ""],
    ["To be or not to be", ""],
    ["running late", ""],
    ["PASS the salt", ""],
    ["[3/4] Linking dependencies...", ""],
  ])("%j begins nothing", (text, next) => {
    expect(opened(text, next)).toBeNull();
  });

  it("are rarely found in a real output of which the command does not name the program: a script ran it", () => {
    const outputs = realOutputs();
    const strange = outputs.filter(({ command, raw }) => {
      const lines = sanitise(raw.slice(0, 200_000));
      const programs = new Set(lines.map((text, n) => opened(text, lines[n + 1] ?? "")?.split(" ", 1)[0] ?? ""));
      return [...programs].some((program) => !command.includes(program));
    });
    expect(strange.length).toBeLessThan(outputs.length / 20);
  });

  it("are looked for in a long line for no longer than in a short one", () => {
    for (const { see } of OPENERS)
      for (const text of ["> ".repeat(4000), "-".repeat(8000), "a ".repeat(4000), "=".repeat(8000)]) see.test(text);
    expect(opened(`On branch ${"x".repeat(8000)}`)).toBeNull();
  });
});
