import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withoutStyles } from "../../../text/width/columns.ts";
import { chooseTheme } from "./theme.ts";
import { columnsOfLine, cutLine, padLine, wrapLine } from "./width.ts";

const theme = chooseTheme({ LANG: "en_US.UTF-8", TERM: "xterm-kitty" }, "dark");

describe("Columns of a line", () => {
  it.each([
    ["plain", 5],
    ["e\u0301te\u0301", 3],
    ["日本語", 6],
    ["👩‍👩‍👧‍👦", 2],
    ["👍🏽", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["❤", 1],
    ["한국", 4],
    ["\u1112\u1161\u11ab", 2],
    ["क्षि", 3],
    ["", 0],
  ])("%s counts as a terminal draws it", (text, columns) => {
    expect(columnsOfLine(text)).toBe(columns);
  });

  it("colours and links take none", () => {
    expect(columnsOfLine(theme.you(theme.link!("here", "https://a.example/é")))).toBe(4);
  });
});

describe("A line that is cut", () => {
  it("leaves a mark, and closes colours and links that are open", () => {
    expect(cutLine(theme.bad("abcdef"), 4)).toBe("\u001b[91mabc…\u001b[0m");
    expect(cutLine(theme.link!("abcdef", "x:y"), 4)).toBe("\u001b]8;;x:y\u001b\\abc…\u001b]8;;\u001b\\");
    expect(cutLine(`${theme.bad("ab")}cdef`, 4)).toBe("\u001b[91mab\u001b[39mc…");
    expect(cutLine("abcdef", 5, "...")).toBe("ab...");
    expect(cutLine("abcdef", 2, "...")).toBe("..");
  });

  it("never holds half of a wide character", () => {
    expect(cutLine("日本語", 4)).toBe("日…");
    expect(cutLine("日本語", 6)).toBe("日本語");
  });

  it("is padded to a width by columns", () => {
    expect(padLine("日", 4)).toBe("日  ");
    expect(padLine("long", 2)).toBe("long");
  });
});

describe("A line that is wrapped", () => {
  it("breaks at spaces, goes on below the hang, and keeps its colours", () => {
    expect(wrapLine("one two three", 8)).toEqual(["one two", "three"]);
    expect(wrapLine("- one two three", 9, { hang: "  " })).toEqual(["- one two", "  three"]);
    expect(wrapLine(theme.bad("one two"), 4)).toEqual(["\u001b[91mone\u001b[0m", "\u001b[91mtwo\u001b[39m"]);
  });

  it("keeps a long word whole, unless it is told to break it", () => {
    expect(wrapLine("a abcdefgh b", 4)).toEqual(["a", "abcdefgh", "b"]);
    expect(wrapLine("a abcdefgh b", 4, { hard: true })).toEqual(["a", "abcd", "efgh", "b"]);
  });

  it("keeps the blanks at the beginning of the first line", () => {
    expect(wrapLine("    one two", 8)).toEqual(["    one", "two"]);
    expect(wrapLine("    one", 4, { hard: true })).toEqual(["", "one"]);
  });

  const word = fc.string({ unit: fc.constantFrom("a", "b", "長", "e\u0301", "👩‍👧", "-"), minLength: 1, maxLength: 30 });
  const paint = fc.constantFrom(
    (text: string) => text,
    theme.bad,
    theme.you,
    (text: string) => theme.bold(theme.link!(text, "x:y")),
  );
  const text = fc.array(fc.tuple(word, paint), { maxLength: 20 }).map((all) => all.map(([one, put]) => put(one)).join(" "));

  it("is never wider than asked, loses nothing and ends every colour in its line", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), fc.constantFrom("", "  "), (line, width, hang) => {
        const lines = wrapLine(line, width, { hang, hard: true });
        expect(lines.map(withoutStyles).join("").replaceAll(" ", "")).toBe(withoutStyles(line).replaceAll(" ", ""));
        // A hang as wide as the line leaves no room for a wide character.
        const least = hang === "" || width >= 4 ? width : 4;
        for (const one of lines) {
          expect(columnsOfLine(one)).toBeLessThanOrEqual(least);
          expect(isClosed(one)).toBe(true);
        }
        const short = cutLine(line, width);
        expect(columnsOfLine(short)).toBeLessThanOrEqual(width);
        expect(isClosed(short)).toBe(true);
      }),
    );
  });
});

/** Nothing is switched on at the end of the line. */
function isClosed(line: string): boolean {
  let isOn = false;
  let isLink = false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences of the theme
  for (const [, code, address] of line.matchAll(/\u001b\[([\d;]*)m|\u001b\]8;;([^\u001b]*)\u001b\\/g)) {
    if (address === undefined) isOn = !["0", "39", "22", "22;39", "27"].includes(code!);
    else isLink = address !== "";
  }
  return !isOn && !isLink;
}
