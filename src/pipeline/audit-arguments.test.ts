import { expect, it } from "vitest";
import { summariseArguments } from "./audit-arguments.ts";

it("the number of values is bounded, however arguments are nested", () => {
  const fill = (depth: number): unknown => (depth === 0 ? "x" : Array.from({ length: 50 }, () => fill(depth - 1)));
  let looked = 0;
  const kept = summariseArguments(fill(3), (text) => {
    looked++;
    return text;
  });
  expect(looked).toBeLessThanOrEqual(1000);
  expect(JSON.stringify(kept)).toContain("(more)");
});
