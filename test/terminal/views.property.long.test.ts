import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseTheme } from "../../src/front/cli/tui/theme.ts";
import { columnsOfLine } from "../../src/front/cli/tui/width.ts";
import { withoutStyles } from "../../src/text/width/columns.ts";
import { anyCharacter } from "../any-character.ts";
import { viewSamples } from "./view-samples.ts";

const THEMES = [
  chooseTheme({ LANG: "C.UTF-8", TERM: "xterm-kitty" }, "dark"),
  chooseTheme({ LANG: "C.UTF-8" }, "none"),
  chooseTheme({ LANG: "C" }, "light"),
];
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Lines that would harm the screen, by the view they are of. */
function expectHarmless(text: string, width: number): void {
  const harmful = THEMES.flatMap((theme) =>
    Object.entries(viewSamples(text)).flatMap(([name, view]) =>
      view(width, theme)
        .filter((line) => columnsOfLine(line) > width || OBEYED.test(withoutStyles(line)))
        .map((line) => `${name} at ${width}: ${line}`),
    ),
  );
  expect(harmful).toEqual([]);
}

const HOSTILE: readonly (readonly [string, string])[] = [
  ["nothing", ""],
  ["escapes", "\u001b[2J\u001b]0;title\u0007\u001b[31mred\u009b1m"],
  ["text that looks like a link", "\u001b]8;;https://evil.example\u001b\\text\u001b]8;;\u001b\\"],
  ["characters that turn text around", "a\u202eb\u2066c\u200fd"],
  ["a very long word", "x".repeat(5000)],
  ["wide characters", "長い文 ".repeat(200)],
  ["emoji and marks", "👩‍👩‍👧‍👦❤️e\u0301\u0301\u0301🇩🇪".repeat(50)],
  ["ten thousand lines", "line\n".repeat(10_000)],
  ["line ends and tabs", "\r\n\t\t\r\u2028\u2029\u000b\u000c"],
  ["halves of characters", "\ud800 \udc00"],
  ["a diff", "@@ -1 +1 @@\n-\u001b[31ma\n+長\n".repeat(50)],
];

describe("Whatever stands in it, no view", () => {
  it.each(HOSTILE)("is wider than its width, or holds what a terminal obeys: %s", (_, text) => {
    for (const width of [20, 60]) expectHarmless(text, width);
  });

  it("does so for any text", () => {
    const piece = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 30 }),
      fc.constantFrom(...HOSTILE.map(([, text]) => text.slice(0, 200)), " ", "\n", "| a | b |\n|---|---|\n", "# ", "- ", "**", "`"),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((all) => all.join("")),
        fc.integer({ min: 20, max: 120 }),
        (text, width) => expectHarmless(text, width),
      ),
      { numRuns: 20 },
    );
  });
});
