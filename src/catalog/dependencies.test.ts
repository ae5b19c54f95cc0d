import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { circlesOf, wayRound } from "./cycles.ts";
import { createDependencies } from "./dependencies.ts";

const rule = (requires: string[] = [], prefers: string[] = []) => ({ requires, prefers });
function open(
  rules: Record<string, { requires: string[]; prefers: string[] }>,
  tools = ["a", "b", "c", "d", "e"],
  alwaysOn: string[] = [],
  nameOf?: (name: string) => string,
) {
  const warnings: string[] = [];
  const config = { boost_per_dep: 0.15, max_total_boost: 0.2, rules };
  const dependencies = createDependencies({
    config,
    alwaysOn: new Set(alwaysOn),
    tools: () => tools,
    ...(nameOf && { nameOf }),
    warn: (message) => warnings.push(message),
  });
  return { dependencies, warnings };
}

describe("what a tool requires", () => {
  it("is missing until it has succeeded, and again after clear", () => {
    const { dependencies, warnings } = open({ c: rule(["a", "b", "a"]) });
    expect(dependencies.unmet("c", {})).toEqual(["a", "b"]);
    dependencies.succeeded("b");
    expect(dependencies.unmet("c", {})).toEqual(["a"]);
    expect(dependencies.isMet("c")).toBe(false);
    dependencies.succeeded("a");
    expect(dependencies.unmet("c", {})).toEqual([]);
    expect(dependencies.isMet("c")).toBe(true);
    expect(dependencies.isMet("a")).toBe(false);
    dependencies.clear();
    expect(dependencies.unmet("c", {})).toEqual(["a", "b"]);
    expect(warnings).toEqual([]);
  });
  it("does not bind what is always on", () => expect(open({ c: rule(["a"]) }, undefined, ["c"]).dependencies.unmet("c", {})).toEqual([]));
  it("does not bind what a conversation's catalogue offers, and binds in all others", () => {
    const { dependencies } = open({ c: rule(["a"]) });
    dependencies.offers("here", (tool) => tool === "c");
    dependencies.offers("there", () => false);
    expect(dependencies.unmet("c", { conversationId: "here" })).toEqual([]);
    expect(dependencies.unmet("c", { conversationId: "there" })).toEqual(["a"]);
    expect(dependencies.unmet("c", { conversationId: "elsewhere" })).toEqual(["a"]);
    expect(dependencies.unmet("c", {})).toEqual(["a"]);
    dependencies.offers("here", null);
    expect(dependencies.unmet("c", { conversationId: "here" })).toEqual(["a"]);
  });
  it("is not asked for where nothing at all could begin, which is said once", () => {
    const all = { a: rule(["x"]), b: rule(["x"]) };
    const { dependencies, warnings } = open(all, ["a", "b", "on"], ["on"]);
    dependencies.check();
    warnings.length = 0;
    expect(dependencies.unmet("a", {})).toEqual([]);
    expect(dependencies.unmet("b", {})).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/off for this turn/)]);
    expect(open(all, ["a", "b", "c"]).dependencies.unmet("a", {})).toEqual(["x"]);
  });
  it("speaks of the tool, whatever name a rule gives it", () => {
    const nameOf = (name: string) => (name === "other-a" ? "a" : name);
    const rules = { "other-a": rule(["b"], ["c"]), a: rule(["d"]), e: rule(["other-a"], ["other-a"]) };
    const { dependencies, warnings } = open(rules, undefined, [], nameOf);
    expect(dependencies.unmet("a", {})).toEqual(["b", "d"]);
    expect(dependencies.unmet("e", {})).toEqual(["a"]);
    for (const tool of ["a", "c"]) dependencies.succeeded(tool);
    expect(dependencies.unmet("e", {})).toEqual([]);
    expect([dependencies.boost("a"), dependencies.boost("e")]).toEqual([0.15, 0.15]);
    expect(warnings).toEqual([]);
    expect(open({ a: rule(["other-a"]) }, undefined, [], nameOf).warnings).toEqual([expect.stringContaining("a → a is a circle")]);
  });
  it("warns of names no tool has, and suggests one", () => {
    const { dependencies, warnings } = open({ deplyo: rule(["tests"], ["lint"]) }, ["deploy", "test"]);
    expect(warnings).toEqual([]);
    dependencies.unmet("test", {});
    dependencies.check();
    expect(warnings).toEqual([
      expect.stringMatching(/rules\.deplyo: there is no tool of this name\. Did you mean "deploy"/),
      expect.stringMatching(/requires "tests".*stays hidden.*Did you mean "test"/),
      expect.stringMatching(/prefers "lint"/),
    ]);
  });
});

it("a boost is 0.15 for each preferred tool that has succeeded, and 0.2 at most", () => {
  const { dependencies } = open({ d: rule([], ["a", "b", "c", "a"]) });
  expect(dependencies.boost("d")).toBe(0);
  dependencies.succeeded("a");
  expect(dependencies.boost("d")).toBeCloseTo(0.15);
  dependencies.succeeded("b");
  dependencies.succeeded("c");
  expect(dependencies.boost("d")).toBe(0.2);
  expect(dependencies.boost("a")).toBe(0);
});

describe("circles", () => {
  it("lose what they require, with a warning that names them; what only leads into one does not", () => {
    const { dependencies, warnings } = open({ a: rule(["b", "e"]), b: rule(["c"]), c: rule(["a"]), d: rule(["a"]), e: rule([]) });
    for (const tool of ["a", "b", "c"]) expect(dependencies.unmet(tool, {})).toEqual([]);
    expect(dependencies.unmet("d", {})).toEqual(["a"]);
    expect(warnings).toEqual([expect.stringContaining("a → b → c → a is a circle")]);
  });
  it("can be of one tool, and two can be apart", () => {
    const { dependencies, warnings } = open({ a: rule(["a"]), b: rule(["c"]), c: rule(["b"]), d: rule(["e"]) });
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).toMatch(/a → a.*b → c → b|b → c → b.*a → a/);
    expect(dependencies.unmet("d", {})).toEqual(["e"]);
  });
  it("are exactly the nodes that lead back to themselves", () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const anyGraph = fc
      .array(fc.subarray(names), { minLength: 6, maxLength: 6 })
      .map((all) => new Map(all.map((targets, n) => [names[n]!, targets as readonly string[]])));
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const leadsTo = (from: string) => {
          const seen = new Set<string>();
          const open = [...graph.get(from)!];
          for (const one of open) if (!seen.has(one)) seen.add(one) && open.push(...graph.get(one)!);
          return seen;
        };
        const circles = circlesOf(graph);
        expect(circles.flat().sort()).toEqual(names.filter((name) => leadsTo(name).has(name)));
        for (const circle of circles) {
          const way = wayRound(circle, graph);
          expect(way[0]).toBe(way.at(-1));
          for (let n = 1; n < way.length; n++) expect(graph.get(way[n - 1]!)).toContain(way[n]);
        }
      }),
      { numRuns: 100 },
    );
  });
  it("are looked for in long chains without falling over", () => {
    const chain = new Map(Array.from({ length: 50_000 }, (_, n) => [`t${n}`, [`t${n + 1}`]] as const));
    expect(circlesOf(chain)).toEqual([]);
  });
});
