import { expect, it } from "vitest";
import { printedLine } from "../line.ts";
import { isLog } from "./log-shape.ts";

it("a level alone makes a log of an output, not of a file", () => {
  const notes = ["// error: not one", "// error: not two", "// error: not three", "// error: not four"].map(printedLine);
  expect(isLog(notes, "output")).toBe(true);
  expect(isLog(notes, "file")).toBe(false);
  expect(
    isLog(
      notes.map(({ text }) => printedLine(`2026-11-15T06:00:00Z ${text}`)),
      "file",
    ),
  ).toBe(true);
});
