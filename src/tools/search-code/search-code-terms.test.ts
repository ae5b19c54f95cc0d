import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partsOf, patternOf, queryTerms, stemOf, weigher } from "./search-code-terms.ts";

const words = (query: string) => queryTerms(query).map(({ word }) => word);

describe("the terms of a query", () => {
  it.each([
    ["where is retry with jitter done", ["retry", "jitter"]],
    ["openFileInside", ["openfileinside", "open", "file", "inside"]],
    ["parse_http_header", ["parsehttpheader", "parse", "http", "header"]],
    ["parseHTTPHeader2", ["parsehttpheader2", "parse", "http", "header2"]],
    ["Retries retry", ["retry"]],
    ["where is it", ["where", "is", "it"]],
    ["a.b(c)", ["a", "b", "c"]],
    ["x.close()", ["close"]],
    ["größeBerechnen", ["größeberechnen", "größe", "berechnen"]],
    ["検索", ["検索"]],
    ["=> {}", []],
    ["__ $$", []],
  ])("%s", (query, expected) => expect(words(query)).toEqual(expected));
  it("are sixteen at most", () => expect(words(Array.from({ length: 100 }, (_, n) => `word${n}x`).join(" "))).toHaveLength(16));
});

describe("one stem", () => {
  it.each([
    ["retry", "retries", "retried", "retrying"],
    ["cache", "caches", "cached", "caching"],
    ["match", "matches", "matched", "matching"],
    ["stop", "stops", "stopped", "stopping"],
    ["address", "addresses", "addressed"],
    ["call", "calls", "called", "calling"],
  ])("%s", (...forms) => expect(new Set(forms.map(stemOf)).size).toBe(1));
  it.each([
    ["string", "str"],
    ["status", "statu"],
    ["class", "clas"],
    ["need", "ne"],
    ["file", "filter"],
  ])("is not shared by %s and %s", (a, b) => expect(stemOf(a)).not.toBe(stemOf(b)));
  it.each([
    ["retry", "retries"],
    ["retries", "retry"],
    ["caching", "cache"],
    ["cache", "caching"],
    ["running", "run"],
    ["openFile", "open_file"],
  ])("%s finds a line with %s", (query, text) => expect(text).toMatch(new RegExp(patternOf(queryTerms(query)), "iu")));
});

describe("any query", () => {
  const query = fc.oneof(fc.string({ maxLength: 500 }), fc.string({ unit: "grapheme", maxLength: 200 }));
  it("gives a pattern of letters that finds the query itself", () =>
    fc.assert(
      fc.property(query, (text) => {
        const terms = queryTerms(text);
        if (terms.length === 0) return;
        expect(terms.length).toBeLessThanOrEqual(16);
        expect(patternOf(terms).replaceAll("\\b", "")).not.toMatch(/[\\^$.*+{}]/);
        for (const { word, parts } of terms) expect(parts.join("")).toBe(word);
        expect(() => new RegExp(patternOf(terms), "iu")).not.toThrow();
      }),
    ));
  it("of one word weighs that word fully", () =>
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{2,12}$/), (word) => {
        const terms = queryTerms(word);
        expect(weigher(terms)(word)[0]).toBe(1);
        expect(word).toMatch(new RegExp(patternOf(terms), "iu"));
      }),
    ));
  it("is taken apart without losing a letter", () =>
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zA-Z_]{1,40}$/), (name) => partsOf(name).join("") === name.replaceAll("_", "").toLowerCase()),
    ));
});

it("weighs the same word more than its beginning, and that more than a part", () => {
  const [whole, begins, holds, none] = ["retries", "retryable", "noretrying", "other"].map(
    (word) => weigher(queryTerms("retry"))(word)[0]!,
  );
  expect(whole).toBe(1);
  expect(begins).toBeGreaterThan(holds!);
  expect(holds).toBeGreaterThan(none!);
  expect(weigher(queryTerms("id"))("identity")).toEqual([0]);
});
