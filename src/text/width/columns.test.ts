import fc from "fast-check";
import { expect, it } from "vitest";
import { beside, columnsOf, wrap } from "./columns.ts";

it("goes on below the text, not below the name", () => {
  expect(beside("memory", "twelve of them, and this goes on and on", 10, 36)).toBe(
    "memory    twelve of them, and this\n          goes on and on",
  );
});

it("puts a text below the name when it is too wide to stand beside it", () => {
  expect(beside("config", "/a/very/long/path/to/a/file.toml", 10, 40)).toBe("config\n    /a/very/long/path/to/a/file.toml");
  expect(beside("a-very-long-name", "text", 10, 60)).toBe("a-very-long-name\n          text");
});

it("breaks at spaces wherever that is possible, whatever the script", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "長", "é"), minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 30 }), fc.integer({ min: 40, max: 100 }), (words, width) => {
      const text = words.join(" ");
      const lines = wrap(text, width).split("\n");
      expect(lines.join(" ")).toBe(text);
      for (const line of [...lines, ...beside("name", text, 10, width).split("\n")]) expect(columnsOf(line)).toBeLessThanOrEqual(width);
    }),
  );
});

it("goes on below the words of an item", () => {
  const text = "twelve of them, and this goes on and on";
  expect(wrap(`  [x] 1 ${text}`, 40).split("\n")).toEqual(["  [x] 1 twelve of them, and this goes on", "        and on"]);
  expect(wrap(` 1  abcdef  ${text}`, 40).split("\n")).toEqual([" 1  abcdef  twelve of them, and this", "            goes on and on"]);
  expect(wrap(`- ${text}, and on`, 40).split("\n")).toEqual(["- twelve of them, and this goes on and", "  on, and on"]);
  expect(wrap(`12 ${text}`, 40).split("\n")).toEqual(["12 twelve of them, and this goes on and", "on"]);
});
