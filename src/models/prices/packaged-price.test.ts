import { describe, expect, it } from "vitest";
import { priceIn } from "./packaged-price.ts";

const MODELS = {
  one: { provider: "anthropic", input: 3, output: 15, cacheRead: 0.3, cacheWrite: null },
  long: { provider: "openai", input: 4, output: 20, longContext: { threshold: 200_000, input: 8 } },
  free: { provider: "gemini", input: 0, output: 0 },
  odd: { provider: "anthropic", input: "3", output: 15 },
};
const DATA = { updated: "2026-08-23", models: MODELS };
const ONE = { type: "anthropic", model: "one", contextTokens: 200_000 } as const;

describe("a price of the package", () => {
  it("has the rates of this very model and the date of the data", () =>
    expect(priceIn(DATA, ONE)).toEqual({ input: 3, output: 15, cacheRead: 0.3, date: "2026-08-23" }));

  it.each([
    ["a name that is only similar", { ...ONE, model: "one-5" }],
    ["a model of another provider", { ...ONE, type: "openai" as const }],
    ["a server that only speaks like one", { ...ONE, type: "compatible" as const }],
    ["a name that every object has", { ...ONE, model: "constructor" }],
    ["a model without a price", { ...ONE, type: "gemini" as const, model: "free" }],
    ["a price that is no number", { ...ONE, model: "odd" }],
  ])("is none for %s", (_name, asked) => expect(priceIn(DATA, asked)).toBeUndefined());

  it("counts where a request cannot become long enough to cost more", () => {
    const long = { type: "openai", model: "long" } as const;
    expect(priceIn(DATA, { ...long, contextTokens: 200_000 })).toMatchObject({ input: 4 });
    expect(priceIn(DATA, { ...long, contextTokens: 200_001 })).toBeUndefined();
  });

  it.each([undefined, null, "text", {}, { models: MODELS }, { updated: "today", models: MODELS }])(
    "is none where the package is missing or its data has no date: %j",
    (data) => expect(priceIn(data, ONE)).toBeUndefined(),
  );
});
