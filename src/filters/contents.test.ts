import { describe, expect, it } from "vitest";
import { contentsAsked } from "./contents.ts";

describe("the contents that a command line asks for", () => {
  it.each([
    ["cat src/auth.py", ["auth.py"]],
    ["cd app && sudo cat a.txt b.txt 2>&1 | head -n 50", ["a.txt", "b.txt"]],
    ["git -C app diff HEAD~1 -- src/auth.py", ["diff", "HEAD~1", "auth.py", "app"]],
    ["git show HEAD:src/auth.py", ["show", "auth.py"]],
    ["git log -p -3", ["log"]],
    ["npm test; tail -n 5 out.log", ["5", "out.log"]],
    ["for f in *.py; do cat $f; done", []],
  ])("are those of `%s`", (command, names) => {
    expect(contentsAsked(command)?.lines).toBe("all");
    for (const name of names) expect(contentsAsked(command)?.names).toContain(name);
  });

  it.each([
    "npm test",
    "make 2>&1 | tail -n 50",
    "git log -3",
    "git status",
    "cat a > b",
    "grep -rn x src",
    "echo done",
    "cat a > b && make | cat",
  ])("are none for `%s`, which tells what it does", (command) => expect(contentsAsked(command)).toBeNull());

  it("are exact lines where a range of them was named", () => {
    expect(contentsAsked("sed -n '10,80p' auth.py")?.lines).toBe("chosen");
    expect(contentsAsked("sed -n 10,80p auth.py; cat b.py")?.lines).toBe("all");
    expect(contentsAsked("sed -n '/def/p' auth.py")?.lines).toBe("all");
  });
});
