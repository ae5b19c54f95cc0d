import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JsonMistake, parseJsonText } from "./jsonc.ts";

describe("A JSON text", () => {
  it("says what JSON.parse says, whatever is in it", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (text) => {
        const { data } = parseJsonText(text, "refused");
        expect(JSON.stringify(data)).toBe(JSON.stringify(JSON.parse(text)));
      }),
      { numRuns: 100 },
    );
  });
  it("is refused where JSON.parse refuses it", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{}:,"\\ 1ae/*\n-.t') }), (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        if (isJson) parseJsonText(text, "refused");
        else expect(() => parseJsonText(text, "refused")).toThrow(JsonMistake);
      }),
      { numRuns: 400 },
    );
  });
  it("may have comments and trailing commas where they are allowed", () => {
    expect(parseJsonText('/* a */ [1, // b\n {"c": "//",},]', "allowed").data).toEqual([1, expect.objectContaining({ c: "//" })]);
    expect(() => parseJsonText("[1,]", "refused")).toThrow("a comma stands before the end");
  });
  it("tells the line of each value, and which key counts", () => {
    expect(parseJsonText('{\n"a": [],\n"a": {"b": 1},\n"__proto__": 2}', "refused").leaves).toEqual([
      { path: ["a"], line: 2, isOverridden: true },
      { path: ["a", "b"], line: 3, isOverridden: false },
      { path: ["__proto__"], line: 4, isOverridden: false },
    ]);
  });
  it("does not go down without an end, and takes a long string", () => {
    expect(() => parseJsonText("[".repeat(100_000), "refused")).toThrow("more than 64 deep");
    expect(parseJsonText(JSON.stringify("x".repeat(5_000_000)), "refused").leaves).toHaveLength(1);
  });
});
