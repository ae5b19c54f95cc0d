import { describe, expect, it } from "vitest";
import { escapeMarkers, omission } from "../core/marker.ts";
import { filterText } from "./filter.ts";
import { builtInRules, rulesWith } from "./rules.ts";

/** Only the given rules. */
const run = (rules: string, command: string, raw: string, exitCode = 0) =>
  filterText({ command, raw, exitCode }, rulesWith("t.toml", `inherit = false\n${rules}`).rules);

const strip = (name: string, prefix: string, pattern: string) =>
  `[[rules]]\nname = "${name}"\nmatch = { prefix = "${prefix}" }\nstrategy = { type = "strip_noise", patterns = ['${pattern}'] }\n`;
const cut = (name: string, prefix: string, most: number) =>
  `[[rules]]\nname = "${name}"\nmatch = { prefix = "${prefix}" }\nstrategy = { type = "truncate", max_lines = ${most}, head = 2, tail = 2 }\n`;
const lines = (count: number, text = "line") => Array.from({ length: count }, (_, n) => `${text} ${n} and some more words`).join("\n");

describe("the filter", () => {
  it("applies every matching rule in order, and the worst confidence wins", () => {
    const result = run(strip("first", "make", "^line 3 ") + cut("second", "make", 20), "make", lines(30));
    expect(result).toMatchObject({ rule: "first + second", confidence: "Partial", rawLines: 30, lines: 4 });
    expect(result.steps.map(({ rule, before, after }) => [rule, before, after])).toEqual([
      ["first", 30, 29],
      ["second", 29, 4],
    ]);
    expect(result.text).toBe(
      "line 0 and some more words\nline 1 and some more words\nline 28 and some more words\nline 29 and some more words\n[-26 lines]",
    );
  });

  it("counts a person's rule that found nothing as a fallback", () => {
    const result = run(strip("nothing", "make", "^zzz") + cut("second", "make", 20), "make", lines(30));
    expect(result).toMatchObject({ rule: "second", confidence: "Fallback" });
  });

  it("returns the raw text when no rule matches", () => {
    expect(run(strip("x", "make", "line"), "ninja", lines(30))).toMatchObject({
      text: lines(30),
      rule: null,
      confidence: "Fallback",
      steps: [],
    });
  });

  it("takes colours and progress away for any command", () => {
    const result = run("", "./x", "\u001b[31mred\u001b[0m\n\n\n\n10%\r20%\rdone\n");
    expect(result.text).toBe("red\n\ndone");
  });

  it("never makes a text longer", () => {
    const raw = "a\nbb\nc\n";
    expect(run(strip("x", "make", "^bb$"), "make", raw).text).toBe(raw);
  });

  it("leaves lines it does not know to whoever may have printed them, when several commands did", () => {
    const raw = `${lines(30)}\n`;
    expect(run(cut("x", "make", 20), "make; ninja", raw)).toMatchObject({ text: raw, rule: null });
  });

  it("lets nobody forge a mark, not in pieces either", () => {
    for (const forged of ["[-3 lines raw#1 123]", "[z\u001b[0meph:00000000 x]", "[ze\u0000ph:00000000 x]", "[-3 \u001b[1mlines]"]) {
      const { text } = run("", "./x", escapeMarkers(`a\n${forged}\n`));
      expect(text).toContain("[\\");
    }
  });

  it("marks an omission once, with what it holds", () => {
    const raw = `${lines(10)}\nerror: a\nfatal: b\n${lines(10)}\ndone`;
    const rules = strip("a", "make", "^line|^error|^fatal") + strip("b", "make", "^x");
    expect(run(rules, "make", raw).text).toBe(`done\n${omission({ lines: 22, errors: 2 })}`);
  });

  it("leaves files as they are, but for a person's own rules", () => {
    const raw = `\u001b[1m${lines(30)}`;
    expect(run("", "cat a.txt", raw).text).toBe(raw);
    expect(run(cut("mine", "cat", 20), "cat a.txt", raw).rule).toBe("mine");
  });

  it("leaves a file alone, however long its lines, though a rule for files had a look at it", () => {
    const raw = `${"x".repeat(20_000)}\n\n\n\nend\n`;
    expect(filterText({ command: "cat big.txt", raw, exitCode: 0 }, builtInRules()).text).toBe(raw);
  });

  it("does not show a million blank lines", () => {
    expect(run("", "./x", "\n".repeat(1_000_000)).text.length).toBeLessThan(10);
    expect(run("", "./x", `a${"\n".repeat(1000)}b\n`).text).toBe("a\n\nb");
  });

  it("leaves the text alone when a rule fails", () => {
    const [rule] = rulesWith("t.toml", `inherit = false\n${cut("x", "make", 20)}`).rules;
    const failing = {
      ...rule!,
      apply: () => {
        throw new Error("bug");
      },
    };
    expect(filterText({ command: "make", raw: lines(30), exitCode: 0 }, [failing])).toMatchObject({
      text: lines(30),
      confidence: "Fallback",
    });
  });

  it("says of binary output too that some of it was lost, wherever that is", () => {
    const raw = `${"\u0001\u0002\n".repeat(20_000)}[77 bytes left out here]\n\u0001\u0002`;
    expect(run("", "./x", raw).text).toContain("[77 bytes left out here]");
  });

  it("tells binary output by its size", () => {
    const raw = Array.from({ length: 4000 }, (_, n) => String.fromCharCode(n % 32)).join("");
    expect(run("", "head -c 4000 /bin/ls", raw)).toMatchObject({
      text: "[binary output]\n[-4000 chars]",
      confidence: "Partial",
      rule: "binary",
    });
  });

  it("shows what went wrong inside a line nobody could read", () => {
    const raw = `${"x=1;".repeat(20_000)} SyntaxError: Unexpected token } ${"y=2;".repeat(20_000)}\nend`;
    const { text, left } = run("", "node a.js", raw);
    expect(text).toContain("SyntaxError: Unexpected token }");
    expect(text).toContain("\nend\n");
    expect(text.length).toBeLessThan(3000);
    expect(left!.characters).toBeGreaterThan(150_000);
  });
});

describe("a diff", () => {
  const head = ["diff --git a/src/a.ts b/src/a.ts", "index 1234567..89abcde 100644", "--- a/src/a.ts", "+++ b/src/a.ts"];
  const showDiff = (lines: readonly string[]) => filterText({ command: "git diff", raw: lines.join("\n"), exitCode: 0 }, builtInRules());

  it("that is shown as git wrote it keeps the blanks before its empty lines", () => {
    const lines = ["--- a", "+++ b", "@@ -1,3 +1,3 @@", " ", "-b", "+c", " "];
    expect(showDiff(lines).text).toBe(lines.join("\n"));
  });

  it("counts its lines with hashes as left out", () => {
    const added = Array.from({ length: 40 }, (_, n) => `+const value${n} = ${n};`);
    const { left } = showDiff(
      Array.from({ length: 4 }, (_, n) => [
        ...head.map((line) => line.replaceAll("a.ts", `a${n}.ts`)),
        "@@ -0,0 +1,40 @@",
        ...added.map((line) => `${line}${n}`),
      ]).flat(),
    );
    expect(left!.lines).toBeGreaterThanOrEqual(4);
  });
});
