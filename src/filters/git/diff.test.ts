import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { subjectOf } from "../command.ts";
import { printedLine, sumOf } from "../line.ts";
import { sanitise } from "../sanitise.ts";
import { gitDiff } from "../strategies/git-diff.ts";

const run = (raw: string, { max }: { readonly max: number }) =>
  gitDiff.build(
    { max_diff_lines: max },
    () => () => false,
  )({
    lines: sanitise(raw).map(printedLine),
    exitCode: 0,
    subject: subjectOf("git diff")!,
  });
const texts = (raw: string, options: { readonly max: number }): string[] => run(raw, options)!.lines.map(({ text }) => text);

/** Edits of a file, and the diff git would print of them. */
const edits = fc.array(
  fc.record({
    kind: fc.constantFrom("same", "same", "same", "same", "added", "removed"),
    text: fc.oneof(
      { weight: 4, arbitrary: fc.stringMatching(/^[a-z {}();=+@-]{1,12}$/) },
      fc.constantFrom("", "", "error: x", "@@ -1 +1 @@", "--- a"),
    ),
  }),
  { minLength: 1, maxLength: 60 },
);
type Edit = { readonly kind: string; readonly text: string };
const files = fc.uniqueArray(
  fc.record({
    path: fc.stringMatching(/^(?:src|lib|a)(?:\/[a-d]){1,3}$/),
    edits: fc.oneof(edits, fc.constant([{ kind: "added", text: "same" }])),
  }),
  { minLength: 1, maxLength: 25, size: "max", selector: ({ path }) => path },
);

const MARKS: Readonly<Record<string, string>> = { same: " ", added: "+", removed: "-" };

function diffOf({ path, edits: all }: { readonly path: string; readonly edits: readonly Edit[] }): string[] {
  const near = all.map((_, n) => all.slice(Math.max(n - 3, 0), n + 4).some(({ kind }) => kind !== "same"));
  const lines = [`diff --git a/${path} b/${path}`, "index 1234567..89abcde 100644", `--- a/${path}`, `+++ b/${path}`];
  let [old, fresh] = [1, 1];
  for (let n = 0; n < all.length; n++) {
    if (near[n] && !near[n - 1]) {
      const end = near.indexOf(false, n);
      const hunk = all.slice(n, end === -1 ? all.length : end);
      const count = (kind: string) => hunk.filter((edit) => edit.kind !== kind).length;
      lines.push(`@@ -${old},${count("added")} +${fresh},${count("removed")} @@`, ...hunk.map(({ kind, text }) => MARKS[kind] + text));
    }
    if (all[n]!.kind !== "added") old++;
    if (all[n]!.kind !== "removed") fresh++;
  }
  return lines;
}

const changesOf = (all: readonly Edit[]): string[] =>
  all.filter(({ kind }) => kind !== "same").map(({ kind, text }) => (MARKS[kind] + text).trimEnd());

/** What is shown, file by file; those that changed alike each have the change. */
function read(lines: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let current: string[][] = [];
  let folders: string[] = [];
  const add = (path: string) => {
    const changes: string[] = [];
    found.set(path, changes);
    current.push(changes);
  };
  let isList = false;
  for (const line of lines) {
    const one = /^diff ([^ ,]+)(?: \([^)]*\))?(?: \+\d+ -\d+)?$/.exec(line);
    const many = /^diff[^:]*(?:the same in \d+ files|not shown):(.*)$/.exec(line);
    if (one || many) current = [];
    if (one) add(one[1]!);
    if (many) {
      folders = [];
      for (const token of many[1]!.split(" ").filter(Boolean)) add(bare(token));
    }
    const depth = /^ */.exec(line)![0].length;
    if (isList && !one && !many && depth > 0 && /^ +[^ ]+\/(?: |$)/.test(line)) {
      const [base = "", ...names] = line.trim().split(" ");
      folders = [...folders.slice(0, depth - 1), base];
      for (const name of names) add(folders.join("") + bare(name));
      continue;
    }
    isList = many !== null;
    if (!one && !many && /^[+-]/.test(line)) for (const changes of current) changes.push(line.trimEnd());
    if (many) isList = true;
  }
  return found;
}

const bare = (token: string): string => token.replace(/:[\d,?]+$|\|\+\d+-\d+$/, "");

describe("the changes", () => {
  it("are all there as long as there is room", () => {
    fc.assert(
      fc.property(files, (all) => {
        const changed = all.filter(({ edits: of }) => changesOf(of).length > 0);
        fc.pre(changed.length > 0);
        const found = read(texts(changed.flatMap(diffOf).join("\n"), { max: 100_000 }));
        expect([...found].sort()).toEqual(changed.map(({ path, edits: of }) => [path, changesOf(of)] as [string, string[]]).sort());
      }),
      { numRuns: 50 },
    );
  });

  it("are shared out when there is not: every file is named, every line is from its file, none is over its room", () => {
    fc.assert(
      fc.property(files, fc.integer({ min: 1, max: 60 }), (all, max) => {
        const changed = all.filter(({ edits: of }) => changesOf(of).length > 0);
        fc.pre(changed.length > 0);
        const raw = changed.flatMap(diffOf).join("\n");
        const found = read(texts(raw, { max }));
        expect([...found.keys()].sort()).toEqual(changed.map(({ path }) => path).sort());
        for (const { path, edits: of } of changed) {
          const rest = changesOf(of);
          for (const line of found.get(path)!) {
            const at = rest.indexOf(line);
            expect(at).toBeGreaterThanOrEqual(0);
            rest.splice(0, at + 1);
          }
        }
        const result = run(raw, { max })!;
        if (result.confidence === "Partial") expect(result.lines.filter(({ text }) => /^[+-]/.test(text)).length).toBeLessThanOrEqual(max);
        expect(sumOf(result.lines).covers).toBeLessThanOrEqual(sumOf(sanitise(raw).map(printedLine)).covers);
      }),
      { numRuns: 50 },
    );
  });

  it("stand where their heads say", () => {
    fc.assert(
      fc.property(edits, (all) => {
        const fresh = all.filter(({ kind }) => kind !== "removed").map(({ text }) => text.trimEnd());
        let at = 0;
        for (const line of texts(diffOf({ path: "x", edits: all }).join("\n"), { max: 100_000 }).slice(1)) {
          const head = /^@@(?: (\d+))?$/.exec(line);
          if (head) at = head[1] === undefined ? Number.NaN : Number(head[1]);
          else if (!line.startsWith("-") && !Number.isNaN(at)) {
            expect(line.slice(1).trimEnd()).toBe(fresh[at - 1]);
            at++;
            // Several blank lines may be shown as one.
            if (line === "") at = Number.NaN;
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it("give small files all of theirs and large ones equal parts", () => {
    const file = (name: string, lines: number) =>
      [`diff --git a/${name} b/${name}`, "new file mode 100644", "--- /dev/null", `+++ b/${name}`, `@@ -0,0 +1,${lines} @@`].concat(
        Array.from({ length: lines }, (_, n) => `+${name} ${n}`),
      );
    const found = read(texts([...file("small", 10), ...file("large", 400), ...file("huge", 4000)].join("\n"), { max: 110 }));
    expect([...found].map(([name, lines]) => [name, lines.length])).toEqual([
      ["small", 10],
      ["large", 50],
      ["huge", 50],
    ]);
  });

  it("say how many lines of a file are missing", () => {
    const lines = Array.from({ length: 40 }, (_, n) => `+line ${n}`);
    const raw = ["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1,41 @@", " a", ...lines].join("\n");
    const result = texts(raw, { max: 10 });
    expect(result[0]).toBe("diff x +40 -0");
    expect(result.at(-1)).toBe(`… ${40 - result.filter((line) => line.startsWith("+")).length} more lines`);
  });
});

it("a change that a commit makes in many places is shown once, and told by its places", () => {
  const change = ["-      - uses: actions/checkout@1111111111111111 # v6", "+      - uses: actions/checkout@2222222222222222 # v7"];
  const hunk = (line: number, above: string) => [`@@ -${line},3 +${line},3 @@ jobs:`, ` ${above}`, ...change, "   with:"];
  const head = (path: string) => [`diff --git a/${path} b/${path}`, "index 1234567..89abcde 100644", `--- a/${path}`, `+++ b/${path}`];
  const raw = [...head("ci.yml"), ...hunk(10, "steps:"), ...hunk(40, "lint:"), ...head("scan.yml"), ...hunk(7, "scan:")].join("\n");
  const shown = texts(raw, { max: 500 });
  expect(shown).toEqual([
    "diff ci.yml",
    "@@ 10 jobs:",
    " steps:",
    ...change,
    "   with:",
    "@@ 40 jobs: (the same change as ci.yml:10)",
    "diff scan.yml",
    "@@ 7 jobs: (the same change as ci.yml:10)",
  ]);
  // Only lines around the changes, and hashes of contents, are left out.
  expect(sumOf(sanitise(raw).map(printedLine)).covers - sumOf(run(raw, { max: 500 })!.lines).covers).toBe(6);
});
