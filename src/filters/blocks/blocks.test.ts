import { describe, expect, it } from "vitest";
import { speakersOf } from "../command.ts";
import { filterText } from "../filter.ts";
import { printedLine } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { cutBlocks } from "./cut.ts";

const filtered = (command: string, texts: readonly string[], exitCode = 0) =>
  filterText({ command, raw: texts.join("\n"), exitCode }, builtInRules()).text;
/** Which command each block is taken for, and how many lines it has. */
const cut = (command: string, texts: readonly string[]) =>
  cutBlocks(texts.map(printedLine), speakersOf(command)).map(({ as, lines }) => `${as} ${lines.length}`);

const STATUS = [
  "On branch main",
  "Changes not staged for commit:",
  '  (use "git add <file>..." to update what will be committed)',
  "\tmodified:   src/a.c",
  "",
];
const NPM = ["> app@1.0.0 test", "> vitest run", ""];
const VITEST = [
  " RUN  v3.2.4 /app",
  "",
  ...Array.from({ length: 9 }, (_, n) => ` ✓ test/t${n}.test.ts (3 tests) ${n}ms`),
  "",
  " Test Files  9 passed (9)",
  "      Tests  27 passed (27)",
  "   Start at  10:00:00",
  "   Duration  1.20s (transform 10ms, setup 0ms)",
];
const CC = ["a", "b", "c"].map((name) => `cc -Wall -Wextra -O2 -c -o ${name}.o ${name}.c`);

describe("an output is cut", () => {
  it("where another program surely begins", () => {
    expect(cut("git status && npm test", [...STATUS, ...NPM, ...VITEST])).toEqual(["git status 5", "npm run test 19"]);
  });

  it("wherever a loop runs the same program again", () => {
    expect(cut("for p in a b; do (cd $p && npx vitest run); done", [...VITEST, ...VITEST])).toEqual(["vitest run 16", "vitest run 16"]);
  });

  it("once for lines of which a program prints many", () => {
    expect(cut("make; git status", [...CC, ...STATUS])).toEqual(["make 3", "git status 5"]);
  });

  it("where echo announces a command", () => {
    expect(cut('echo "--- one"; ./one; echo "--- two"; ./two', ["--- one", "a", "--- two", "b", "c"])).toEqual(["null 2", "null 3"]);
  });

  it("not where an announcement is said by others too", () => {
    expect(cut('echo "---"; ./one; ./two', ["---", "a", "---", "b"])).toEqual(["null 4"]);
  });

  it("not where nobody on the command line has the name of the program that prints such a line", () => {
    expect(cut("make; ./ci.sh", [...CC, ...STATUS])).toEqual(["make 8"]);
    expect(cut("git log -3; ls", ["commit message:", ...VITEST])).toEqual(["null 17"]);
  });

  it("not into more pieces than a few programs print", () => {
    const many = Array.from({ length: 300 }, (_, n) => (n % 2 === 0 ? "make[1]: Entering directory '/a'" : "running 3 tests"));
    expect(cut("while true; do make; cargo test; done", many)).toEqual(["null 300"]);
  });
});

describe("each block", () => {
  it("takes the rules of its own program, and keeps the line it begins with", () => {
    const text = filtered("git status && npm test", [...STATUS, ...NPM, ...VITEST]);
    expect(text).toContain("On branch main\nunstaged modified: src/a.c");
    expect(text).toContain("> app@1.0.0 test");
    expect(text).toContain("Test Files  9 passed (9)");
    expect(text).not.toContain("t3.test.ts");
  });

  it("is not judged by the exit code of the whole", () => {
    const failing = VITEST.map((line) => line.replace("9 passed (9)", "1 failed | 8 passed (9)").replace(/^ ✓ test\/t4/, " ❯ test/t4"));
    const text = filtered("npx vitest run; git status", [...failing, ...STATUS], 0);
    expect(text).toContain("t4.test.ts");
    expect(text).toContain("1 failed | 8 passed");
  });

  it("of a listing is not taken for a neighbour's", () => {
    const listing = ["total 8", "-rw-r--r-- 1 me me 12 Nov 16 10:00 a.c", "-rw-r--r-- 1 me me 14 Nov 16 10:00 b.c"];
    const text = filtered("./odd && ls -l", ["some odd   words", "in    columns", ...listing]);
    expect(text).toContain("some odd   words\nin    columns");
    const rows = ["a.c", "b.c", "README.md", "x"].map((name, n) => `-rw-r--r-- 1 me me 1${n} Nov 16 10:00 ${name}`);
    expect(filtered("ls -l", rows)).toContain("unless said");
    expect(filtered("./odd; ls -l", rows)).not.toContain("unless said");
  });

  it("that nothing is known of stays as it is", () => {
    const odd = ["alpha beta gamma", "delta epsilon", "zeta eta"];
    expect(filtered("./one; git status", [...odd, ...STATUS])).toContain(odd.join("\n"));
  });
});

describe("a text that was asked for", () => {
  const notes = ["# Notes", "", "", "run `npm test`:", "", ...NPM, ...VITEST];

  it("stays to the last byte when nothing else printed", () => {
    expect(filtered("cat a.md && sed -n 1,60p b.md", notes)).toBe(notes.join("\n"));
  });

  it("stays when it comes after a program that would be shortened", () => {
    expect(filtered("npx vitest run; cat notes.md", [...VITEST, ...notes.filter((line) => line !== "")])).toContain("t3.test.ts");
  });

  it("leaves a block to its rules that surely begins behind it", () => {
    const text = filtered("cat a.txt && git status", ["alpha", "beta", ...STATUS]);
    expect(text).toBe("alpha\nbeta\nOn branch main\nunstaged modified: src/a.c\n[-1 line]");
  });

  it("does not hold back what stands beside it when it is a list of commits", () => {
    const text = filtered("npx vitest run; git log --oneline -2", [...VITEST, "6ea1e45 start", "0ce4c9b more"]);
    expect(text).not.toContain("t3.test.ts");
    expect(text).toContain("6ea1e45 start\n0ce4c9b more");
  });

  it("stays when it looks like the opener of a program that comes later", () => {
    const quoted = notes.filter((line) => line !== "");
    expect(filtered("cat notes.md && npm test", [...quoted, ...NPM, ...VITEST])).toContain(quoted.join("\n"));
  });

  it("stays when it looks like a program that the next command might run", () => {
    const raw = ["notes", ...VITEST.filter((line) => line !== "")];
    expect(filtered("cat notes.md && ./ci.sh", raw)).toBe(raw.join("\n"));
  });
});
