import fc from "fast-check";
import { expect, it } from "vitest";
import { createPastes, pastedText } from "./paste.ts";

const lines = (n: number, word = "line") => Array.from({ length: n }, (_, i) => `${word} ${i}`).join("\n");

it("the list of pastes shows a short text as it is, and a word in place of a long one", () => {
  const pastes = createPastes();
  expect(pastes.shown("one\ntwo")).toBe("one\ntwo");
  expect(pastes.shown(lines(120))).toBe("[pasted 120 lines #1]");
  expect(pastes.shown("x".repeat(5000))).toBe("[pasted 5000 characters #2]");
  expect(pastes.shown(lines(120))).toBe("[pasted 120 lines #1]");
  expect(pastes.whole("see [pasted 120 lines #1] and [pasted 9 lines #9]")).toBe(`see ${lines(120)} and [pasted 9 lines #9]`);
});

it("the list of pastes gives back whatever was pasted", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 900 }), { maxLength: 12 }), (texts) => {
      const pastes = createPastes();
      for (const text of texts) expect(pastes.whole(pastes.shown(text))).toBe(pastes.whole(text));
    }),
  );
});

it("the list of pastes keeps the last ones, and not more than there is room for", () => {
  const pastes = createPastes();
  const words = Array.from({ length: 300 }, (_, n) => pastes.shown(lines(20, `text ${n}`)));
  expect(pastes.whole(words[299]!)).toContain("text 299");
  expect(pastes.whole(words[0]!)).toBe(words[0]);
  const large = Array.from({ length: 8 }, (_, n) => pastes.shown(`${n}${"x".repeat(4 * 1024 * 1024)}`));
  expect(large.filter((word) => pastes.whole(word) !== word).length).toBeLessThanOrEqual(4);
  expect(pastes.whole(large[7]!).length).toBeGreaterThan(1024);
});

it("the list of pastes takes nothing into the line that a terminal would obey", () => {
  expect(pastedText("a\r\nb\rc\u001b[31m\u0007\td\n\n")).toBe("a\nb\nc[31m\td");
});
