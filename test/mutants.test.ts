import { expect, it } from "vitest";
import { applyMutant, findMutants } from "../scripts/mutate/mutants.mjs";

const changes = (text: string) => findMutants("x.ts", text).map((mutant) => applyMutant(text, mutant));

it.each([
  ["if (a) b;", ["if (!(a)) b;", "if (a) ;"]],
  ["x = a < b;", [";", "x = (a) <= (b);"]],
  ["x = a && !b;", [";", "x = (a) || (!b);", "x = a && (b);"]],
  ["const x = a ?? b;", ["const x = (a);"]],
  ["const x = a ? 1 : true;", ["const x = !(a) ? 1 : true;", "const x = a ? 2 : true;", "const x = a ? 1 : false;"]],
  ['const x = ["a", ""];', ['const x = ["", ""];', 'const x = ["a", "mutated"];']],
  ["const x = list.some(f);", ["const x = list.every(f);"]],
  ["for (const a of b) continue;", ["for (const a of b) ;"]],
  ['const x = a + b + "c";', ['const x = (a) - (b) + "c";', 'const x = a + b + "";']],
])("the mutation check breaks %s in each place", (text, expected) => {
  expect(changes(text)).toEqual(expected);
});

it("the mutation check leaves types, imports and names of properties alone", () => {
  const text = 'import { a } from "./a.ts";\nimport type { B } from "b";\ntype C = "x" | 1;\nconst d: "y" = { "e": a } as unknown as B;';
  expect(changes(text)).toEqual([]);
});

it("the mutation check says on which line a place is", () => {
  expect(findMutants("x.ts", "\n\nwhile (a) b = a;").map(({ line, kind }) => `${line} ${kind}`)).toEqual(["3 condition", "3 statement"]);
});
