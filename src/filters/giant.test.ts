import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { filterText } from "./filter.ts";
import { withoutBulk } from "./giant.ts";
import { printedLine, sumOf } from "./line.ts";
import { withoutLongLines } from "./long-lines.ts";
import { builtInRules, rulesWith } from "./rules.ts";

const linesOf = (count: number, text: (n: number) => string) => Array.from({ length: count }, (_, n) => printedLine(text(n)));
const word = (n: number): string => [...n.toString(26)].map((digit) => "abcdefghijklmnopqrstuvwxyz"[Number.parseInt(digit, 26)]).join("");
/** The same in letters that make no words. */
const plain = (n: number): string => [...n.toString(20)].map((digit) => "bcdfghjklmnpqrstvwxz"[Number.parseInt(digit, 20)]).join("");

describe("bulk", () => {
  it("is what is more than anyone reads at once", () => {
    expect(withoutBulk(linesOf(500, (n) => `line ${n}`))).toBeNull();
  });

  it("shows its beginning, its end, and one of each kind of error between them", () => {
    const lines = linesOf(20_000, (n) =>
      n % 5000 === 2500 ? `ERROR: disk ${n} is full` : n === 9000 ? "panicked at x" : `line ${word(n)} of many`,
    );
    const texts = withoutBulk(lines)!.map(({ text }) => text);
    expect(texts[0]).toBe("line a of many");
    expect(texts.at(-1)).toBe(`line ${word(19_999)} of many`);
    expect(texts).toContain("ERROR: disk 2500 is full (and 3 like it)");
    expect(texts).toContain("panicked at x");
  });

  it("says ×N only of lines that are the same", () => {
    const lines = linesOf(20_000, (n) => (n % 5000 === 2500 ? "  ERROR: disk is full" : `line ${word(n)} of many`));
    expect(withoutBulk(lines)!.map(({ text }) => text)).toContain("  ERROR: disk is full (×4)");
  });

  it("says in each gap how many lines it stands for", () => {
    const lines = linesOf(20_000, (n) => (n === 7000 || n === 13_000 ? `ERROR: disk ${word(n)} is full` : `item ${plain(n)} of many`));
    const texts = withoutBulk(lines)!.map(({ text }) => text);
    const gaps = texts.flatMap((text) => /^\[-(\d+) lines? here\]$/.exec(text)?.[1] ?? []).map(Number);
    expect(gaps).toHaveLength(3);
    expect(gaps.reduce((sum, n) => sum + n, 0) + texts.length - gaps.length).toBe(20_000);
    const head = texts.indexOf(`[-${gaps[0]} lines here]`);
    expect([texts[head + 1], head + gaps[0]!]).toEqual([`ERROR: disk ${word(7000)} is full`, 7000]);
    const { text, left } = filterText({ command: "./run", raw: lines.map(({ text }) => text).join("\n"), exitCode: 0 }, builtInRules());
    expect(text).toContain(`item ${plain(head - 1)} of many\n[-${gaps[0]} lines here]\nERROR`);
    expect(left!.lines).toBe(gaps.reduce((sum, n) => sum + n, 0));
  });

  it("counts lines in their gap that were more than are held", () => {
    const raw = Array.from({ length: 450_000 }, (_, n) => `item ${plain(n)} of many`).join("\n");
    const { text, left } = filterText({ command: "./run", raw, exitCode: 0 }, builtInRules());
    expect([...text.matchAll(/^\[-(\d+) lines? here\]$/gm)].map(([, n]) => Number(n))).toEqual([left!.lines]);
  });

  it("counts the errors it shows once", () => {
    const lines = linesOf(20_000, (n) => (n % 100 === 50 ? `ERROR: disk ${n} is full` : `line ${word(n)} of many`));
    expect(sumOf(withoutBulk(lines)!).errors).toBe(sumOf(lines).errors);
  });

  it("shows what is rare among much that is alike", () => {
    const lines = linesOf(20_000, (n) => (n === 9000 ? "checksum differs at record 9000" : `processed record ${n} in ${n % 7} ms`));
    expect(withoutBulk(lines)!.map(({ text }) => text)).toContain("checksum differs at record 9000");
  });

  it("prefers what a program calls an error itself", () => {
    const lines = linesOf(20_000, (n) =>
      n === 10_000 ? "ERROR: disk full" : `no ${word(n)} was not found in the undefined list of things`,
    );
    expect(withoutBulk(lines)!.map(({ text }) => text)).toContain("ERROR: disk full");
  });

  it.each([
    ["hexadecimal", (n: number) => `${(n * 7919).toString(16).padStart(40, "a1b2c3d4")}${word(n)}`],
    ["another script", (n: number) => `処理中：顧客データを読み込んでいます${word(n)}`],
    ["words", (n: number) => `the quick brown fox ${word(n)} jumps over the lazy dog`],
    ["punctuation", (n: number) => `{[(<>)]};:,.!?-+*/=${word(n)}`],
  ])("of %s fits into 4,500 tokens, whether there is little or much of it", (_, text) => {
    for (const count of [1000, 3000, 20_000, 50_000]) {
      const shown = withoutBulk(linesOf(count, text))!;
      expect(countTokens(shown.map((line) => line.text).join("\n")), `${count} lines`).toBeLessThan(4500);
    }
  });
});

describe("the budget of a command's output", () => {
  const log = (count: number) =>
    Array.from({ length: count }, (_, n) =>
      n === count >> 1 ? "checksum differs at record 7" : `12:00:${n % 60} processed record ${n} of the queue`,
    );
  const tokensOf = (command: string, raw: string, again?: true) => {
    const result = filterText({ command, raw, exitCode: 0, ...(again && { again }) }, builtInRules());
    return { ...result, tokens: countTokens(result.text) };
  };

  it.each([
    ["./work.sh", undefined],
    ["cat some.txt", undefined],
    ["./work.sh", true],
  ] as const)("holds %s, again: %s, for every size, and more is never shown of more", (command, again) => {
    for (const count of [500, 1000, 3000, 9000, 30_000])
      expect(tokensOf(command, log(count).join("\n"), again).tokens, `${count} lines`).toBeLessThan(4500);
  });

  it("shows the odd line among a few hundred as among many thousands", () => {
    for (const count of [700, 3000, 9000])
      expect(tokensOf("./work.sh", log(count).join("\n"), true).text, `${count} lines`).toContain("checksum differs at record 7");
  });

  it("picks nothing out of a file, and counts what it leaves out", () => {
    const written = Array.from({ length: 3000 }, (_, n) => (n === 1500 ? "ERROR: the oddest line" : `${word(n)} is what somebody wrote`));
    const { text, left, rule } = tokensOf("cat some.txt", written.join("\n"));
    expect(text).not.toContain("oddest");
    expect(rule).toBe("giant");
    // Two lines of the text are marks: one in the gap and one at the end.
    expect(text.split("\n").length - 2 + left!.lines).toBe(3000);
  });

  it("leaves a text as it is that has hardly more than there is room for the mark", () => {
    const { rules } = rulesWith(
      "own",
      '[[rules]]\nname = "dots"\nmatch = { prefix = "./work.sh" }\nstrategy = { type = "strip_noise", patterns = [\'^[.]+$\'] }',
    );
    const shorten = (raw: string) => filterText({ command: "./work.sh", raw, exitCode: 0 }, rules).text;
    const dots = "It began.\n....\nIt is over, and all went well.";
    expect(shorten(dots)).toBe(dots);
    expect(shorten(dots.replace("....", ".".repeat(60)))).toBe("It began.\nIt is over, and all went well.\n[-1 line]");
  });
});

describe("a long line", () => {
  const filler = (length: number): string => "const a=b(c);".repeat(length / 13);
  const shortened = (texts: readonly string[]) => {
    const { lines, cut } = withoutLongLines(texts.map((text) => ({ text, count: 1 })));
    return { lines: lines.map(({ text }) => text), cut };
  };

  it("shows head, tail and what went wrong between them, and says what was cut", () => {
    const line = `start ${filler(50_000)} TypeError: x is not a function at y ${filler(50_000)} end`;
    const { lines, cut } = shortened(["short", line]);
    expect(lines[0]).toBe("short");
    const [, one, two] = /^start .* \[-(\d+) chars here\] .*TypeError: x is not a function at y.* \[-(\d+) chars here\] .* end$/.exec(
      lines[1]!,
    )!;
    expect(cut).toBe(Number(one) + Number(two));
    expect(cut).toBe(line.length - lines[1]!.replace(/ \[-\d+ chars here\] /g, "").length);
  });

  it("shows different alarms, not the same one again and again", () => {
    const line = `${filler(9000)}${'fail("Error: a") '.repeat(2000)}${filler(9000)} Error: the disk is full ${filler(9000)}`;
    expect(shortened([line]).lines[0]).toContain("Error: the disk is full");
  });

  it("prefers what is said to what is only named", () => {
    const line = `${filler(9000)}${`throw new TypeError(x);${filler(600)}`.repeat(20)} SyntaxError: bad token ${filler(9000)}`;
    expect(shortened([line]).lines[0]).toContain("SyntaxError: bad token");
  });

  it.each([
    ["rg -n debounce src", "debounce"],
    ["grep -rn 'function debounce' .", "function debounce"],
    ["cat dist/a.js | grep -i DEBOUNCE", "debounce"],
    ["git grep -n -e 'debounce('", "debounce("],
  ])("in the result of a search keeps what was searched for: %s", (command, wanted) => {
    const minified = `${filler(50_000)}throw Error("x");${filler(3000)}export function debounce(a){return b}${filler(50_000)}`;
    const { text } = filterText({ command, raw: `dist/a.js:1:${minified}\n`, exitCode: 0 }, builtInRules());
    expect(text).toMatch(/const a=b\(c\);export function debounce\(a\)\{return b\}const/);
    expect(text).toContain(wanted);
    expect(text.length).toBeLessThan(3000);
  });

  it("leaves lines of usual length alone", () => {
    const lines = ["a", "b".repeat(8000)];
    expect(shortened(lines)).toEqual({ lines, cut: 0 });
  });
});

describe("giants", () => {
  const filtered = (command: string, raw: string) => filterText({ command, raw, exitCode: 1 }, builtInRules());

  it("of one line keep what went wrong", () => {
    const raw = `${"function(a){return b};".repeat(200_000)}\nSyntaxError: Unexpected token } in bundle.min.js:1:52428931\n`;
    const { text } = filtered("node dist/check.js", raw);
    expect(text).toContain("SyntaxError: Unexpected token } in bundle.min.js:1:52428931");
    expect(countTokens(text)).toBeLessThan(8000);
  });

  it("of many lines too", () => {
    const count = 40_000;
    const lines = Array.from({ length: count }, (_, n) =>
      n === Math.floor(count * 0.6)
        ? "2026-01-01T00:00:00Z ERROR pay declined order=ORD-7"
        : `2026-01-01T00:00:00Z INFO worker ${n % 7} polled in ${n % 90}ms`,
    );
    const { text } = filtered("./run", lines.join("\n"));
    expect(text).toContain("ERROR pay declined order=ORD-7");
    expect(countTokens(text)).toBeLessThan(8000);
  });
});
