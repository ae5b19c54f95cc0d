import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { graphemesOf } from "./graphemes.ts";

const segments = (text: string) => [...new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text)].map(({ segment }) => segment);

describe("Graphemes", () => {
  it("are those of Unicode, whatever stands between letters", () => {
    const unit = fc.constantFrom(
      "a",
      " ",
      "é",
      "e\u0301",
      "·",
      "長",
      "👩‍👧",
      "🇩🇪",
      "❤️",
      "→",
      "\ufe0f",
      "한",
      "\u1112",
      "\u1161",
      "\u0301",
      "\u200d",
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 20 }), (all) => {
        const text = all.join("");
        expect([...graphemesOf(text)]).toEqual(segments(text));
      }),
      { numRuns: 100 },
    );
  });
});
