import { describe, expect, it } from "vitest";
import { createGrowingBytes, createKeptBytes, joinRequest } from "./request-bytes.ts";

const texts = ['{"a":"', "ä€😀", '","b":[', "1", "]}"];

describe("The bytes of a request", () => {
  it("are those of its pieces as one text, whatever the characters", () => {
    const pieces = texts.map((text, n) => (n % 2 ? Buffer.from(text) : text));
    expect(joinRequest(pieces).toString()).toBe(texts.join(""));
  });
});

describe("Growing bytes", () => {
  it("hold all that was added, and what was handed out before stays as it was", () => {
    const bytes = createGrowingBytes();
    const seen = texts.map((text) => {
      bytes.add(text);
      return bytes.all();
    });
    expect(seen.map(String)).toEqual(texts.map((_, n) => texts.slice(0, n + 1).join("")));
  });
});

describe("Kept bytes", () => {
  it("are made again just when one of the values differs, or there is one more or less", () => {
    const bytes = createKeptBytes();
    const tool = {};
    const given = [["a", tool], ["a", tool], ["b", tool], ["b", {}], ["b"], ["b", undefined]];
    let made = 0;
    expect(given.map((values) => bytes(values, () => String(++made)).toString())).toEqual(["1", "1", "2", "3", "4", "5"]);
  });
});
