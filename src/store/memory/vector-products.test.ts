import fc from "fast-check";
import { expect, it } from "vitest";
import { createVectorTable } from "./vector-products.ts";

it("multiplies every vector with another, whatever their length and number", () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 0, max: 1100 }), fc.integer(), (dims, count, seed) => {
      let state = seed >>> 0 || 1;
      const next = () => {
        state = (Math.imul(state, 1103515245) + 12345) >>> 0;
        return state / 2 ** 31 - 1;
      };
      const vector = () => Float32Array.from({ length: dims }, next);
      const rows = Array.from({ length: count }, vector);
      const vectors = createVectorTable(dims);
      for (const row of rows) vectors.add(row);
      for (const of of [vector(), vector()]) {
        const products: number[] = [];
        for (const block of vectors.products(of)) products.push(...block);
        expect(products).toHaveLength(count);
        const expected = rows.map((row) => row.reduce((sum, number, at) => sum + number * of[at]!, 0));
        expect(Math.max(0, ...expected.map((product, n) => Math.abs(product - products[n]!)))).toBeLessThan(1e-4);
      }
    }),
    { numRuns: 30 },
  ));
