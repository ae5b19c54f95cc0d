import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutStyles } from "../../../../../text/width/columns.ts";
import { chooseTheme } from "../../theme.ts";
import { columnsOfLine } from "../../width.ts";
import { createMarkdownStream } from "./stream.ts";

const dark = chooseTheme({ LANG: "C.UTF-8", TERM: "xterm-kitty" }, "dark");
const none = chooseTheme({ LANG: "C.UTF-8" }, "none");

const drawn = (text: string, width = 40, theme = none): string[] => {
  const stream = createMarkdownStream(width, theme);
  return [...stream.push(text), ...stream.end()];
};

const TABLE = "| name | what it does |\n|---|--:|\n| a | one |\n| bcd | two words and many more of them than fit |\n";

describe("Markdown", () => {
  it.each([
    ["a paragraph", "one two three four five six seven eight nine", ["one two three four five six seven eight", "nine"]],
    ["a heading", "## Why **this**", ["Why this"]],
    ["a list", "- one\n  - two\n1. three", ["• one", "  • two", "1. three"]],
    ["a quote", "> said", ["│ said"]],
    ["blank lines", "\n\na\n\n\n\nb\n\n", ["a", "", "b"]],
    ["a link", "[here](https://a.example/x)", ["here (https://a.example/x)"]],
    ["code", "```js\nconst a = 1;\n\n  b();\n```\nafter", ["  const a = 1;", "  ", "    b();", "after"]],
    ["lines that look like a table", "| no\nmore", ["| no", "more"]],
  ])("draws %s", (_, text, lines) => {
    expect(drawn(text)).toEqual(lines);
  });

  it("fits a table into the width, by columns", () => {
    expect(drawn(TABLE, 30)).toEqual([
      "name              what it does",
      "────  ────────────────────────",
      "a                          one",
      "bcd    two words and many more",
      "              of them than fit",
    ]);
  });

  it("keeps a table back until it is complete, and shows it meanwhile", () => {
    const stream = createMarkdownStream(80, none);
    expect(stream.push(TABLE)).toEqual([]);
    expect(stream.tail()).toHaveLength(4);
    expect(stream.push("| much longer than before | x |\n")).toEqual([]);
    const lines = stream.push("\nafter\n");
    expect(lines).toHaveLength(7);
    expect(lines.slice(-2)).toEqual(["", "after"]);
  });

  it("does not wait for the end of a table that has no end", () => {
    const stream = createMarkdownStream(60, none);
    stream.push("| a | b |\n|---|---|\n");
    let out = 0;
    for (let n = 0; n < 2000; n++) out += stream.push(`| ${1000 + n} | x |\n`).length;
    expect(out).toBeGreaterThan(1000);
    expect(stream.tail().length).toBeLessThan(600);
  });

  it("finishes the lines of a paragraph before it ends, up to its first mark", () => {
    const stream = createMarkdownStream(20, none);
    expect(stream.push("one two three four five six seven ")).toEqual(["one two three four"]);
    expect(stream.tail()).toEqual(["five six seven"]);
    expect(stream.push("eight **nine")).toEqual([]);
    expect(stream.push("** ten eleven twelve\n")).toEqual(["five six seven eight", "nine ten eleven", "twelve"]);
  });

  it("never breaks a line of code, but cuts the one that is still coming", () => {
    const long = "x".repeat(100);
    expect(drawn(`\`\`\`\n${long}\n\`\`\``, 40)).toEqual([`  ${long}`]);
    const stream = createMarkdownStream(40, none);
    stream.push(`\`\`\`\n${long}`);
    expect(stream.tail().map(columnsOfLine)).toEqual([40]);
  });

  it("makes links where the terminal knows them, and never hides another address than the text names", () => {
    expect(drawn("[here](https://a.example)", 40, dark)).toEqual([
      "\u001b]8;;https://a.example\u001b\\\u001b[36mhere\u001b[39m\u001b]8;;\u001b\\",
    ]);
    expect(withoutStyles(drawn("[bank.example](https://evil.example)", 60, dark)[0]!)).toBe("bank.example (https://evil.example)");
    expect(drawn("[here](javascript:x)", 40, dark)[0]).not.toContain("\u001b]8");
  });
});

const fragment = fc.oneof(
  fc.constantFrom(
    "\n",
    "\n\n",
    "\r\n",
    "```js\n",
    "```\n",
    "~~~",
    "| a | b |\n",
    "|---|--:|\n",
    "| x `y` | 長い |\n",
    "# ",
    "- ",
    "  1. ",
    "> ",
    "---\n",
  ),
  fc.constantFrom("**", "*", "`", "_", "[", "](https://a.example)", "www.a.example ", "a@b.example ", "\\|", "&amp;", "\t", "    "),
  fc.constantFrom(
    "word ",
    "two words ",
    "長い文",
    "e\u0301",
    "👩‍👧",
    "\u202e",
    "\u001b[2J",
    "\u0007",
    "x".repeat(70),
    "const a = 'b'; // c",
    '"""',
    "/*",
  ),
  fc.string({ maxLength: 12 }),
);
const text = fc.array(fragment, { maxLength: 40 }).map((all) => all.join(""));

describe("Markdown in pieces", () => {
  it("becomes the same lines, however it is cut", () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.nat(), { maxLength: 30 }),
        fc.integer({ min: 10, max: 90 }),
        fc.constantFrom(dark, none),
        (all, cuts, width, theme) => {
          const whole = drawn(all, width, theme);
          const stream = createMarkdownStream(width, theme);
          const lines: string[] = [];
          const places = [...new Set(cuts.map((cut) => cut % (all.length + 1)))].sort((a, b) => a - b);
          for (const [n, at] of [0, ...places].entries()) {
            lines.push(...stream.push(all.slice(at, places[n] ?? all.length)));
            for (const line of stream.tail()) expect(columnsOfLine(line)).toBeLessThanOrEqual(width);
          }
          lines.push(...stream.end());
          expect(lines).toEqual(whole);
          expect(stream.tail()).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("becomes the same lines where a line is longer than any window", () => {
    for (const all of [
      "a b ".repeat(10_000),
      `${"長".repeat(16_383)}👩‍👧 end`,
      `${"x".repeat(16_384)}\r\nnext`,
      `\`\`\`\n${"y".repeat(40_000)}`,
    ]) {
      const whole = drawn(all, 60);
      for (const size of [1000, 8191, 16_385]) {
        const stream = createMarkdownStream(60, none);
        const lines: string[] = [];
        for (let at = 0; at < all.length; at += size) lines.push(...stream.push(all.slice(at, at + size)));
        expect([...lines, ...stream.end()]).toEqual(whole);
      }
    }
  });

  it("holds no line wider than asked outside of code, and nothing that a terminal obeys but our own", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 10, max: 90 }), (all, width) => {
        const prose = all.replace(/`{3,}|~{3,}/g, "");
        for (const line of drawn(prose, width, dark)) {
          expect(columnsOfLine(line)).toBeLessThanOrEqual(width);
          expect(withoutStyles(line)).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        }
      }),
      { numRuns: 100 },
    );
  });
});
