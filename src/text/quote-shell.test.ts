import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { quoteShell, quoteShellAlways } from "./quote-shell.ts";

const WORDS = [
  "",
  "a b",
  "it's",
  "$HOME",
  "`id`",
  "a;b",
  "*",
  "~",
  "~/x",
  "HEAD~1",
  "A=b",
  "--a=b",
  "x\ny",
  "-n",
  "!!",
  "#",
  "ä",
  "a:b,c@d%e+f",
];

it("a word that quoteShell wrote is read back as it was", () => {
  for (const quote of [quoteShell, quoteShellAlways])
    expect(execFileSync("sh", ["-c", `printf '%s\\0' ${WORDS.map(quote).join(" ")}`], { encoding: "utf8" }).split("\0")).toEqual([
      ...WORDS,
      "",
    ]);
});

it("quoteShell leaves a word bare where every shell reads it as it stands", () => {
  expect(["src/a.ts", "--a=b", "HEAD~1", "me@host:x"].map(quoteShell)).toEqual(["src/a.ts", "--a=b", "HEAD~1", "me@host:x"]);
  expect(["A=b", "~", "if x"].map(quoteShell)).toEqual(["'A=b'", "'~'", "'if x'"]);
});

it("quoteShellAlways quotes a keyword, so that it is none", () => {
  expect(quoteShellAlways("if")).toBe("'if'");
});
