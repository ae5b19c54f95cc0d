import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphemesOf } from "../../../../text/width/graphemes.ts";
import { columnsOfLine } from "../width.ts";
import { createDraftEditor } from "./draft-editor.ts";

function typed(...keys: readonly string[]) {
  const draft = createDraftEditor();
  for (const key of keys) draft.key(key.startsWith("<") ? { name: key.slice(1, -1) } : { name: "text", text: key });
  return draft;
}

describe("what is typed", () => {
  it.each([
    [["ab", "<left>", "x"], "axb"],
    [["ab", "<home>", "x", "<end>", "y"], "xaby"],
    [["one two", "<ctrl-w>"], "one "],
    [["one two", "<alt-b>", "<ctrl-k>"], "one "],
    [["one two", "<alt-b>", "<ctrl-u>"], "two"],
    [["one two", "<home>", "<alt-f>", "!"], "one! two"],
    [["one two", "<home>", "<alt-d>", "<end>", "<ctrl-y>"], " twoone"],
    [["a", "<alt-enter>", "b", "<ctrl-j>", "c"], "a\nb\nc"],
    [["ab", "<ctrl-j>", "c", "<up>", "x"], "axb\nc"],
    [["ab", "<ctrl-j>", "c", "<home>", "<backspace>"], "abc"],
    [["ab", "<ctrl-j>", "cd", "<ctrl-u>", "x"], "ab\nx"],
    [["a", "<ctrl-j>", "b", "<up>", "<ctrl-k>"], "ab"],
    [["👨‍👩‍👧é漢", "<backspace>"], "👨‍👩‍👧é"],
    [["👨‍👩‍👧é", "<left>", "<left>", "x"], "x👨‍👩‍👧é"],
    [["👨‍👩‍👧é", "<home>", "<delete>"], "é"],
    [["e", "\u0301", "<backspace>"], ""],
    [["\u0301", "<home>", "e", "<end>", "<backspace>"], ""],
    [["abc", "<ctrl-u>", "<ctrl-_>"], "abc"],
    [["a\u0007\tb"], "a    b"],
  ])("%j", (keys, text) => {
    expect(typed(...keys).text()).toBe(text);
  });

  it("a long paste stands as one word, is sent whole, and is taken away by one key", () => {
    const draft = typed("see ");
    const long = Array.from({ length: 120 }, (_, n) => `line ${n}`).join("\n");
    draft.key({ name: "paste", text: `${long}\n` });
    expect(draft.text()).toBe("see [pasted 120 lines #1]");
    expect(draft.whole()).toBe(`see ${long}`);
    draft.key({ name: "paste", text: "\u001b[31ma\r\nb" });
    expect(draft.whole()).toBe(`see ${long}[31ma\nb`);
  });

  it("the cursor goes up and down in the same column, also between wide characters", () => {
    const draft = typed("漢字漢字", "<ctrl-j>", "abcdef", "<up>", "x");
    expect(draft.text()).toBe("漢字漢x字\nabcdef");
  });

  it("a menu's choice takes the place of what was typed of it", () => {
    const draft = typed("é see @sr");
    draft.replaceFrom("é see ".length, "@src/a.ts ");
    expect(draft.text()).toBe("é see @src/a.ts ");
  });

  const key = fc.oneof(
    fc.constantFrom(
      "<left>",
      "<right>",
      "<home>",
      "<end>",
      "<backspace>",
      "<delete>",
      "<ctrl-w>",
      "<ctrl-k>",
      "<ctrl-u>",
      "<ctrl-y>",
      "<up>",
      "<down>",
      "<ctrl-j>",
      "<alt-f>",
      "<alt-b>",
      "<ctrl-_>",
    ),
    fc.constantFrom("a", " ", "é", "e", "\u0301", "漢", "👨‍👩‍👧", "🇩🇪", "\u200d", "한"),
  );
  it("whatever is typed, no grapheme is torn, and the cursor stands between two of them", () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 40 }), (keys) => {
        const draft = typed(...keys);
        const all = [...graphemesOf(draft.text())];
        const before = [...graphemesOf(draft.before())];
        expect(all.slice(0, before.length).join("")).toBe(draft.before());
      }),
    );
  });
  it("its lines fit the width, hold every character, and the cursor is in one of them", () => {
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), fc.integer({ min: 2, max: 30 }), (keys, width) => {
        const draft = typed(...keys);
        const { lines, row, column } = draft.lay(width);
        for (const line of lines) expect(columnsOfLine(line)).toBeLessThanOrEqual(width);
        expect(lines.join("")).toBe(draft.text().replaceAll("\n", ""));
        expect(column).toBeLessThanOrEqual(columnsOfLine(lines[row]!));
      }),
    );
  });
});
