import { describe, expect, it } from "vitest";
import { printedLine } from "../line.ts";
import { createBeginTest } from "./hints.ts";

const PLACE = "src/a.ts:3:4 - error TS1: no";
const blanks = (count: number): string[] => Array.from({ length: count }, () => "said");
const beginnings = (texts: readonly string[]): number[] | null => {
  const mayBegin = createBeginTest(texts.map(printedLine));
  return mayBegin && texts.flatMap((_, at) => (mayBegin(at) ? [at] : []));
};

describe("a diagnostic", () => {
  it("may begin five lines above its place and no further, and not behind it", () =>
    expect(beginnings([...blanks(8), PLACE, ...blanks(3)])).toEqual([3, 4, 5, 6, 7, 8]));

  it("may begin near each of several places", () =>
    expect(beginnings([PLACE, ...blanks(9), PLACE, "  12:4  error  x", "said"])).toEqual([0, 5, 6, 7, 8, 9, 10, 11]));

  it("begins nowhere in a text without places", () => expect(beginnings(blanks(20))).toBeNull());
});
