import { expect, it } from "vitest";
import { headsText, partOf, partsText, readHeads, rootOf } from "./checkpoint-form.ts";

const heads = [
  { writer: "host-1/audit.jsonl/0123456789ab", count: 12, hash: "a".repeat(64) },
  { writer: "host-2/audit.77.jsonl/0123456789ab.2", count: 3, hash: "b".repeat(64) },
];

it("the heads of a tenant are a text that can be read again", () => {
  expect(readHeads(headsText(heads))).toEqual(heads);
});

it("the part of a tenant is found by its name alone, and no other name finds it", () => {
  const parts = partsText(
    new Map([
      ["acme", headsText(heads)],
      ["tiny", headsText(heads.slice(1))],
    ]),
  );
  expect(partOf(parts, "acme")).toMatch(/^[0-9a-f]{64}$/);
  expect(partOf(parts, "tiny")).not.toBe(partOf(parts, "acme"));
  expect(partOf(parts, "other")).toBeNull();
  expect(parts).not.toMatch(/acme|tiny/);
});

it("the root changes with everything that a checkpoint says", () => {
  const checkpoint = { n: 1, at: "2026-11-17T12:00:00.000Z", previous: "0".repeat(64), parts: "x y" };
  const roots = [
    checkpoint,
    { ...checkpoint, n: 2 },
    { ...checkpoint, at: "2026-11-17T12:00:00.001Z" },
    { ...checkpoint, previous: "1".repeat(64) },
    { ...checkpoint, parts: "x z" },
  ].map(rootOf);
  expect(new Set(roots).size).toBe(5);
});
