import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashShape as hashWith } from "./shape-hash.ts";
import { createTemplates } from "./template.ts";

const hashShape = (text: string): number => hashWith(text, "words");

/** Without what templates know of dates and signs. */
const gapped = (text: string): string => createTemplates()(text);

describe("the hash of a shape", () => {
  const piece = fc.oneof(
    fc.stringMatching(/^[\da-f]{1,14}$/),
    fc.stringMatching(/^[\dA-F]{1,10}$/),
    fc.stringMatching(/^\d{1,7}$/),
    fc.constantFrom("-", ".", ".", "-", " ", ":", "_", "x", "é", "worker", "facade", "\ud83d"),
  );
  const line = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));

  it("is the same for two lines just when their templates are", () => {
    const byHash = new Map<number, string>();
    const byTemplate = new Map<string, number>();
    fc.assert(
      fc.property(line, (text) => {
        const [hash, template] = [hashShape(text), gapped(text)];
        if (!template.includes("_\0")) expect(byTemplate.get(template) ?? hash).toBe(hash);
        expect(byHash.get(hash) ?? template).toBe(template);
        byTemplate.set(template, hash);
        byHash.set(hash, template);
      }),
      { numRuns: 4000, seed: 5 },
    );
  });

  it.each([
    ["job 7 done", "job 12345678 done"],
    ["at 10.0.3.7:80", "at 10.0:80"],
    ["id cb91ce37-5bc8-fbbc-bde5-c0994164d839", "id d118fce8-8a28-4b21-b26e-cda47c952857"],
    ["A1B2C3D4 x", "00FF00FF x"],
    ["F47AC10B-58CC-4372-A567-0E02B2C3D479", "A47AC10B-F8CC-B372-9567-0E02B2C3D479"],
  ])("leaves out what differs in %s and %s", (a, b) => expect(hashShape(a)).toBe(hashShape(b)));

  it.each([
    ["job 7 done", "job 7 gone"],
    ["deadbeef-12345678901234", "deadbeef-1234"],
    ["12.abcdef", "12.345678"],
    ["ABCDEF1 x", "ABCDEF12 x"],
  ])("tells %s and %s apart", (a, b) => expect(hashShape(a)).not.toBe(hashShape(b)));

  it.each([
    ["FAIL: TestV6WithTime", "FAIL: TestV6FromTime"],
    ["12ms", "12s"],
  ])("tells %s and %s apart where only digits are left out", (a, b) => {
    expect(hashWith(a, "digits")).not.toBe(hashWith(b, "digits"));
    expect(hashShape(a)).toBe(hashShape(b));
  });

  it.each([
    ["job 7a done", "job 39 done"],
    ["host-3 took 12ms", "host-11 took 7ms"],
  ])("leaves out the digits of %s and %s", (a, b) => expect(hashWith(a, "digits")).toBe(hashWith(b, "digits")));
});
