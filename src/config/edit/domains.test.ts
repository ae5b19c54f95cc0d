import { describe, expect, it } from "vitest";
import { addDomain } from "./domains.ts";

describe("A name that is added to allow_domains", () => {
  it.each([
    ["an empty file", "", '[tools.sandbox]\nallow_domains = ["a.example"]\n'],
    [
      "a list",
      '[tools.sandbox]\nallow_domains = ["b.example"] # mine\n',
      '[tools.sandbox]\nallow_domains = ["b.example", "a.example"] # mine\n',
    ],
    ["an empty list", "[tools.sandbox]\nallow_domains = []\n", '[tools.sandbox]\nallow_domains = ["a.example"]\n'],
    [
      "a table without a list",
      "[tools.sandbox] # walls\nenabled = true\n",
      '[tools.sandbox] # walls\nallow_domains = ["a.example"]\nenabled = true\n',
    ],
    ["dotted keys", 'tools.sandbox.allow_domains = ["b.example"]\n', 'tools.sandbox.allow_domains = ["b.example", "a.example"]\n'],
    ["another table", "[tools.shell]\ntimeout = 5\n", '[tools.shell]\ntimeout = 5\n\n[tools.sandbox]\nallow_domains = ["a.example"]\n'],
    [
      "a list of many lines",
      '[tools.sandbox]\nallow_domains = [\n  "b.example",\n]\n',
      '[tools.sandbox]\nallow_domains = [\n  "b.example", "a.example",\n]\n',
    ],
    ["the name itself", '[tools.sandbox]\nallow_domains = ["a.example"]\n', '[tools.sandbox]\nallow_domains = ["a.example"]\n'],
  ])("leaves every byte of %s where it was", (_, before, after) => {
    expect(addDomain(before, "a.example")).toBe(after);
  });

  it("is told to the person where there is no safe place for it", () => {
    expect(() => addDomain("tools = { sandbox = { enabled = true } }\n", "a.example")).toThrow(
      /Add it yourself to tools\.sandbox\.allow_domains/,
    );
  });
});
