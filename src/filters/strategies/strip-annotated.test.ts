import { describe, expect, it } from "vitest";
import { printedLine } from "../line.ts";
import { stripAnnotated } from "./strip-annotated.ts";

const apply = stripAnnotated.build({ annotations: ["note", "help"] }, () => () => false);
const strip = (...texts: readonly string[]) => {
  const { lines, confidence } = apply({ lines: texts.map(printedLine), exitCode: 1, subject: { forms: [], words: [], verbatim: null } })!;
  return { shown: lines.map(({ text }) => text), confidence };
};

describe("a remark goes", () => {
  it.each([
    ["alone", "note: function defined here"],
    ["below a margin", "   = help: consider cloning"],
    ["with a place", "src/list.c:3:5: note: previous definition is here"],
  ])("%s", (_, remark) => expect(strip("error: no", remark, "done")).toEqual({ shown: ["error: no", "done"], confidence: "Full" }));

  it("with the frame drawn below it", () => {
    const frame = ["  --> src/a.rs:6:8", "   |", " 6 | pub fn eval() {", "   |        ^^^^"];
    expect(strip("error: no", "note: function defined here", ...frame, "error: other").shown).toEqual(["error: no", "error: other"]);
  });

  it("with the source line and its carets", () => {
    expect(strip("a.c:3:5: note: here", "int list;", "    ^~~~", "1 error").shown).toEqual(["1 error"]);
  });
});

describe("what is no remark stays", () => {
  it.each(["error: help: no", "notes: three", "a note: not at the start", "helper:", "   |"])("%s", (text) =>
    expect(strip(text)).toEqual({ shown: [text], confidence: "Fallback" }),
  );

  it("an error below a remark, even above carets", () => {
    expect(strip("a.c:3:5: note: here", "ERROR: disk full", "    ^~~~").shown).toEqual(["ERROR: disk full", "    ^~~~"]);
  });
});
