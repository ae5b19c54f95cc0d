import { describe, expect, it } from "vitest";
import { visitAtoms } from "./atoms.ts";

const atomsIn = (text: string) => {
  const all: string[] = [];
  const values: string[] = [];
  visitAtoms(text, (from, to, isValue) => {
    all.push(text.slice(from, to));
    if (isValue) values.push(text.slice(from, to));
  });
  return { all, values };
};

describe("the atoms of a text", () => {
  it.each([
    ["cannot bind port 8080.", ["8080"]],
    ["10.0.3.7 took 1.25s, 12%", ["10.0.3.7", "1.25s", "12"]],
    ["src/{a,b}.ts and lib/core.ts", ["src", "lib", "core", "ts"]],
    ["/tmp is full", ["tmp"]],
    ["user@example.com", ["user", "example", "com"]],
    ["fooBar snake_case ECONNREFUSED Plain words, too.", ["fooBar", "snake_case", "ECONNREFUSED"]],
    ["state=running left-pad std::vec", ["state", "running", "left", "pad", "std", "vec"]],
    [`no script "build" and 'lint it now'`, ["build", "lint", "now"]],
    ["don't stop - really: a sentence. Another", []],
    ["a b/c s", []],
    ["_____ test_x _____", ["test_x"]],
    ["calls __init__ and _x1", ["__init__", "_x1"]],
    ["エラー 42 größe", ["42"]],
  ])("that are values: %s", (text, values) => expect(atomsIn(text).values).toEqual(values));

  it("are runs of letters, digits and underscores, of points between digits, and nothing else", () => {
    expect(atomsIn("v1.2.3-rc.1 (×4) a.b 5. größe│x").all).toEqual(["v1.2.3", "rc", "1", "4", "a", "b", "5", "größe", "x"]);
    expect(atomsIn("Àx ×÷ ×a÷ ž\u1fff \u2000 \u3040ん 한\ud7ff 😀 豈ﬀ \u303f\ufe00").all).toEqual([
      "Àx",
      "a",
      "ž\u1fff",
      "\u3040ん",
      "한\ud7ff",
      "豈ﬀ",
    ]);
    expect(atomsIn("").all).toEqual([]);
  });
});
