import { readdirSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { subjectOf } from "../command.ts";
import { printedLine, sumOf } from "../line.ts";
import { sanitise } from "../sanitise.ts";
import { gitDiff } from "./git-diff.ts";

const run = (raw: string, { command = "git diff", max = 500 } = {}) =>
  gitDiff.build(
    { max_diff_lines: max },
    () => () => false,
  )({
    lines: sanitise(raw).map(printedLine),
    exitCode: 0,
    subject: subjectOf(command)!,
  });
const texts = (raw: string, options = {}): string[] => run(raw, options)?.lines.map(({ text }) => text) ?? ["(left alone)"];
const shown = (raw: string, options = {}): string => texts(raw, options).join("\n");

describe("a file", () => {
  const head = (...fields: string[]) => ["diff --git a/x.ts b/x.ts", ...fields].join("\n");

  it.each([
    [head("old mode 100644", "new mode 100755"), "diff x.ts (mode 100644 -> 100755)"],
    [head("new file mode 100644", "index 0000000..e69de29"), "diff x.ts (new file)"],
    [head("new file mode 100755", "index 0000000..e69de29"), "diff x.ts (new file mode 100755)"],
    [head("deleted file mode 100644", "index e69de29..0000000"), "diff x.ts (deleted file)"],
    [head("index 1234567..89abcde 100644", "Binary files a/x.ts and b/x.ts differ"), "diff x.ts (binary)"],
    ["diff --git a/a b.ts b/a b.ts\nnew file mode 100644", 'diff "a b.ts" (new file)'],
    ['diff --git "a/\\303\\251" "b/\\303\\251"\nnew file mode 100644', 'diff "\\303\\251" (new file)'],
    ["diff --git i/x.ts w/x.ts\nnew file mode 100644", "diff x.ts (new file)"],
    ["diff --git x.ts x.ts\nnew file mode 100644", "diff x.ts (new file)"],
    ["diff --git a/x.ts a/x.ts\nnew file mode 100644", "diff a/x.ts (new file)"],
    [
      "diff --git a/old dir/x.ts b/new/x.ts\nsimilarity index 95%\nrename from old dir/x.ts\nrename to new/x.ts",
      'diff new/x.ts (rename from "old dir/x.ts", 95%)',
    ],
    ["diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y", "diff y (copy from x, 100%)"],
  ])("has one line for its head: %j", (raw, expected) => {
    expect(shown(raw)).toBe(expected);
  });

  it("is known without git too, by three lines that belong together", () => {
    const raw = "--- x.py\t2026-01-01 10:00:00\n+++ x.py\t2026-01-02 10:00:00\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n";
    expect(shown(raw)).toBe("diff x.py\n@@ 1\n a\n-b\n+c");
    expect(run("--- x.py\n+++ x.py\nand no hunk\n")).toBeNull();
  });

  it("keeps removed and added lines that look like heads", () => {
    const raw = `${head("--- a/x.ts", "+++ b/x.ts", "@@ -1,2 +1,2 @@", "--- a title", "-+++ b", "+++ c", "+diff --git a/y b/y")}\n`;
    expect(texts(raw).slice(2)).toEqual(["--- a title", "-+++ b", "+++ c", "+diff --git a/y b/y"]);
  });

  it("ends where its hunks say: what comes after them is not theirs", () => {
    const raw = `${head("--- a/x.ts", "+++ b/x.ts", "@@ -1,2 +1,2 @@", " a", "-b", "+c")}\n  2 files look odd\n\n+ and more\n`;
    expect(texts(raw).slice(-3)).toEqual(["  2 files look odd", "", "+ and more"]);
  });

  it("keeps a hunk whole that is not made of marked lines", () => {
    const hunk = [" far", " near", "unmarked", "+c", " near", " far"];
    expect(texts(head("--- a/x.ts", "+++ b/x.ts", "@@ -1,4 +1,5 @@", ...hunk)).slice(2)).toEqual(hunk);
  });

  it("keeps the mark of a missing end of line, and lines of Windows", () => {
    const raw = `${head("--- a/x.ts", "+++ b/x.ts", "@@ -1 +1 @@", "-a\r", "\\ No newline at end of file", "+b\r", "\\ No newline at end of file")}\n`;
    expect(texts(raw).slice(2)).toEqual(["-a", "\\ No newline at end of file", "+b", "\\ No newline at end of file"]);
  });

  it("shows packages and versions of a lock file, and counts the rest", () => {
    const raw = `diff --git a/package-lock.json b/package-lock.json
--- a/package-lock.json
+++ b/package-lock.json
@@ -1,8 +1,8 @@
   "packages": {
     "node_modules/left-pad": {
-      "version": "1.0.0",
-      "resolved": "https://r.example/left-pad-1.0.0.tgz",
-      "integrity": "sha512-aaaa",
+      "version": "1.3.0",
+      "resolved": "https://r.example/left-pad-1.3.0.tgz",
+      "integrity": "sha512-bbbb",
       "license": "WTFPL"
     }
`;
    expect(shown(raw)).toBe(
      'diff package-lock.json +3 -3\n     "node_modules/left-pad": {\n-      "version": "1.0.0",\n+      "version": "1.3.0",',
    );
  });
});

describe("a hunk of a merge", () => {
  it("keeps every line with a mark in any column", () => {
    const raw = `diff --cc x.ts
index 1234567,89abcde..0000000
--- a/x.ts
+++ b/x.ts
@@@ -1,4 -1,4 +1,8 @@@ f()
  far
  near
++<<<<<<< HEAD
 +ours
++=======
+ theirs
++>>>>>>> topic
  after
  2 files look odd
* Unmerged path y.ts
`;
    expect(shown(raw)).toBe(
      "diff x.ts\n@@ 2 f()\n  near\n++<<<<<<< HEAD\n +ours\n++=======\n+ theirs\n++>>>>>>> topic\n  after\n  2 files look odd\n* Unmerged path y.ts",
    );
  });
});

it("a change inside a line is left alone", () => {
  const raw = "diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a [-b-]{+c+}\n d\n e\n";
  expect(run(raw, { command: "git diff --word-diff" })).toBeNull();
  expect(run(raw, { command: "git diff --color-words" })).toBeNull();
});

it("the lines around a change that were asked for are kept", () => {
  const around = Array.from({ length: 6 }, (_, n) => ` line ${n}`);
  const raw = [
    "diff --git a/x b/x",
    "index 1234567..89abcde",
    "--- a/x",
    "+++ b/x",
    "@@ -1,12 +1,13 @@",
    ...around,
    "+new",
    ...around,
  ].join("\n");
  expect(texts(raw)).toEqual(["diff x", "@@ 6", " line 5", "+new", " line 0"]);
  for (const command of ["git diff -U6", "git diff --unified=6 HEAD", "git diff -W"])
    expect(texts(raw, { command })).toEqual(["diff x", "@@ 1", ...around, "+new", ...around]);
});

describe("commits", () => {
  const commit = (n: number, body: readonly string[] = [], author = "Ann <ann@example.org>") =>
    [
      `commit ${String(n).padStart(40, "abcdef0123")}`,
      `Author: ${author}`,
      "Date:   Fri Jul 24 10:30:21 2026 +0200",
      "",
      `    Subject ${n}`,
      ...(body.length > 0 ? ["    "] : []),
      ...body.map((line) => `    ${line}`),
      "",
    ].join("\n");

  it("keep hash, refs, author, time and subject", () => {
    const raw = `${commit(1).replace("\nAuthor", " (HEAD -> main, tag: v1)\nMerge: 1234567 89abcde\nAuthor")}\n${commit(2, [], "Bo <bo@example.org>")}\n${commit(3)}`;
    expect(shown(raw, { command: "git log" })).toBe(
      "Author: Ann <ann@example.org>\nabcdef0123 (HEAD -> main, tag: v1) 2026-07-24 10:30 Subject 1 (merge 1234567 89abcde)\nAuthor: Bo <bo@example.org>\nabcdef0123 2026-07-24 10:30 Subject 2\nAuthor: Ann\nabcdef0123 2026-07-24 10:30 Subject 3",
    );
  });

  it("are all there however many, with what weighs most of their messages", () => {
    const long = Array.from({ length: 30 }, (_, n) => `why ${n}: it failed`);
    const raw = Array.from({ length: 60 }, (_, n) => commit(n, n === 7 ? [...long, "BREAKING CHANGE: no more x"] : long)).join("\n");
    const result = texts(raw, { command: "git log -n 60" });
    for (let n = 0; n < 60; n++) expect(result.filter((line) => line.endsWith(` Subject ${n}`))).toHaveLength(1);
    expect(result.filter((line) => line.startsWith(" "))).toEqual([" BREAKING CHANGE: no more x"]);
  });

  it("show their messages when they are few, without signatures", () => {
    const raw = [commit(1, ["because", "of this", "Signed-off-by: Ann <a@b.c>"]), commit(2)].join("\n");
    expect(texts(raw, { command: "git log" }).filter((line) => line.startsWith(" "))).toEqual([" because", " of this"]);
  });

  it("keep what is said among their fields, and what is not theirs", () => {
    const raw = `warning: x\n${commit(1).replace("Date:", "gpg: Good signature\nDate:")}\n${commit(2).replace("\n    Subject", "\nERROR: disk full\n    Subject")}`;
    const result = texts(raw, { command: "git log" });
    expect(result).toContain("warning: x");
    expect(result).toContain("gpg: Good signature");
    expect(result).toContain("ERROR: disk full");
    expect(result.join("\n")).toContain("Subject 2");
  });

  it("are not made of words in a message, or of any other words", () => {
    expect(run("commit 1234567\nwas taken back\n", { command: "git log" })).toBeNull();
    const raw = commit(1, ["commit 1234567890", "Author: nobody", "diff --git a/x b/x"]);
    expect(texts(raw, { command: "git show" })).toEqual([
      "commit abcdef0123abcdef0123abcdef0123abcdef0121",
      "Author: Ann <ann@example.org>",
      "Date: Fri Jul 24 10:30:21 2026 +0200",
      "Subject 1",
      "",
      "commit 1234567890",
      "Author: nobody",
      "diff --git a/x b/x",
    ]);
  });
});

describe("whatever comes in between", () => {
  const folder = new URL("../../../test/golden/filters/", import.meta.url).pathname;
  const raws = readdirSync(folder)
    .filter((rule) => /^git-(?:diff|show|log|log-stat)$/.test(rule))
    .flatMap((rule) => readdirSync(`${folder}${rule}`).map((name) => `${folder}${rule}/${name}`))
    .map((at) => sanitise(readFileSync(`${at}/raw`, "utf8")));

  it("stays, in every output, at every place, whatever had to be cut", () => {
    const strange = fc.oneof(
      fc.constantFrom("ERROR: disk full", "error: cannot read", "fatal: bad object", "Segmentation fault (core dumped)"),
      fc.string({ minLength: 1, maxLength: 40, unit: "grapheme-ascii" }).map((text) => `~ ${text} ~`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...raws), strange, fc.nat(), fc.constantFrom(3, 20, 500), (raw, line, at, max) => {
        const lines = raw.toSpliced(at % (raw.length + 1), 0, line);
        const result = run(lines.join("\n"), { max });
        if (result) expect(result.lines.map(({ text }) => text)).toContain(line.trimEnd());
      }),
      { numRuns: 100 },
    );
  });

  it("never claims more lines than there were", () => {
    for (const raw of raws) {
      for (const max of [3, 50, 500]) {
        expect(sumOf(run(raw.join("\n"), { max })!.lines).covers).toBeLessThanOrEqual(sumOf(raw.map(printedLine)).covers);
      }
    }
  });
});

describe("a graph", () => {
  it("beside changes is drawn before commits only, and the changes read as without it", () => {
    const log = (bar: string, star: string) =>
      [
        `${star}commit ${"a1".repeat(20)}`,
        `${bar}Author: Ann <ann@example.org>`,
        `${bar}Date:   Fri Mar 6 10:00:00 2026 +0000`,
        bar,
        `${bar}    fix: one more`,
        bar,
        `${bar}diff --git a/x.ts b/x.ts`,
        `${bar}index 1111111..2222222 100644`,
        `${bar}--- a/x.ts`,
        `${bar}+++ b/x.ts`,
        `${bar}@@ -1,2 +1,2 @@`,
        `${bar} same`,
        `${bar}-old`,
        `${bar}+new`,
      ].join("\n");
    const options = { command: "git log -p" };
    expect(shown(log("| ", "* "), options)).toBe(shown(log("", ""), options));
    expect(shown(log("| | ", "| * "), options)).toContain("@@ 1\n same\n-old\n+new");
  });
});
