import { describe, expect, it } from "vitest";
import { createSecretFinder, warningLine } from "../../src/filters/secrets/secrets.ts";
import { cases } from "./cases.ts";

/** Texts and secrets are stored in pieces, so that no scanner takes them for real ones. */
interface Case {
  id: string;
  class: string;
  expected: "flag" | "clean" | "ambiguous";
  why: string;
  output: string[];
  secret?: string[];
}

const all = cases<Case>("secrets.jsonl");
const scanner = createSecretFinder().secrets;

/** Where the cases leave it open. A placeholder, a public key and an id are no secrets; a token in a token's place is one. */
const DECIDED: Record<string, "flag" | "clean"> = {
  "sec-082": "flag",
  "sec-168": "clean",
  "sec-169": "clean",
  "sec-172": "clean",
  "sec-175": "clean",
  "sec-177": "clean",
  "sec-178": "clean",
  "sec-182": "flag",
  "sec-184": "flag",
  "sec-185": "clean",
};

it("there are cases to run", () => expect(all.length).toBeGreaterThan(60));

describe.each(all)("$id $class: $why", ({ id, expected, output }) => {
  it(`is ${expected}`, () => {
    const text = output.join("");
    const found = scanner.find(text);
    const wanted = expected === "ambiguous" ? DECIDED[id] : expected;
    expect(found.length > 0 ? "flag" : "clean").toBe(wanted);
    if (wanted === "clean") expect(scanner.redact(text, found)).toBe(text);
  });
});

describe.each(all.filter(({ secret }) => secret))("$id $class: $why", ({ output, secret }) => {
  it("shows no secret", () => {
    const value = secret!.join("");
    const found = scanner.find(output.join(""));
    const shown = scanner.redact(output.join(""), found);
    expect(shown).not.toContain(value);
    expect(shown).toMatch(/\[redacted:[a-z-]+\]/);
    expect(warningLine(found)).not.toContain(value);
  });
});
