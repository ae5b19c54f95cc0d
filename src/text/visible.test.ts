import { expect, it } from "vitest";
import { bounded, boundedMiddle, oneLine, visible, visibleJson } from "./visible.ts";

it("visible spells out what a terminal obeys and what hides or turns text around", () => {
  expect(visible("a\u001b[2Jb\u0007")).toBe("a\\u001b[2Jb\\u0007");
  expect(visible("x\u202ey\u200bz\u{e0041}\ufff9")).toBe("x\\u202ey\\u200bz\\ue0041\\ufff9");
  expect(visible("a\rb")).toBe("a\\u000db");
});

it("visibleJson spells out the same, and it stays the same JSON", () => {
  const value = { text: "x\u202ey\u009bz\u{e0041}\u001b\n" };
  const json = visibleJson(JSON.stringify(value));
  expect(json).toBe('{"text":"x\\u202ey\\u009bz\\udb40\\udc41\\u001b\\n"}');
  expect(JSON.parse(json)).toEqual(value);
});

it("visible leaves lines, tabs, joiners and ordinary letters as they are", () => {
  for (const text of ["a\n\tb", "می‌خواهم", "👩‍💻", "Größe 中文"]) expect(visible(text)).toBe(text);
  expect(visible("a\r\nb")).toBe("a\nb");
});

it("oneLine puts a text on one line and keeps joined letters together", () => {
  expect(oneLine("  a\r\n\tb\u2028c\u0000d\u202ee ")).toBe("a b c d e");
  expect(oneLine("می‌خواهم")).toBe("می‌خواهم");
  expect(oneLine("one\ntwo three", 5)).toBe("one t…");
});

it("bounded cuts a text that is too long, marks the cut and halves no character", () => {
  expect(bounded("abc", 3)).toBe("abc");
  expect(bounded("abcd", 3)).toBe("abc…");
  expect(bounded("ab😀d", 3)).toBe("ab…");
});

it("boundedMiddle keeps the beginning and the end and counts what lies between", () => {
  expect(boundedMiddle("abcdef", 6)).toBe("abcdef");
  expect(boundedMiddle("aaaabbbbcc", 6)).toBe("aaaa\n[… 4 characters left out …]\ncc");
  expect(boundedMiddle("😀😀😀😀", 4)).toBe("😀\n[… 4 characters left out …]\n");
});
