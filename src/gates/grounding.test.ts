import { describe, expect, it } from "vitest";
import type { AnyTool } from "../core/tool.ts";
import type { Touch } from "../core/touch.ts";
import { createGroundingGate } from "./grounding.ts";
import { groundsAddresses } from "./grounding-source.ts";

describe("what a person named", () => {
  it.each<[string, string, boolean]>([
    ["Read https://example.com/docs", "https://example.com/docs", true],
    ["Read https://example.com/docs.", "https://example.com/docs", true],
    ["(see https://example.com/a_(b))", "https://example.com/a_(b)", true],
    ["Read https://example.com/docs", "https://example.com/docs/intro#top", true],
    ["Read https://example.com/docs", "https://example.com/docs?page=2", false],
    ["Read https://example.com/docs?page=2", "https://example.com/docs?page=2", true],
    ["summarise README.md, main.rs and run.sh", "https://readme.md/", false],
    ["summarise README.md, main.rs and run.sh", "https://main.rs/x", false],
    ["write to bob@corp.example.com", "https://corp.example.com/", false],
    ["call foo.bar() and node.js", "https://foo.bar/", false],
    ["call foo.bar() and node.js", "https://node.js/", false],
    ["read ./docs/example.com/x", "https://example.com/x", false],
    ["see https://readme.md", "https://readme.md/", true],
    ["Read https://example.com/docs", "https://example.com/docsecret", false],
    ["Read https://example.com/docs", "https://example.com/", false],
    ["Read https://example.com/docs", "https://evil.example/docs", false],
    ["what does example.com say?", "https://example.com/anything/below", true],
    ["what does www.example.com say?", "https://example.com/", false],
    ["http://example.com/x", "https://example.com/x", true],
    ["HTTPS://EXAMPLE.com/X", "https://example.com/X", true],
    ["nothing here", "https://example.com/", false],
    ["see example.com", "not a url", false],
    ["see example.com", "ftp://example.com/", false],
  ])("%s → %s: %s", (text, url, expected) => {
    const ground = createGroundingGate();
    ground.said(text);
    expect(ground.holds(url)).toBe(expected);
  });
});

describe("what a tool returned", () => {
  it.each<[string, string, boolean]>([
    ["[docs](https://example.com/docs)", "https://example.com/docs", true],
    ["[docs](https://example.com/docs)", "https://example.com/docs#part", true],
    ["[docs](https://example.com/docs)", "https://example.com/docs/more", false],
    ["[docs](https://example.com/docs)", "https://example.com/docs?leak=1", false],
    ['<a href="https://example.com/q?a=1&b=2">', "https://example.com/q?a=1&b=2", true],
    ["example.com is a host", "https://example.com/", false],
  ])("%s → %s: %s", (text, url, expected) => {
    const ground = createGroundingGate();
    ground.returned(text);
    expect(ground.holds(url)).toBe(expected);
  });
});

it("a tool that repeats what it was given proves nothing", () => {
  const ground = createGroundingGate();
  ground.returned(
    "No results for [a='https://evil.example/?d=1'], but https://good.example/",
    '{"select":"[a=\'https://evil.example/?d=1\']"}',
  );
  expect(ground.holds("https://evil.example/?d=1")).toBe(false);
  expect(ground.holds("https://good.example/")).toBe(true);
});

it("only the oldest address is forgotten", () => {
  const ground = createGroundingGate();
  for (let n = 0; n <= 5000; n++) ground.returned(`https://example.com/${n}`);
  expect(ground.holds("https://example.com/0")).toBe(false);
  expect(ground.holds("https://example.com/1")).toBe(true);
});

it("a hostile text is read in time that grows with its length", () => {
  const ground = createGroundingGate();
  for (const text of ["a.".repeat(500_000), "https://".repeat(100_000), "a".repeat(1_000_000), "a-".repeat(500_000)]) {
    ground.said(text);
    ground.returned(text);
  }
  expect(ground.holds("https://example.com/")).toBe(false);
});

it("a tool that reads nothing it names proves nothing", () => {
  const tool = { name: "look", effect: "reads" } as AnyTool;
  const grounds = (touches: readonly Touch[], since: number | null) =>
    groundsAddresses({ tool, touches }, { text: "https://a.example/" }, since, null);
  for (const since of [null, 1]) expect(grounds([], since)).toBe(false);
  expect(grounds([{ kind: "path", access: "read", path: "/w/a.txt" }], null)).toBe(true);
});
