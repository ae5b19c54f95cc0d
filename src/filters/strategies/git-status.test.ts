import { readdirSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { subjectOf } from "../command.ts";
import { filterText } from "../filter.ts";
import { printedLine, sumOf } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { sanitise } from "../sanitise.ts";
import { gitStatus } from "./git-status.ts";

const run = (raw: string, exitCode = 0) =>
  gitStatus.build({}, () => () => false)({ lines: sanitise(raw).map(printedLine), exitCode, subject: subjectOf("git status")! });
const shown = (raw: string, exitCode = 0): string =>
  run(raw, exitCode)
    ?.lines.map(({ text }) => text)
    .join("\n") ?? "(left alone)";

describe("state", () => {
  it("keeps branch and relation, and a clean tree in git's own words", () => {
    const raw = "On branch main\nYour branch is up to date with 'origin/main'.\n\nnothing to commit, working tree clean\n";
    expect(run(raw)).toBeNull();
    expect(filterText({ command: "git status", raw, exitCode: 0 }, builtInRules()).text).toContain("nothing to commit, working tree clean");
  });

  it("keeps the message that conflicts are fixed, and drops what to type", () => {
    const raw = `On branch main
You have unmerged paths.
  (fix conflicts and run "git commit")
  (use "git merge --abort" to abort the merge)

All conflicts fixed but you are still merging.
  (all conflicts fixed: run "git commit")
`;
    expect(shown(raw)).toBe(
      'On branch main\nYou have unmerged paths.\nAll conflicts fixed but you are still merging.\n  (all conflicts fixed: run "git commit")',
    );
  });

  it("leaves another language alone", () => {
    const raw = `Auf Branch main
Ihr Branch ist auf demselben Stand wie 'origin/main'.

Zum Commit vorgemerkte Änderungen:
  (benutzen Sie "git restore --staged <Datei>..." zum Entfernen aus der Staging-Area)
	neue Datei:     src/a.ts
	geändert:       src/b.ts
	gelöscht:       src/c.ts
`;
    expect(run(raw)).toBeNull();
  });

  it("leaves names in columns as they are", () => {
    expect(shown("Untracked files:\n\ta.txt   b.txt\n\tc.txt   d.txt\n")).toContain("\ta.txt   b.txt\n\tc.txt   d.txt");
  });

  it("keeps what is said between the names of a section, and goes on with it", () => {
    const raw = "Changes not staged for commit:\n\tmodified:   a\nwarning: could not open directory 'x/'\n\tmodified:   b\n";
    expect(shown(raw)).toBe("unstaged modified: a\nwarning: could not open directory 'x/'\nunstaged modified: b");
  });

  it("does not take names below a refusal for those of a section", () => {
    const raw = "Untracked files:\n\ta\n\nerror: The following files would be overwritten:\n\tb\n\tc\n";
    expect(shown(raw)).toBe("untracked: a\nerror: The following files would be overwritten:\n\tb\n\tc");
  });
});

describe("the names", () => {
  const KINDS: Readonly<Record<string, readonly string[]>> = {
    "Changes to be committed": ["new file", "modified", "deleted", "renamed", "typechange"],
    "Changes not staged for commit": ["modified", "deleted"],
    "Unmerged paths": ["both modified", "deleted by them", "both added"],
    "Untracked files": [""],
    "Ignored files": [""],
  };
  const SHORT: Readonly<Record<string, string>> = {
    "Changes to be committed": "staged",
    "Changes not staged for commit": "unstaged",
    "Unmerged paths": "unmerged",
    "Untracked files": "untracked",
    "Ignored files": "ignored",
  };
  const part = fc.stringMatching(/^[a-zA-Z0-9._+=@(){}[\]|,;:-][a-z .()-]{0,6}[a-z0-9)]$|^[a-c]$/).filter((name) => !name.includes("  "));
  const path = fc
    .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom("src", "lib", "my docs", "a", "b", "..") }, part), {
      minLength: 1,
      maxLength: 6,
    })
    .map((parts) => parts.join("/"))
    .filter((name) => !/ -> |\.\.$/.test(name));
  const name = fc.oneof(
    { weight: 9, arbitrary: path },
    path.map((one) => `"${one}\\303\\251"`),
    path.map((one) => `${one}/`),
  );
  const entry = fc
    .constantFrom(...Object.keys(KINDS))
    .chain((section) =>
      fc
        .constantFrom(...KINDS[section]!)
        .chain((kind) =>
          kind === "renamed"
            ? fc.tuple(path, path).map(([from, to]) => ({ section, kind, path: `${from} -> ${to}` }))
            : name.map((one) => ({ section, kind, path: one })),
        ),
    );
  const entries = fc.uniqueArray(entry, {
    minLength: 1,
    maxLength: 250,
    size: "max",
    selector: ({ section, path: at }) => `${section} ${at}`,
  });

  it("are all there, each can be put together again", () => {
    fc.assert(
      fc.property(entries, (all) => {
        const raw = Object.keys(KINDS).flatMap((section) => {
          const here = all.filter((one) => one.section === section);
          const lines = here.map((one) => (one.kind === "" ? `\t${one.path}` : `\t${one.kind}:   ${one.path}`));
          return here.length > 0 ? [`${section}:`, '  (use "git add <file>..." to do so)', ...lines, ""] : [];
        });
        const text = shown(["On branch main", ...raw].join("\n"));
        const expected = all.map((one) => `${SHORT[one.section]} ${one.kind}`.trim().concat(`: ${one.path}`));
        expect(rebuilt(text).sort()).toEqual(expected.sort());
      }),
      { numRuns: 50 },
    );
  });

  it("of copies to one place stay apart", () => {
    const raw =
      'On branch main\nChanges to be committed:\n  (use "git add <file>..." to do so)\n\trenamed:   a -> b\n\trenamed:   c -> b\n\trenamed:   d -> b\n';
    for (const one of ["a -> b", "c -> b", "d -> b"]) expect(shown(raw)).toContain(one);
  });

  /** `label: path` for every path of a shown status. */
  function rebuilt(text: string): string[] {
    const found: string[] = [];
    let label = "";
    let folders: { readonly depth: number; readonly path: string }[] = [];
    for (const line of text.split("\n")) {
      const heading = /^((?:staged|unstaged|unmerged|untracked|ignored)(?: [a-z ]+)?):(.*)$/.exec(line);
      const depth = /^ */.exec(line)![0].length;
      if (heading) {
        label = heading[1]!;
        folders = [];
      }
      if (!heading && depth === 0) continue;
      const tokens = tokensOf(heading ? heading[2]! : line);
      if (label.endsWith("renamed")) {
        const [from = "", arrow, to = "", ...names] = tokens;
        const plain = (token: string) => (token === "./" ? "" : token);
        if (arrow !== "->") continue;
        if (names.length === 0) found.push(`${label}: ${from} -> ${to}`);
        else for (const one of names) found.push(`${label}: ${plain(from)}${one} -> ${plain(to)}${one}`);
        continue;
      }
      folders = folders.filter((folder) => folder.depth < depth);
      const inside = folders.at(-1)?.path ?? "";
      const base = heading ? "" : inside + tokens.shift()!;
      if (!heading) folders.push({ depth, path: base });
      for (const one of tokens) found.push(`${label}: ${one.startsWith('"') ? one : base + one}`);
    }
    return found;
  }

  /** Words, or what stands in quotes. What git itself put in quotes keeps them. */
  const tokensOf = (line: string): string[] =>
    [...line.matchAll(/"([^"]*)"|[^ ]+/g)].map(([whole, inner]) => (inner === undefined || inner.includes("\\") ? whole : inner));
});

describe("work", () => {
  it("drops progress that arrived, keeps how far one came that did not", () => {
    const raw =
      "Cloning into 'x'...\nremote: Counting objects: 100% (5/5), done.\nReceiving objects:  37% (240/638), 1.20 MiB | 3.00 MiB/s\nfatal: early EOF\n";
    expect(shown(raw, 128)).toBe("Cloning into 'x'...\nReceiving objects:  37% (240/638), 1.20 MiB | 3.00 MiB/s\nfatal: early EOF");
    expect(shown(raw.replace("fatal: early EOF\n", ""), 0)).toBe("Cloning into 'x'...");
  });

  it("keeps lines that only look like progress", () => {
    const raw = "Counting objects: error 5\nCounting errors: 5\nResolving deltas: failed\nhint: what to do\n";
    expect(shown(raw)).toBe("Counting objects: error 5\nCounting errors: 5\nResolving deltas: failed");
  });

  it("keeps a hint that names a hook", () => {
    const raw =
      "hint: The '.husky/pre-commit' hook was ignored because it's not set as executable.\nhint: You can disable this warning with x\n";
    expect(shown(raw)).toBe("hint: The '.husky/pre-commit' hook was ignored because it's not set as executable.");
  });

  it("keeps a table that is no list of changes", () => {
    expect(run(" src/a.ts | 12 ++\n src/b.ts | 3 +\nand so on\n")).toBeNull();
  });

  it("does not look at a table without end more than once", () => {
    const raw = Array.from({ length: 10_000 }, (_, n) => ` src/file${n}.ts | 12 +++`).join("\n");
    const start = cpuMs();
    expect(run(raw)).toBeNull();
    expect(cpuMs() - start).toBeLessThan(6000);
  });

  it("keeps a stack trace of a hook as it is", () => {
    const trace = "\tat a.b.C(C.java:1)\n\tat a.b.D(D.java:2)\n\tat a.b.E(E.java:3)";
    expect(shown(`hint: x\njava.lang.Error\n${trace}`)).toContain(trace);
  });
});

describe("whatever comes in between", () => {
  const folder = new URL("../../../test/golden/filters/", import.meta.url).pathname;
  const raws = readdirSync(folder)
    .filter((rule) => /^git-(?:status|work)$/.test(rule))
    .flatMap((rule) => readdirSync(`${folder}${rule}`).map((name) => `${folder}${rule}/${name}`))
    .map((at) => ({ raw: readFileSync(`${at}/raw`, "utf8"), exitCode: Number(readFileSync(`${at}/exit`, "utf8")) }));

  it("stays, in every output, at every place", () => {
    const strange = fc.oneof(
      fc.constantFrom(
        "ERROR: disk full",
        "error: hook declined",
        "fatal: bad object",
        "    at x (y.js:1:2)",
        "Segmentation fault (core dumped)",
      ),
      fc.string({ minLength: 1, maxLength: 40, unit: "grapheme-ascii" }).map((text) => `~ ${text} ~`),
    );
    fc.assert(
      fc.property(fc.constantFrom(...raws), strange, fc.nat(), ({ raw, exitCode }, line, at) => {
        const lines = sanitise(raw);
        lines.splice(at % (lines.length + 1), 0, line);
        const result = run(lines.join("\n"), exitCode);
        if (result) expect(result.lines.map(({ text }) => text)).toContain(line.trimEnd());
      }),
      { numRuns: 100 },
    );
  });

  it("never claims more lines than there were", () => {
    for (const { raw, exitCode } of raws) {
      const all = sumOf(sanitise(raw).map(printedLine));
      const kept = sumOf(run(raw, exitCode)?.lines ?? []);
      expect(kept.covers).toBeLessThanOrEqual(all.covers);
    }
  });
});
