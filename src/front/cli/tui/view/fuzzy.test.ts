import { describe, expect, it } from "vitest";
import { searchFuzzily } from "./fuzzy.ts";

const search = (query: string, ...all: string[]) => searchFuzzily(query, all, (one) => one);

describe("A fuzzy search", () => {
  it("finds letters in their order, and nothing else", () => {
    expect(search("prs", "src/parser.ts")).toEqual(["src/parser.ts"]);
    expect(search("srp", "parse")).toEqual([]);
    expect(search("x", "a", "b")).toEqual([]);
  });

  it("puts the name of a file before its folders, whole words before scattered letters", () => {
    expect(search("parser", "src/parser/index.ts", "src/parser.ts", "p/a/r/s/e/r.ts")).toEqual([
      "src/parser.ts",
      "src/parser/index.ts",
      "p/a/r/s/e/r.ts",
    ]);
    expect(search("cli", "cli/a.ts", "src/cli.ts")).toEqual(["src/cli.ts", "cli/a.ts"]);
    expect(search("mo", "/memory", "/model", "/compose")[0]).toBe("/model");
  });

  it("takes capitals for small letters and leaves blanks out", () => {
    expect(search("READ me", "README.md")).toEqual(["README.md"]);
    expect(search("  ", "a", "b")).toEqual(["a", "b"]);
  });

  it("stands texts whose letters grow when they are made small", () => {
    expect(search("i", "İstanbul")).toEqual(["İstanbul"]);
  });
});
