import { expect, it } from "vitest";
import { summary } from "./summary.ts";

it("looks at a bounded number of values, however arguments are nested", () => {
  const fill = (depth: number): unknown => (depth === 0 ? "x" : Array.from({ length: 50 }, () => fill(depth - 1)));
  let looked = 0;
  const kept = summary(fill(3), (text) => {
    looked++;
    return text;
  });
  expect(looked).toBeLessThanOrEqual(1000);
  expect(JSON.stringify(kept)).toContain("(more)");
});
