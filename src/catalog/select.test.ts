import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolSpec } from "../core/ports/model.ts";
import { namedIn, selectTools, type ToolChoice } from "./select.ts";

const tool = (name: string, description = "It does something useful."): ToolSpec => ({ name, description, parameters: {} });
const tools = ["a", "b", "c", "d", "e"].map((name) => tool(name));
const scores = (given: Record<string, number>) => new Map(Object.entries(given));
const choose = (more: Partial<ToolChoice>) =>
  Object.fromEntries(
    selectTools({
      query: "",
      tools,
      alwaysOn: new Set(),
      isOwn: () => false,
      minDescriptionWords: 3,
      topK: 2,
      ranked: { by: "bm25", scores: scores({ a: 0.1, b: 0.9, c: 0.5, d: 0.45, e: 0 }) },
      boost: () => 0,
      kept: new Map(),
      ...more,
    }),
  );

describe("what is chosen", () => {
  it("is the best by rank", () => expect(choose({})).toEqual({ b: "rank", c: "rank" }));
  it("is everything with 0, or where nothing ranks", () => {
    expect(Object.keys(choose({ topK: 0 }))).toEqual(["a", "b", "c", "d", "e"]);
    expect(choose({ ranked: null })).toEqual(Object.fromEntries(tools.map(({ name }) => [name, "full_set"])));
  });
  it("counts what a tool prefers before the cut, and says so", () =>
    expect(choose({ boost: (name) => (name === "d" ? 0.15 : 0) })).toEqual({ b: "rank", d: "boost" }));
  it("does not let a boost beat what is far better", () =>
    expect(choose({ boost: (name) => (name === "a" ? 0.2 : 0) })).toEqual({ b: "rank", c: "rank" }));
  it("takes the first of equals", () =>
    expect(choose({ ranked: { by: "bm25", scores: scores({ a: 0, b: 0, c: 0, d: 0, e: 0 }) } })).toEqual({ a: "rank", b: "rank" }));
  it("has a reason for each, the first that speaks for it", () =>
    expect(
      choose({
        query: "use A and e",
        tools: [...tools, tool("short", "Two words"), tool("used"), tool("found"), tool("out")],
        alwaysOn: new Set(["a", "gone"]),
        kept: new Map([
          ["used", "used"],
          ["found", "found"],
        ]),
        ranked: { by: "bm25", scores: scores({ a: 1, b: 0.9, c: 0.5, e: 0, short: 0, used: 0, found: 0, out: 0 }) },
      }),
    ).toEqual({ a: "always_on", b: "rank", c: "rank", e: "named", short: "short", used: "used", found: "found" }));
  it("knows of tools without embedding only where embeddings rank", () => {
    const some = scores({ a: 0.1, b: 0.9, c: 0.5 });
    expect(choose({ ranked: { by: "embeddings", scores: some } })).toEqual({
      b: "rank",
      c: "rank",
      d: "no_embedding",
      e: "no_embedding",
    });
    expect(choose({ ranked: { by: "bm25", scores: some } })).toEqual({ b: "rank", c: "rank" });
  });
  it("gives every place of top_k to a tool that has to be ranked: what is there anyway takes none", () => {
    const best = { by: "bm25" as const, scores: scores({ a: 1, b: 0.9, c: 0.8, d: 0.7, e: 0.6 }) };
    const chosen = choose({ ranked: best, alwaysOn: new Set(["a"]), query: "with b", topK: 2 });
    expect(chosen).toEqual({ a: "always_on", b: "named", c: "rank", d: "rank" });
    const two = tools.map((one) => (one.name === "a" ? tool("a", "Two words") : one));
    expect(choose({ ranked: best, tools: two, topK: 3 })).toEqual({ a: "short", b: "rank", c: "rank", d: "rank" });
  });
  it("grows with top_k, and has so many by rank", () =>
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 1, max: 5 }),
        (all, k) => {
          const ranked = { by: "bm25" as const, scores: new Map(tools.map(({ name }, n) => [name, all[n]!])) };
          const few = Object.keys(choose({ ranked, topK: k }));
          expect(few.length).toBe(k);
          expect(Object.keys(choose({ ranked, topK: k + 1 }))).toEqual(expect.arrayContaining(few));
        },
      ),
    ));
});

describe("a name in a text", () => {
  it.each<[string, string, boolean]>([
    ["git_log", "run git_log now", true],
    ["git_log", "run GIT_LOG.", true],
    ["git_log", "(git_log)", true],
    ["git_log", "git_log", true],
    ["git_log", "my_git_log", false],
    ["git_log", "git_log2", false],
    ["git_log", "git log", false],
    ["git_log", "git_logé", false],
    ["mcp:list-issues", "call mcp:list-issues!", true],
    ["mcp:list-issues", "xmcp:list-issues", false],
    ["mcp:list-issues", "mcp:list-issues_all, mcp:list-issues", true],
    ["read", "already", false],
    ["read", "read-only", true],
  ])("%s in %s: %s", (name, text, expected) => expect(namedIn(text, [{ name }]).has(name)).toBe(expected));
});
