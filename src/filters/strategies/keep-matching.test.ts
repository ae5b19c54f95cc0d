import { expect, it } from "vitest";
import { printedLine } from "../line.ts";
import { trustedPattern } from "../patterns.ts";
import { keepMatching } from "./keep-matching.ts";

const subject = { forms: [], words: [], verbatim: null };
const keep = (patterns: string[], text: string) =>
  keepMatching.build({ patterns }, trustedPattern)({ lines: text.split("\n").map(printedLine), exitCode: 0, subject });

it("only lines that match stay, and everything that looks like an error", () => {
  const result = keep(["^total", "^sum"], "a\ntotal 3\nERROR: disk full\nb\nsum 4");
  expect(result?.lines.map(({ text }) => text)).toEqual(["total 3", "ERROR: disk full", "sum 4"]);
  expect(result?.confidence).toBe("Full");
});

it("nothing that matches: the text is left alone", () => expect(keep(["^total"], "a\nb")).toBeNull());

it("all of it matches: Fallback", () => expect(keep(["."], "a\nb")?.confidence).toBe("Fallback"));

it("what is kept are the lines themselves", () => {
  const lines = ["total 3", "x"].map(printedLine);
  const result = keepMatching.build({ patterns: ["^total"] }, trustedPattern)({ lines, exitCode: 0, subject });
  expect(result?.lines[0]).toBe(lines[0]);
});
